"""LU decompositions in one matrix, and the systems that they solve."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.errors import common_shape
from ...kernels import kernel, unsuited
from ...numerics import batches
from .common import each, lapack

lu_factored = kernel("lu_factored", unsuited)
lu_solved = kernel("lu_solved", unsuited)


def compact(A: Any) -> tuple:
    """LU in one matrix, LAPACK's interchanges counted from 1, and the number of a zero pivot."""
    m, n = A.shape[-2:]
    k = min(m, n)
    if A.size == 0:
        return A.copy(), np.zeros((*A.shape[:-2], k), np.int32), np.zeros(A.shape[:-2], np.int32)
    pivots = np.empty((*A.shape[:-2], k), np.int32)
    lu = lu_factored(np.ascontiguousarray(A), pivots)
    if lu is not None:
        zeros = lu.diagonal(0, -2, -1) == 0
        info = np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0) if zeros.any() else np.zeros(A.shape[:-2])
        return lu, pivots, info.astype(np.int32)
    (getrf,) = lapack("getrf", A)

    def one(x: Any) -> tuple:
        lu, pivots, info = getrf(x)
        return lu, (pivots + 1).astype(np.int32), np.int32(max(info, 0))

    lu, pivots, info = each(one, A)
    return np.ascontiguousarray(lu), pivots, info


def solved(a: Any, b: Any) -> Any:
    """The solution of ``a x = b``; LinAlgError: a is singular."""
    if a.dtype.char in "fd" and a.dtype == b.dtype and b.size:
        lu, pivots, info = compact(a)
        if info.any():
            raise np.linalg.LinAlgError("Singular matrix")
        if a.shape[:-2] != b.shape[:-2]:
            batch = common_shape(b.shape[:-2], a.shape[:-2])
            lu, pivots, b = (np.broadcast_to(x, (*batch, *x.shape[-n:])) for x, n in ((lu, 2), (pivots, 1), (b, 2)))
        found = lu_solved(*map(np.ascontiguousarray, (lu, pivots, b)), False)
        if found is not None:
            return found
    return batches.solve(a, b)


def inverted(a: Any) -> Any:
    """The inverse of square matrices; LinAlgError: a is singular."""
    if a.dtype.char not in "fd":
        return batches.inv(a)
    return solved(a, np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape))
