# ruff: noqa
"""Functions that are given their ``out=``; complex numbers that are close, or infinite; histograms of nothing."""

import torch

inf, nan = float("inf"), float("nan")
T = torch.tensor


def t(name, f):
    try:
        print(name, repr(f()).replace("\n", " "))
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


def out(function, *args):
    given = torch.zeros((2, 3), dtype=torch.int64 if function in (torch.randperm, torch.arange) else torch.float32).t()
    function(*args, out=given)
    return given.shape, given.stride()


for n in (4, 6):
    for function, args in (
        (torch.randperm, (n,)), (torch.arange, (n,)), (torch.linspace, (0, 1, n)), (torch.logspace, (0, 1, n)),
        (torch.rand, (n,)), (torch.randn, (n,)), (torch.randint, (5, (n,))), (torch.range, (1, n)), (torch.zeros, (n,)),
        (torch.full, ((n,), 1.0)), (torch.eye, (n,)),
    ):  # fmt: skip
        t(function.__name__, lambda: out(function, *args))
t("layout", lambda: torch.zeros((3, 4), layout=torch.sparse_coo, out=torch.zeros(3, 4)))
t("layout", lambda: torch.zeros((3, 4), layout=torch.strided, out=torch.zeros(3, 4)).shape)
t("dtype", lambda: torch.zeros((3, 4), dtype=torch.int64, out=torch.zeros(3, 4)))
t("device", lambda: torch.zeros((3, 4), device="meta", out=torch.zeros(3, 4)))
t("device", lambda: torch.full((3, 4), 2.0, device="cpu", out=torch.zeros(3, 4)).sum())

# Complex numbers.
for dtype in (torch.complex64, torch.complex128):
    for a, b in (
        (complex(1, 1), complex(1, 1 + 1e-8)), (complex(1, nan), complex(1, nan)), (complex(inf, 1), complex(1, inf)),
        (complex(-inf, 1), complex(inf, 1)), (complex(inf, 1), complex(inf, 1)), (complex(inf, 1), complex(inf, 1.1)),
        (complex(inf, nan), complex(inf, nan)), (complex(1, inf), complex(2, inf)),
    ):  # fmt: skip
        print(*[torch.isclose(T([a], dtype=dtype), T([b], dtype=dtype), equal_nan=e).item() for e in (False, True)])
    for a, b in (
        (0, 1j), (0, complex(0, 1 + 1e-6)), (complex(-(2**0.5), 2**0.5), complex(-(0.5**0.5), 0.5**0.5)),
        (2 + 4j, 1 + 8.8523607j), (2 + 4j, 1 + 8.8523617j), (1 + 99j, 4 + 100j),
    ):  # fmt: skip
        print(torch.isclose(T([a], dtype=dtype), T([b], dtype=dtype), atol=0.5, rtol=0.5).item())
    x = T([-inf + 4j, -inf + 1j, 1.2 + 2.1j, 1e10 + 1e20j, inf + 0j, inf + 1j, inf + 3j, nan + 2j], dtype=dtype)
    t("logcumsumexp", lambda: torch.logcumsumexp(x, 0))
    t("logcumsumexp", lambda: torch.logcumsumexp(x[[4, 1, 5, 0, 2]], 0))
    t("logcumsumexp", lambda: torch.logcumsumexp(x[[2, 0, 2, 2]], 0))

# Sums of long rows.
x = torch.zeros(3, 400000)
t("logsumexp", lambda: x.logsumexp(1))
t("logsumexp", lambda: x.double().logsumexp((1,), keepdim=True))
t("logsumexp", lambda: x.T.logsumexp(0))

# Histograms.
one, other = T(1.0), T(1.0, dtype=torch.float64)
t("hist", lambda: torch.histogram(one, 1, out=(other, one)))
t("bin_edges", lambda: torch.histogram(one, 1, out=(one, other)))
for shape in ((7, 0, 3), (5, 0)):
    n = shape[-1]
    for bins in ([2] * n, 2, [torch.arange(3.0)] * n):
        t("histogramdd", lambda: torch.histogramdd(torch.ones(shape), bins))
    t("histogramdd", lambda: torch.histogramdd(torch.ones(shape), [2] * n, range=[0.0, 1.0] * n))
    t("histogramdd", lambda: torch.histogramdd(torch.ones(shape), [2] * n, density=True))

# Complex numbers where the default is another.
for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
    torch.set_default_dtype(kind)
    t("full", lambda: (torch.full((2,), 1 + 1j).dtype, torch.full((2,), 1.0).dtype))
torch.set_default_dtype(torch.float32)
