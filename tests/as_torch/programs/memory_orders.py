# ruff: noqa
"""In which order of memory results lie, convolutions without channels, tensors over storages, generators that are copied and kept."""

import copy
import pickle

import torch
import torch.nn.functional as F


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:120])


last, rows = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last), torch.randn(2, 3, 4, 5)
bias, wide = torch.randn(3, 1, 1), torch.randn(1, 3, 1, 1)
turned, flat = torch.randn(3, 4).t(), torch.randn(4, 3)
functions = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "floor_divide": torch.floor_divide,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "maximum": torch.maximum,
    "fmin": torch.fmin,
    "atan2": torch.atan2,
    "hypot": torch.hypot,
    "logaddexp": torch.logaddexp,
    "copysign": torch.copysign,
    "nextafter": torch.nextafter,
    "heaviside": torch.heaviside,
    "pow": lambda a, b: torch.pow(a.abs(), b),
    "xlogy": lambda a, b: torch.xlogy(a.abs(), b.abs()),
    "gt": torch.gt,
    "eq": torch.eq,
    "logical_and": torch.logical_and,
    "and": lambda a, b: (a > 0) & (b > 0),
    "whole": lambda a, b: a.int() + b.int(),
    "half": lambda a, b: a.half() * b.half(),
    "brain": lambda a, b: a.bfloat16() - b.bfloat16(),
    "mixed": lambda a, b: a.double() * b,
    "number": lambda a, b: a * 2,
    "complex": torch.complex,
    "lerp": lambda a, b: torch.lerp(a, b, 0.5),
    "addcmul": lambda a, b: torch.addcmul(a, b, b),
    "addcdiv": lambda a, b: torch.addcdiv(a, b, b, value=2),
    "clamp": lambda a, b: torch.clamp(a, b, b + 1),
    "where": lambda a, b: torch.where(a > 0, a, b),
    "mse_loss": lambda a, b: F.mse_loss(a, b, reduction="none") if a.shape == b.shape else a,
    "smooth_l1_loss": lambda a, b: F.smooth_l1_loss(a, b, reduction="none") if a.shape == b.shape else a,
}
pairs = (last, rows), (rows, last), (last, last), (last, bias), (bias, last), (wide, last), (last, wide), (rows, wide)
for name, function in functions.items():
    print(name, [function(a, b).stride() for a, b in pairs])
    print(name, [function(a, b).stride() for a, b in ((turned, flat), (flat, turned), (turned, turned))])
print((turned + flat).is_contiguous(), torch.equal(turned + flat, flat + turned), last.roll(1, 1).stride())
told(lambda: (turned + flat).view(-1).shape)
told(lambda: (flat + turned).view(-1).shape)
cube = torch.arange(24.0).view(2, 3, 4)
for p in ((0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0)):
    print(p, (cube.permute(p) + cube.permute(p).clone().contiguous()).stride())

# what a memory format asks of a tensor, and a filter of one channel
narrow = torch.randn(8, 1, 3, 3)
print(
    narrow.to(memory_format=torch.channels_last).stride(), narrow.contiguous(memory_format=torch.channels_last).stride()
)
print(
    turned.to(memory_format=torch.contiguous_format) is turned, turned.to(memory_format=torch.preserve_format) is turned
)
print(last.to(memory_format=torch.contiguous_format).stride(), last.to(memory_format=torch.channels_last) is last)
for layer in torch.nn.Conv2d(8, 8, 3, groups=8), torch.nn.Conv2d(1, 8, 3), torch.nn.Conv2d(4, 8, 1):
    layer = layer.to(memory_format=torch.channels_last)
    x = torch.randn(2, layer.in_channels, 6, 6)
    print(layer.weight.stride(), layer(x).stride(), layer(x).is_contiguous(memory_format=torch.channels_last))

# convolutions of no channels give none
for kind, shape in ((torch.nn.Conv1d, (2, 0, 9)), (torch.nn.Conv2d, (2, 0, 5, 6)), (torch.nn.Conv3d, (1, 0, 4, 4, 4))):
    layer = kind(0, 3, 2, stride=2)
    x = torch.randn(shape, requires_grad=True)
    y = layer(x)
    y.sum().backward()
    print(y.shape, x.grad.shape, layer.weight.grad.shape, layer.bias.grad)
    told(lambda: layer(torch.randn(shape[0], 1, *shape[2:])))
print(F.conv2d(torch.randn(0, 5, 5), torch.randn(6, 0, 2, 2), torch.randn(6)).shape)
print(F.conv1d(torch.randn(2, 0, 5, dtype=torch.cfloat), torch.randn(6, 0, 2, dtype=torch.cfloat)).shape)

# tensors over a storage share its memory
y = torch.zeros(4, 4)
for made in (
    torch.FloatTensor(y.storage()),
    torch.Tensor(y.untyped_storage()),
    y[1:].new(y.storage()),
    torch.FloatTensor(storage=y.storage()),
):
    made[0] += 1
    print(made.shape, made.data_ptr() == y.data_ptr(), y[0, 0])
told(lambda: torch.FloatTensor(torch.IntTensor([1, 2]).storage()))
told(lambda: y.new(torch.IntTensor([1, 2]).storage()))

# generators
generator = torch.Generator().manual_seed(12345)
torch.randn(10, generator=generator)
for twin in (pickle.loads(pickle.dumps(generator)), copy.copy(generator), copy.deepcopy(generator)):
    print(twin is generator, twin.device, twin.initial_seed(), torch.equal(twin.get_state(), generator.get_state()))
    print(torch.randn(3, generator=twin))
print(torch.randn(3, generator=generator))

for mode in (True, False):
    for warn_only in (True, False):
        torch.use_deterministic_algorithms(mode, warn_only=warn_only)
        print(
            torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled(),
            torch.get_deterministic_debug_mode(),
        )

torch.use_deterministic_algorithms(False)

# copies in the order of memory that was asked for
for make in (
    torch.zeros_like,
    torch.rand_like,
    lambda t, **how: torch.randint_like(t, 9, **how),
    lambda t, **how: torch.full_like(t, 7, **how),
):
    print(
        make(last).stride(),
        make(last, memory_format=torch.contiguous_format).stride(),
        make(rows, memory_format=torch.channels_last).stride(),
    )
print(last.pow(1.0).stride(), last.int().floor().stride(), last.int().round().stride(), turned.pow(1).stride())

# memory that is handed over
brain = torch.ones(3, dtype=torch.bfloat16)
taken = torch.from_dlpack(brain)
taken[0] = 5
print(brain, taken.dtype, torch.from_dlpack(brain[::2]).stride(), torch.from_dlpack(turned).stride())
print(
    torch.from_dlpack(brain, copy=True).data_ptr() == brain.data_ptr(),
    torch.from_dlpack(brain, device="cpu", copy=False).data_ptr() == brain.data_ptr(),
)
print(torch.from_dlpack(torch.ones(2, dtype=torch.float8_e4m3fn)).dtype)
told(lambda: torch.from_dlpack(torch.ones(2, requires_grad=True)))
told(lambda: torch.from_dlpack(torch.ones(2, dtype=torch.cfloat).conj()))
for stream in (None, -1, 0, 1, "a", 1.0):
    told(lambda: type(flat.__dlpack__(stream=stream)).__name__)

# permutations whose numbers a dtype does not hold
for dtype, n in (
    (torch.half, 2049),
    (torch.half, 2050),
    (torch.uint8, 256),
    (torch.uint8, 257),
    (torch.float, 2**24 + 2),
    (torch.bool, 2),
):
    told(lambda: torch.randperm(n, dtype=dtype).shape)
    told(lambda: torch.randperm(n, out=torch.empty(0, dtype=dtype)).shape)
