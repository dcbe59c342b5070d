"""Products and decompositions of batches of matrices: numpy's, which end at once where there is nothing to compute and can be
interrupted where there is much."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import LONG, apart, batched, dense
from ..arrays.constants import INT64
from ..kernels import kernel, unsuited

NAMES = "cholesky det eig eigh eigvals eigvalsh inv qr slogdet solve svd"
cholesky, det, eig, eigh, eigvals, eigvalsh, inv, qr, slogdet, solve, svd = (
    batched(getattr(np.linalg, name)) for name in NAMES.split()
)
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
