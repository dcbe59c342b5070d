"""Expressions whose results and gradients have PyTorch's bits, as digests of one thread.

An expression sees x and y of a shape, w and b of as many elements as x has channels, the same numbers everywhere; p is x made
positive, q between 0 and 1, `classes` numbers of columns, z and v complex numbers of the shape, without gradients. Gradients are
those of all others, for a gradient that is not uniform.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .origin import one_thread, write

IMAGES = [(4, 3, 8, 8), (2, 5, 3, 3), (2, 6, 7, 13), (3, 8, 1, 1), (6, 4, 11)]
ROWS = [(32, 8), (5, 17), (6, 12)]
FLAT = [(7,), (64,), (1000,)]
SQUARES = [(7, 7), (33, 33)]
COLUMNS = [(32, 8), (5, 17), (7, 40), (33, 16)]
SHORT = [(1,), (2,), (3,), (5,), (8,), (15,), (33,)]
SIGNALS = [(3, n) for n in (2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15)]
HALVED = [(3, n) for n in (2, 3, 4, 5, 6, 8, 10, 12)]
PRIMES = [(3, n) for n in (17, 19, 23, 29, 31, 37, 41, 43, 47)]
PLANES = [(12, 12), (3, 17), (17, 3), (17, 17), (17, 19)]
MATRICES = [(2, 2), (3, 5), (5, 3), (5, 10), (8, 8)]
GROUPED = [(4, 6, 8, 8), (2, 12, 3, 3), (3, 18, 5), (7, 6)]

POLYNOMIALS = (
    "chebyshev_polynomial_t chebyshev_polynomial_w shifted_chebyshev_polynomial_u hermite_polynomial_h hermite_polynomial_he "
    "laguerre_polynomial_l legendre_polynomial_p"
).split()

CASES: list[tuple[str, list[tuple], str]] = [
    ("F.batch_norm(x, *running, w, b, True, 0.3)", IMAGES + ROWS, "float32"),
    ("F.batch_norm(x, None, None, None, None, True)", IMAGES + ROWS, "float32"),
    ("F.batch_norm(x, *running, w, b)", IMAGES + ROWS, "float32"),
    ("F.batch_norm(last(x), *running, w, b, True)", IMAGES[:3], "float32"),
    ("F.batch_norm(last(x), *running, w, None)", IMAGES[:3], "float32"),
    ("F.instance_norm(x, *running, w, b)", IMAGES[:3], "float32"),
    ("F.group_norm(x, 1, w, b)", GROUPED, "float32"),
    ("F.group_norm(x, 2, w, b)", GROUPED, "float32"),
    ("F.group_norm(x, 3)", GROUPED, "float32"),
    ("F.group_norm(x, 6, w, None)", GROUPED[:-1], "float32"),
    ("torch.add(x, y, alpha=0.3)", FLAT + ROWS, "float32 float64"),
    ("torch.sub(x, y, alpha=0.3)", FLAT + ROWS, "float32 float64"),
    ("torch.rsub(x, 1.1, alpha=0.3)", FLAT, "float32 float64"),
    ("torch.addcmul(x, y, p, value=0.3)", FLAT, "float32 float64"),
    ("torch.linspace(-1.3, 2.7, x.numel(), dtype=x.dtype)", FLAT, "float32 float64 bfloat16 float16"),
    ("torch.arange(0.1, 7.3, 0.17, dtype=x.dtype)", FLAT[:1], "float32 float64 bfloat16 float16"),
    ("F.gelu(x, approximate='tanh')", FLAT[1:2], "float32"),
    ("F.mse_loss(x, y)", FLAT, "float32 float64 bfloat16 float16"),
    ("F.mse_loss(x, y, reduction='none')", FLAT, "float32 float64 bfloat16 float16"),
    ("F.rms_norm(x, (x.shape[-1],), b)", SQUARES, "float32 bfloat16 float16"),
    ("torch.logit(q)", FLAT[:1], "bfloat16"),
    ("torch.xlogy(x, p)", FLAT, "bfloat16"),
    ("torch.special.entr(p)", FLAT, "bfloat16"),
    ("torch.softmax(x, 0)", COLUMNS, "float32"),
    ("torch.log_softmax(x, 0)", COLUMNS, "float32"),
    ("F.cross_entropy(x, classes)", COLUMNS, "float32"),
    ("F.cross_entropy(x, classes, reduction='sum')", COLUMNS, "float32"),
    ("F.cross_entropy(x, classes, label_smoothing=0.1)", COLUMNS, "float32"),
    ("F.nll_loss(x, classes)", COLUMNS, "float32 float64"),
    ("F.nll_loss(x, classes, reduction='sum')", COLUMNS, "float32 float64"),
    ("z * v", SHORT + SQUARES, "float32 float64"),
    ("z / v", SHORT + SQUARES, "float32 float64"),
    ("z * z.conj()", SHORT, "float32 float64"),
    ("z * v[:, None]", MATRICES[1:2], "float32 float64"),
    ("1 / z", SHORT, "float32 float64"),
    ("z.abs()", SHORT, "float32"),
    ("z.sgn()", [(3,), (16,), (64,)], "float32"),
    ("z @ v.mT", MATRICES, "float32"),
    ("torch.bmm(z[None], v.mT[None])", MATRICES, "float32"),
    ("z @ v[0]", MATRICES, "float32"),
    ("torch.linalg.cross(z, v)", [(5, 3)], "float32 float64"),
    ("torch.linalg.cross(x.detach(), y.detach())", [(5, 3)], "float32 float64"),
    *[(f"torch.special.{name}(x.detach(), {n})", FLAT[1:2], "float32") for name in POLYNOMIALS for n in (3, 6)],
    *[
        (f"torch.special.{name}(x.detach() * 2.5)", FLAT[1:2], "float32")
        for name in "i0 i0e i1 i1e modified_bessel_i1".split()
    ],
    ("torch.fft.fft(z)", SIGNALS, "float32"),
    ("torch.fft.fft(z)", [s for s in SIGNALS if s[1] != 8], "float64"),
    ("torch.fft.ifft(z)", SIGNALS, "float32"),
    ("torch.fft.fft(z, norm='ortho')", SIGNALS, "float32"),
    ("torch.fft.rfft(x.detach())", HALVED, "float32"),
    ("torch.fft.irfft(torch.fft.rfft(x.detach()), x.shape[1], norm='forward')", HALVED, "float32"),
    ("torch.fft.fft(z)", PRIMES, "float32 float64"),
    ("torch.fft.ifft(z, norm='ortho')", PRIMES, "float32"),
    ("torch.fft.rfft(x.detach())", PRIMES, "float32 float64"),
    ("torch.fft.irfft(torch.fft.rfft(x.detach()), x.shape[1])", PRIMES, "float32 float64"),
    ("torch.fft.ifft2(z)", PLANES, "float32"),
    ("torch.fft.fft2(z, norm='ortho')", PLANES, "float32"),
    ("torch.fft.rfft2(x.detach(), norm='forward')", PLANES, "float32"),
    ("F.rrelu(x.detach(), 0.2, 0.3, True)", FLAT, "float32"),
]


def numbers(n: int, seed: int) -> np.ndarray:
    """Numbers between -3 and 3 with many bits, made of integers alone."""
    k = np.arange(n, dtype=np.int64) + 1000 * seed
    return ((k * 2654435761 + k * k * 40503) % 1000003).astype(np.float64) / 166667.5 - 3.0


def tensors(torch: Any, shape: tuple, kind: str) -> dict[str, Any]:
    """The names of an expression."""
    dtype = getattr(torch, kind)
    channels = shape[1] if len(shape) > 1 else shape[0]
    n = int(np.prod(shape))
    made = {"x": (numbers(n, 1), shape), "y": (numbers(n, 2), shape), "w": (numbers(channels, 3), (channels,))}
    made |= {"b": (numbers(channels, 4), (channels,)), "p": (np.abs(numbers(n, 5)) + 0.01, shape)}
    made["q"] = ((numbers(n, 6) + 3.1) / 6.2, shape)
    found = {
        name: torch.tensor(a.tolist(), dtype=torch.float64).reshape(s).to(dtype).requires_grad_()
        for name, (a, s) in made.items()
    }
    found["running"] = [torch.linspace(-0.5, 0.5, channels, dtype=dtype), torch.linspace(0.5, 2, channels, dtype=dtype)]
    if kind in ("float32", "float64"):
        found["z"] = torch.complex(found["x"], found["y"]).detach()
        found["v"] = torch.complex(found["y"], found["q"]).detach()
    if len(shape) == 2:
        found["classes"] = torch.arange(shape[0]) % shape[1]
    found["last"] = lambda t: t.contiguous(memory_format=torch.channels_last)
    return found | {"torch": torch, "F": torch.nn.functional}


def digest(torch: Any, expression: str, shape: tuple, kind: str) -> str:
    """A digest of the bits of what an expression gives, of the gradients and of the running statistics."""
    torch.manual_seed(0)
    names = tensors(torch, shape, kind)
    result = eval(expression, names)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    grown = [r for r in results if r.requires_grad]
    if grown:
        r = grown[0]
        g = torch.tensor(numbers(r.numel(), 7).tolist(), dtype=torch.float64).reshape(r.shape).to(r.dtype)
        grown[0].backward(names["last"](g) if "last(" in expression else g)
    leaves = [names[name].grad for name in ("x", "y", "w", "b", "p", "q")]
    sha = hashlib.sha256()
    for t in [*results, *[g for g in leaves if g is not None], *names["running"]]:
        t = torch.view_as_real(t.detach().resolve_conj()) if t.is_complex() else t.detach()
        sha.update(f"{t.dtype}{tuple(t.shape)}".encode())
        sha.update(np.ascontiguousarray((t.double() if t.dtype.is_floating_point else t).numpy() + 0).tobytes())
    return sha.hexdigest()[:16]


def keys() -> Iterator[tuple[str, str, tuple, str]]:
    for expression, shapes, kinds in CASES:
        for kind in kinds.split():
            for shape in shapes:
                yield f"{expression} {shape} {kind}", expression, shape, kind


def record() -> None:
    import torch

    one_thread()
    write("bits", "bits", [[key, digest(torch, *rest)] for key, *rest in keys()])
