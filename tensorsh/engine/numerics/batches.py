"""Products and decompositions of batches of matrices: numpy's, which end at once where there is nothing to compute and can be
interrupted where there is much."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import LONG, apart, batched, dense
from ..arrays.constants import INT64
from ..kernels import kernel, unsuited

NAMES = "cholesky det eig eigh eigvals eigvalsh inv qr slogdet solve svd"
(
    cholesky, det, eig_of_batches, eigh_of_batches, eigvals_of_batches, eigvalsh_of_batches, inv_of_batches, qr,
    slogdet, solve_of_batches, svd_of_batches,
) = (batched(getattr(np.linalg, name)) for name in NAMES.split())  # fmt: skip
FEW = 32
INNER: Any = getattr(np.linalg, "_umath_linalg", None)
"""numpy's calls of LAPACK. Around one of a small matrix numpy's own checks take three times as long as it does, and of float32 numpy
makes float64 before, which takes twice as long as PyTorch's and this call in float32."""


def inner(name: str) -> Any:
    """A call for one small matrix, and for any; None where there is none."""
    call = getattr(INNER, name, None)
    return None if call is None else (call, batched(call))


def direct(calls: Any, *matrices: Any, **options: Any) -> Any:
    """The results of an inner call for real matrices; None where there is no such call, or it fails, which shows as NaN."""
    if calls is None:
        return None
    small = True
    for a in matrices:
        if type(a) is not np.ndarray or a.ndim < 2 or a.dtype.char not in "fd" or not a.size:
            return None
        small = small and a.ndim == 2 and a.size <= FEW * FEW
    try:
        found = (calls[0] if small else calls[1])(*matrices, **options)
    except (FloatingPointError, TypeError, ValueError):
        return None
    values = found if type(found) is np.ndarray else found[len(found) // 2 if len(found) == 3 else 0]
    if small:
        first = values.item(0)
        return found if first == first else None
    return None if np.isnan(values).any() else found


INV, SOLVE = inner("inv"), inner("solve")


def inv(a: Any) -> Any:
    found = direct(INV, a, signature="d->d")
    return inv_of_batches(a) if found is None else found.astype(a.dtype, copy=False)


def solve(a: Any, b: Any) -> Any:
    found = direct(SOLVE, a, b, signature="dd->d") if a.dtype is b.dtype else None
    return solve_of_batches(a, b) if found is None else found.astype(a.dtype, copy=False)


EIG, EIGVALS = inner("eig"), inner("eigvals")
EIGH = {"L": inner("eigh_lo"), "U": inner("eigh_up")}
EIGVALSH = {"L": inner("eigvalsh_lo"), "U": inner("eigvalsh_up")}
SVD = {True: inner("svd_f"), False: inner("svd_s"), None: inner("svd")}


def eig(a: Any) -> Any:
    return direct(EIG, a) or eig_of_batches(a)


def eigvals(a: Any) -> Any:
    found = direct(EIGVALS, a)
    return eigvals_of_batches(a) if found is None else found


def eigh(a: Any, UPLO: str = "L") -> Any:
    return direct(EIGH.get(UPLO), a) or eigh_of_batches(a, UPLO)


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    found = direct(EIGVALSH.get(UPLO), a)
    return eigvalsh_of_batches(a, UPLO) if found is None else found


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    found = direct(SVD.get(bool(full_matrices) if compute_uv else None), a)
    return svd_of_batches(a, full_matrices, compute_uv) if found is None else found


products: Any = batched(np.matmul)
whole_product: Any = kernel("whole_product", unsuited)
"""The product of two matrices of int64, or of two batches of them; None for what is not for it."""


PLAIN = 400
"""A batch of one product of fewer multiplications than these PyTorch adds up from zero, as it does in larger batches."""


def outer(a: Any, b: Any) -> bool:
    """Whether a product of float matrices is one of columns by rows, each of several numbers."""
    column_by_row = a.shape[-1] == 1 == b.shape[-2] and a.shape[-2] > 1 < b.shape[-1]
    return type(a) is type(b) is np.ndarray and column_by_row and a.dtype.kind == "f"


def matmul(a: Any, b: Any) -> Any:
    """``a @ b`` for arrays of at least one dimension."""
    if type(a) is not np.ndarray:
        return a @ b
    if not (a.size and b.size) and a.ndim > 1 and b.ndim > 1:
        return products(a, b)
    if (
        a.dtype is INT64 is b.dtype
        and (found := whole_product(np.ascontiguousarray(a), np.ascontiguousarray(b))) is not None
    ):
        return found
    if 1 < a.ndim == b.ndim < 4 and outer(a, b) and (a.ndim == 2 or len(a) == 1 and b.size * a.shape[-2] >= PLAIN):
        return np.multiply(a, b)
    multiply = np.dot if a.ndim <= 2 >= b.ndim else np.matmul  # where strides are odd, dot makes copies that BLAS takes
    work = a.size * b.shape[-1] if b.ndim > 1 else a.size
    return multiply(a, b) if work < LONG else apart(multiply, dense(a), dense(b))
