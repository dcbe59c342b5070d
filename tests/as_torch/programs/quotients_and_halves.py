# ruff: noqa
"""Quotients of half types rounded step by step, complex numbers of half precision, promotion that is refused, parts of nothing."""

import warnings

import numpy as np
import torch


def told(f):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            print(f())
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
    for each in heard:
        print("   ", each.category.__name__, str(each.message).split(" (Triggered")[0])


torch.manual_seed(0)
for dtype in (torch.bfloat16, torch.float16):
    a, b = (torch.rand(400) * 20 - 10).to(dtype), (torch.rand(400) * 4 - 2).to(dtype)
    b[::50] = 0
    for mode in ("trunc", "floor"):
        for other in (b, b[7], b[7:8], 1.7, -3):
            print(dtype, mode, torch.div(a, other, rounding_mode=mode).nan_to_num(9).double().tolist()[::7])
    print((a // b).nan_to_num(9).tolist()[::7], (7.3 // a).tolist()[::7], torch.floor_divide(a[0], b[1]))
    print(a.clone().floor_divide_(b[3]).tolist()[::11], torch.div(a[0], b[1], rounding_mode="floor"))

warnings.simplefilter("ignore")
c, h = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex32), torch.tensor([1.0, 2.0], dtype=torch.half)
f = h.float()
for other in (h, f, f.double(), f.bfloat16(), f.long(), f.cfloat(), c, f[0], f.cfloat()[0], h[0], 2, 2.5, 1j):
    print(
        (c + other).dtype,
        (other * c).dtype,
        (c - other).dtype,
        torch.result_type(c, other),
        torch.result_type(h, other),
    )
for made in (
    torch.cat([c, c]),
    torch.cat([c, h]),
    torch.cat([h, c]),
    torch.cat([c, f]),
    torch.cat([f.cfloat(), c]),
    torch.stack([c, c]),
    torch.stack([c, h]),
    torch.complex(h, h),
    torch.complex(f, f),
    torch.where(h == 1, c, h),
    c.abs(),
    c.norm(),
    torch.linalg.vector_norm(c, 1),
    torch.linalg.norm(c, float("inf")),
):
    print(made.dtype, made.cfloat().tolist() if made.is_complex() else made.tolist())

eights = [getattr(torch, n) for n in "float8_e4m3fn float8_e5m2 float32 uint16 bool int64 complex64".split()]
for one in eights[:2]:
    for two in eights:
        told(lambda: torch.promote_types(one, two))
        told(lambda: torch.promote_types(two, one))

whole = torch.tensor([1, 2])
for array in (np.array([3, 4]), np.array([3, 4], np.int8), np.array([3.0, 4.0], np.float32), np.array(3)):
    print((whole / array).dtype, (whole.int() / array).dtype, (array / whole).dtype, (whole * array).dtype)

x = torch.zeros(2, 3, 4, 5)
for part in (x[:, 0:0], x[:, :, :, 0:0], x[0:0, :, 0:0], x[:0].transpose(0, 1), x[0:0].clone(), x.unfold(0, 1, 1)[0:0]):
    print(part.shape, part.stride(), part.is_contiguous())
told(lambda: torch.arange(3, out=torch.empty(2, 2)))
told(lambda: torch.arange(4, out=torch.empty(2, 2)))
told(lambda: torch.fft.fftfreq(3, out=torch.empty(())))
told(lambda: torch.linspace(0, 1, 3, out=torch.empty(2, 2)))
told(lambda: torch.full((3,), 1.0, out=torch.empty(2)))
told(lambda: torch.eye(3, out=torch.empty(2)))
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
    for low, high in ((0, 2**8 + 2), (-(2**24) - 1, 2**24 + 2), (0, 2**54)):
        told(lambda: torch.empty(2, dtype=dtype).random_(low, high).shape)
for shape in ((0,), (2, 0), (0, 3)):
    told(lambda: torch.cumulative_trapezoid(torch.ones(shape), dim=0 if shape[0] == 0 else 1).shape)
    told(lambda: torch.cumulative_trapezoid(torch.ones(shape), torch.ones(shape), dim=0 if shape[0] == 0 else 1).shape)
small = torch.tensor([0, 3], dtype=torch.uint8).to_sparse()
print((small - small).to_dense(), torch.sub(small, small, alpha=2).to_dense())

inf, nan = float("inf"), float("nan")
parts = [complex(a, b) for a in (inf, -inf, 0.0, 1.0, nan) for b in (0.0, 1.0, inf, nan, -2.0)]
left = torch.tensor([a for a in parts for _ in parts], dtype=torch.complex128)
right = torch.tensor([b for _ in parts for b in parts], dtype=torch.complex128)
sums = torch.view_as_real(torch.logaddexp(left, right)).abs().mul(1000).round()
print(sums.tolist())

# Of no whole numbers none is divided by zero.
for kind in (torch.int64, torch.uint8):
    none, zeros = torch.empty(0, 2, dtype=kind), torch.zeros(2, dtype=kind)
    for found in (
        none % 0,
        none // 0,
        none % zeros,
        torch.fmod(none, zeros),
        torch.div(none, 0, rounding_mode="trunc"),
    ):
        print(found)
print(torch.ones((), dtype=torch.int64) % torch.empty(0, dtype=torch.int64), 0 // torch.empty(0, dtype=torch.int64))
