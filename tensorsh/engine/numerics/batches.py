"""Products and decompositions of batches of matrices: numpy's, which end at once where there is nothing to compute and can be
interrupted where there is much."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import LONG, apart, batched, dense
from ..arrays.constants import INT64
from ..kernels import kernel, unsuited

NAMES = "cholesky det eig eigh eigvals eigvalsh inv qr slogdet solve svd"
cholesky, det, eig, eigh_of_batches, eigvals, eigvalsh_of_batches, inv, qr, slogdet, solve, svd_of_batches = (
    batched(getattr(np.linalg, name)) for name in NAMES.split()
)
FEW = 32
INNER: Any = getattr(np.linalg, "_umath_linalg", None)
"""numpy's calls of LAPACK. Around one of a small matrix numpy's own checks take three times as long as it does."""


def inner(name: str) -> Any:
    return getattr(INNER, name, None)


def direct(call: Any, a: Any) -> Any:
    """The results of an inner call for one small real matrix; None where there is no such call, or it fails, which shows as NaN."""
    if (
        call is None
        or type(a) is not np.ndarray
        or a.ndim != 2
        or a.dtype.char not in "fd"
        or not 0 < a.size <= FEW * FEW
    ):
        return None
    try:
        found = call(a)
    except (FloatingPointError, TypeError):
        return None
    values = found if type(found) is np.ndarray else found[len(found) // 2 if len(found) == 3 else 0]
    return found if values[0] == values[0] else None


EIGH = {"L": inner("eigh_lo"), "U": inner("eigh_up")}
EIGVALSH = {"L": inner("eigvalsh_lo"), "U": inner("eigvalsh_up")}
SVD = {True: inner("svd_f"), False: inner("svd_s"), None: inner("svd")}


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
    multiply = np.dot if a.ndim <= 2 >= b.ndim else np.matmul  # where strides are odd, dot makes copies that BLAS takes
    work = a.size * b.shape[-1] if b.ndim > 1 else a.size
    return multiply(a, b) if work < LONG else apart(multiply, dense(a), dense(b))
