"""Linear algebra by cuSOLVER, through cupy's functions.

What cuSOLVER reports of a failure (a pivot that is zero, no convergence) is asked for, which waits for the device, as PyTorch's
checks do. A call that fails, or that PyTorch refuses, is given to the CPU's kernel: it knows the flags and the words.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ...sandbox.wrapping import wraps
from ..ops.linalg.inverse import is_vector

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


KERNELS: dict[str, Callable] = {
    "linalg.inv_ex": inv_ex, "linalg.det": det, "linalg.slogdet": slogdet, "linalg.solve_ex": solve_ex,
    "linalg.solve_triangular": solve_triangular, "linalg.cholesky_ex": cholesky_ex, "cholesky": cholesky, "linalg.qr": qr,
    "linalg.eigh": eigh, "linalg.svd": svd, "_linalg_svdvals": singular_values,
}  # fmt: skip
"""By the operator's name: a function with the parameters of its kernel, which gives None for what the CPU is to do."""
