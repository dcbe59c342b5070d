# ruff: noqa
"""Operations counted by FlopCounterMode, by module, in both passes; modules tracked; layers under modes below autograd."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode, register_flop_formula
from torch.utils.module_tracker import ModuleTracker

T = lambda *a: torch.randn(a)
P = lambda *a: torch.randn(a, requires_grad=True)


def back(f):
    return lambda: f().sum().backward()


CASES = dict(
    addmm=lambda: torch.addmm(T(3), T(4, 5), T(5, 3)),
    out=lambda: torch.mm(T(10, 10), T(10, 10), out=T(10, 10)),
    addmm_out=lambda: torch.addmm(T(10, 10), T(10, 10), T(10, 10), out=T(10, 10)),
    einsum=lambda: torch.einsum("bij,bjk->bik", T(2, 3, 4), T(2, 4, 5)),
    pair=lambda: torch.einsum("ij,kj->ki", T(2, 3), T(4, 3)),
    conv1=lambda: F.conv1d(T(1, 3, 8), T(4, 3, 3)),
    image=lambda: F.conv2d(T(6, 8, 8), T(4, 6, 3, 3), padding=1),
    grouped=lambda: F.conv2d(T(2, 6, 8, 8), T(4, 3, 3, 3), groups=2),
    transposed=lambda: F.conv_transpose2d(T(1, 3, 4, 4), T(3, 2, 3, 3)),
    strided=lambda: F.conv_transpose1d(T(1, 4, 4), T(4, 2, 3), stride=2, groups=2),
    solved=lambda: torch.linalg.solve(torch.eye(3), T(3, 2)),
    power=lambda: torch.linalg.matrix_power(T(3, 3), 5),
    chain=lambda: torch.linalg.multi_dot([T(2, 3), T(3, 4), T(4, 5)]),
    spectrum=lambda: torch.fft.fft(T(4)),
    linear=back(lambda: F.linear(P(2, 3, 4), P(5, 4), P(5))),
    bmm=back(lambda: torch.bmm(P(2, 3, 4), P(2, 4, 5))),
    contracted=back(lambda: torch.einsum("bij,bjk->bik", P(2, 3, 4), P(2, 4, 5))),
    embedded=back(lambda: F.embedding(torch.tensor([1]), P(3, 4))),
)
for name, f in CASES.items():
    with FlopCounterMode(display=False) as counted:
        f()
    print(name, counted.get_total_flops())

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Sequential(nn.Linear(8, 2)))
with FlopCounterMode(display=False, depth=3) as counted:
    net(P(5, 4)).sum().backward()
print({k: {str(o): n for o, n in sorted(v.items(), key=str)} for k, v in sorted(counted.get_flop_counts().items())})


@torch.library.custom_op("counted::op", mutates_args=())
def op(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


for target in (torch.ops.counted.op.default, torch.ops.aten.mm):
    try:
        register_flop_formula(target)(lambda x: x)
    except Exception as error:
        print(type(error).__name__, str(error)[:60])
register_flop_formula(torch.ops.counted.op)(lambda *args, **kwargs: 9001)
with FlopCounterMode(display=False) as counted:
    op(torch.ones(3))
print(counted.get_total_flops())


class Quiet(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


layers = dict(
    encoder=(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), P(3, 1, 4)),
    lstm=(nn.LSTM(3, 4), P(5, 2, 3)),
    gru=(nn.GRU(3, 4), P(5, 2, 3)),
    attention=(nn.MultiheadAttention(4, 2), P(3, 1, 4)),
    image=(nn.Conv2d(3, 2, 3), P(3, 8, 8)),
    up=(nn.ConvTranspose2d(3, 2, 3), P(3, 8, 8)),
)
for name, (layer, x) in layers.items():
    every = [x, *layer.parameters()]
    results = []
    for mode in (torch.enable_grad(), Quiet()):
        with mode:
            found = layer(x, x, x) if name == "attention" else layer(x)
            found = found[0] if isinstance(found, tuple) else found
            results.append([found.detach(), *torch.autograd.grad((found * found).sum(), every)])
    print(name, [torch.allclose(a, b, atol=1e-5) for a, b in zip(*results)])
out = torch.zeros(2, 2)
with Quiet():
    torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=out)
print(out)


class Inner(nn.Module):
    def forward(self, x):
        print(sorted(tracker.parents), tracker.is_bw)
        x.register_hook(lambda g: print(sorted(tracker.parents), tracker.is_bw))
        return x * 2


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.rest = Inner(), nn.ModuleList([Inner()])

    def forward(self, x):
        return self.rest[0](self.first(x))


with ModuleTracker() as tracker:
    Outer()(P(2).clone()).sum().backward()
    print(sorted(tracker.parents), tracker.is_bw)


print(torch.Tag.core, repr(torch.Tag.pointwise), int(torch.Tag.view_copy), torch.Tag.__module__)
with torch.library._scoped_library("counted", "FRAGMENT") as lib:
    lib.define("scaled(Tensor w, int x = 2, *, int y = 3, int z) -> Tensor", tags=[torch.Tag.pt2_compliant_tag])
    lib.impl("scaled", lambda w, x=2, *, y=3, z: w * x * y * z, "CPU")

    def rule(info, in_dims, w, x=2, *, y=3, z):
        print(info.batch_size, in_dims[0], x, y, z)
        return w * x * y * z, 0

    torch.library.register_vmap("counted::scaled", rule, lib=lib)
    print(torch.vmap(torch.ops.counted.scaled)(torch.ones(3), z=42))
