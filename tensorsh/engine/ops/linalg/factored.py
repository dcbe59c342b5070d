"""LU decompositions in one matrix, and the systems that they solve."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels import kernel, unsuited
from ...numerics import batches
from .common import each, lapack

lu_factored = kernel("lu_factored", unsuited)
lu_solved = kernel("lu_solved", unsuited)
SMALL = 32
"""Rows of a system up to which numpy's call of LAPACK for all of it is the fastest."""


def compact(A: Any) -> tuple:
    """LU in one matrix, LAPACK's interchanges counted from 1, and the number of a zero pivot."""
    m, n = A.shape[-2:]
    k = min(m, n)
    if A.size == 0:
        return A.copy(), np.zeros((*A.shape[:-2], k), np.int32), np.zeros(A.shape[:-2], np.int32)
    pivots = np.empty((*A.shape[:-2], k), np.int32)
    lu = lu_factored(np.ascontiguousarray(A), pivots)
    if lu is not None:
        return lu, pivots, np.zeros(A.shape[:-2], np.int32)
    (getrf,) = lapack("getrf", A)

    def one(x: Any) -> tuple:
        lu, pivots, info = getrf(x)
        return lu, (pivots + 1).astype(np.int32), np.int32(max(info, 0))

    lu, pivots, info = each(one, A)
    return np.ascontiguousarray(lu), pivots, info


def solved(a: Any, b: Any) -> Any:
    """The solution of ``a x = b``; LinAlgError: a is singular."""
    if a.dtype.char in "fd" and a.dtype == b.dtype and a.shape[-1] > SMALL and a.shape[:-2] == b.shape[:-2] and b.size:
        lu, pivots, info = compact(a)
        found = None if info.any() else lu_solved(lu, pivots, np.ascontiguousarray(b), False)
        if found is not None:
            return found
    return batches.solve(a, b)


def inverted(a: Any) -> Any:
    """The inverse of square matrices; LinAlgError: a is singular."""
    if a.dtype.char in "fd" and a.shape[-1] > SMALL:
        return solved(a, np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape))
    return batches.inv(a)
