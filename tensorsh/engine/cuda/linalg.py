"""Linear algebra by cuSOLVER, through cupy's functions.

What cuSOLVER reports of a failure (a pivot that is zero, no convergence) is asked for, which waits for the device, as PyTorch's
checks do. A call that fails, or that PyTorch refuses, is given to the CPU's kernel: it knows the flags and the words.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...sandbox.wrapping import wraps
from ..ops.linalg.inverse import is_vector
from .kernels import Elementwise

KINDS = frozenset("fdFD")


def asked(kernel: Callable) -> Callable:
    """A kernel that gives None where cuSOLVER reports a failure."""

    @wraps(kernel)
    def run(*args: Any, **options: Any) -> Any:
        try:
            with importlib.import_module("cupyx").errstate(linalg="raise"):
                return kernel(*args, **options)
        except np.linalg.LinAlgError:
            return None

    return run


def matrices(*arrays: Any) -> bool:
    """Whether they are matrices of one dtype that cuSOLVER knows."""
    kinds = {a.dtype.char for a in arrays}
    return len(kinds) == 1 and kinds <= KINDS and all(a.ndim > 1 and a.size for a in arrays)


def square(a: Any) -> bool:
    return matrices(a) and a.shape[-1] == a.shape[-2]


def finite(xp: Any, a: Any) -> bool:
    return bool(xp.isfinite(a).all().item())


def turned(x: Any) -> Any:
    """The conjugate transpose."""
    return x.swapaxes(-1, -2).conj() if x.dtype.kind == "c" else x.swapaxes(-1, -2)


def codes(xp: Any, a: Any) -> Any:
    return xp.zeros(a.shape[:-2], np.int32)


@asked
def inv_ex(xp: Any, A: Any, *, check_errors: bool = False) -> Any:
    return (xp.linalg.inv(A), codes(xp, A)) if square(A) else None


@asked
def det(xp: Any, A: Any) -> Any:
    return xp.asarray(xp.linalg.det(A)) if square(A) else None


@asked
def slogdet(xp: Any, A: Any) -> Any:
    return tuple(xp.linalg.slogdet(A)) if square(A) else None


def system(xp: Any, a: Any, b: Any) -> Any:
    """Matrices of equations and right sides with the same batches; None where they do not fit."""
    if not square(a) or not matrices(a, b) or a.shape[-1] != b.shape[-2]:
        return None
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        return None
    return xp.broadcast_to(a, batch + a.shape[-2:]), xp.broadcast_to(b, batch + b.shape[-2:])


@asked
def solve_ex(xp: Any, A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    if not square(A) or B.dtype != A.dtype or not B.ndim:
        return None
    vector = is_vector(A, B)
    if vector and not left:
        return None
    b = B[..., None] if vector else B
    pair = system(xp, *((A, b) if left else (A.swapaxes(-1, -2), b.swapaxes(-1, -2))))
    if pair is None:
        return None
    found = xp.linalg.solve(*pair)
    info = codes(xp, found)
    return found[..., 0] if vector else found if left else xp.ascontiguousarray(found.swapaxes(-1, -2)), info


@asked
def solve_triangular(xp: Any, A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    pair = system(xp, *((A, B) if left else (A.swapaxes(-1, -2), B.swapaxes(-1, -2)))) if B.ndim > 1 else None
    if pair is None:
        return None
    solve = importlib.import_module("cupyx.scipy.linalg").solve_triangular
    lower = upper is not left  # the transposed of an upper triangle is a lower one
    found = solve(*pair, lower=lower, unit_diagonal=bool(unitriangular))
    return found if left else xp.ascontiguousarray(found.swapaxes(-1, -2))


def factor(xp: Any, A: Any, upper: bool) -> Any:
    found = xp.linalg.cholesky(xp.ascontiguousarray(turned(A)) if upper else A)
    return xp.ascontiguousarray(turned(found)) if upper else found


@asked
def cholesky_ex(xp: Any, A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    return (factor(xp, A, upper), codes(xp, A)) if square(A) else None


@asked
def cholesky(xp: Any, input: Any, upper: bool = False) -> Any:
    return factor(xp, input, upper) if square(input) else None


@asked
def qr(xp: Any, A: Any, mode: str = "reduced") -> Any:
    if not matrices(A) or mode not in ("reduced", "complete", "r"):
        return None
    return (xp.zeros((0,), A.dtype), xp.linalg.qr(A, "r")) if mode == "r" else tuple(xp.linalg.qr(A, mode))


@asked
def eigh(xp: Any, A: Any, UPLO: str = "L") -> Any:
    fits = square(A) and UPLO in ("L", "U", "l", "u") and finite(xp, A)
    return tuple(xp.linalg.eigh(A, UPLO.upper())) if fits else None


@asked
def svd(xp: Any, A: Any, full_matrices: bool = True, *, driver: Any = None) -> Any:
    fits = matrices(A) and driver in (None, "gesvd", "gesvdj", "gesvda") and finite(xp, A)
    return tuple(xp.linalg.svd(A, bool(full_matrices))) if fits else None


@asked
def singular_values(xp: Any, A: Any) -> Any:
    return xp.linalg.svd(A, compute_uv=False) if matrices(A) and finite(xp, A) else None


def bound_of(xp: Any, atol: Any, rtol: Any, values: Any, shape: tuple) -> Any:
    """The bound up to which singular values count as zero, as `ops/linalg/svd.py` finds it for numbers."""
    if rtol is None:
        rtol = 0.0 if atol is not None and atol > 0 else float(np.finfo(values.dtype).eps) * max(shape[-2:])
    return xp.maximum(values.max(-1, keepdims=True) * rtol, 0.0 if atol is None else float(atol))


def inverted(xp: Any, values: Any, kept: Any) -> Any:
    """One over what is kept, zero for the rest."""
    return xp.where(kept, 1 / xp.where(kept, values, 1), 0).astype(values.dtype)


@asked
def pinv(xp: Any, A: Any, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    plain = all(x is None or isinstance(x, (int, float)) for x in (atol, rtol))
    if not plain or not (square(A) if hermitian else matrices(A)) or not finite(xp, A):
        return None
    if hermitian:
        values, vectors = xp.linalg.eigh(A)
        kept = abs(values) > bound_of(xp, atol, rtol, abs(values), A.shape)
        return (vectors * inverted(xp, values, kept)[..., None, :]) @ turned(vectors)
    u, s, vh = xp.linalg.svd(A, False)
    inverse = inverted(xp, s, s > bound_of(xp, atol, rtol, s, A.shape))
    return (turned(vh) * inverse[..., None, :]) @ turned(u)


@asked
def lstsq(xp: Any, input: Any, b: Any, rcond: Any = None, driver: Any = None) -> Any:
    """By singular values, whatever the driver is called, as on the CPU."""
    if not matrices(input, b) or not finite(xp, input):
        return None
    batch = np.broadcast_shapes(input.shape[:-2], b.shape[:-2])
    a = xp.broadcast_to(input, batch + input.shape[-2:])
    b = xp.broadcast_to(b, batch + b.shape[-2:])
    m, n = a.shape[-2:]
    u, s, vh = xp.linalg.svd(xp.ascontiguousarray(a), False)
    eps = float(np.finfo(s.dtype).eps) * max(m, n) if rcond is None else float(rcond)
    ranked, valued = driver != "gels", driver in ("gelsd", "gelss")
    kept = s > s[..., :1] * eps if ranked else s > 0
    solution = turned(vh) @ (inverted(xp, s, kept)[..., None] * (turned(u) @ b))
    rank = xp.asarray(kept.sum(-1)).astype(np.int64)
    residuals = xp.zeros((0,), s.dtype)
    if m > n and driver != "gelsy" and (not ranked or bool((rank == n).all().item())):
        residuals = (abs(a @ solution - b) ** 2).sum(-2)
    return solution, residuals, rank if ranked else xp.zeros((0,), np.int64), s if valued else xp.zeros((0,), s.dtype)


@asked
def eig(xp: Any, A: Any) -> Any:
    if not square(A) or not finite(xp, A):
        return None
    try:
        values, vectors = xp.linalg.eig(xp.ascontiguousarray(A))
    except RuntimeError:  # cuSOLVER has it from CUDA 12.6 on
        return None
    kind = np.result_type(A.dtype, np.complex64)
    return values.astype(kind), vectors.astype(kind)


ACROSS = Elementwise("T a, T b, T c, T d", "T y", "y = fma(a, d, -(b * c))", "tensorsh_across")
"""``a d - b c``, the first product with one rounding."""


def cross(xp: Any, input: Any, other: Any, *, dim: int = -1) -> Any:
    """Of vectors of three elements, which the operator's check has seen."""
    a, b = (xp.moveaxis(x, dim, 0) for x in (input, other))
    across = ACROSS if input.dtype.kind == "f" else lambda p, q, r, s: p * s - q * r
    found = xp.stack([across(a[i], a[j], b[i], b[j]) for i, j in ((1, 2), (2, 0), (0, 1))])
    return xp.ascontiguousarray(xp.moveaxis(found, 0, dim))


def compact(xp: Any, A: Any) -> tuple:
    """LU in one matrix, the interchanges of rows, and 0 or the number of the first zero pivot, a matrix at a time."""
    factor = importlib.import_module("cupyx.scipy.linalg").lu_factor
    flat = xp.ascontiguousarray(A).reshape((-1, *A.shape[-2:]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zero pivots, which are looked for below
        found = [factor(flat[i]) for i in range(len(flat))]
    batch, k = A.shape[:-2], min(A.shape[-2:])
    LU = xp.stack([lu for lu, _ in found]).reshape(A.shape)
    pivots = xp.stack([p for _, p in found]).astype(np.int32).reshape((*batch, k)) + np.int32(1)
    zero = xp.diagonal(LU, 0, -2, -1) == 0
    info = xp.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(np.int32)
    return LU, pivots, info


@asked
def lu_factor_ex(xp: Any, A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    if not matrices(A) or not pivot or check_errors:
        return None
    return compact(xp, A)


def parts(xp: Any, LU: Any) -> tuple:
    """L and U of the compact form."""
    m, n = LU.shape[-2:]
    k = min(m, n)
    return xp.tril(LU[..., :, :k], -1) + xp.eye(m, k, dtype=LU.dtype), xp.triu(LU[..., :k, :])


KERNELS: dict[str, Callable] = {
    "linalg.inv_ex": inv_ex, "linalg.det": det, "linalg.slogdet": slogdet, "linalg.solve_ex": solve_ex,
    "linalg.solve_triangular": solve_triangular, "linalg.cholesky_ex": cholesky_ex, "cholesky": cholesky, "linalg.qr": qr,
    "linalg.eigh": eigh, "linalg.svd": svd, "_linalg_svdvals": singular_values,
    "_linalg_pinv": pinv, "_linalg_lstsq": lstsq, "linalg.eig": eig, "linalg.lu_factor_ex": lu_factor_ex,
    "linalg.cross": cross,
}  # fmt: skip
"""By the operator's name: a function with the parameters of its kernel, which gives None for what the CPU is to do."""
