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
        if not np.count_nonzero(zeros):
            return lu, pivots, np.zeros(A.shape[:-2], np.int32)
        return lu, pivots, np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0).astype(np.int32)
    (getrf,) = lapack("getrf", A)

    def one(x: Any) -> tuple:
        lu, pivots, info = getrf(x)
        return lu, (pivots + 1).astype(np.int32), np.asarray(max(info, 0), np.int32)

    return one(A) if A.ndim == 2 else each(one, A)  # one in columns, as the result is to lie


def solved(a: Any, b: Any) -> Any:
    """The solution of ``a x = b``; LinAlgError: a is singular."""
    if a.dtype.char in "fd" and a.dtype == b.dtype and b.size:
        lu, pivots, info = compact(a)
        if info.any():
            raise np.linalg.LinAlgError("Singular matrix")
        if a.shape[:-2] != b.shape[:-2]:
            batch = common_shape(b.shape[:-2], a.shape[:-2])
            lu, pivots, b = (np.broadcast_to(x, (*batch, *x.shape[-n:])) for x, n in ((lu, 2), (pivots, 1), (b, 2)))
        if (found := lu_solved(*map(np.ascontiguousarray, (lu, pivots, b)), False)) is not None:
            return found
    return batches.solve(a, b)


def inverted(a: Any) -> Any:
    """The inverse of square matrices; LinAlgError: a is singular."""
    if a.dtype.char not in "fd":
        return batches.inv(a)
    return solved(a, np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape))


def pivoted(a: Any) -> tuple | None:
    """The diagonals of real matrices' upper triangles, and the signs that interchanges of rows give; of what lies
    row by row the transpose is decomposed, as PyTorch does."""
    if a.dtype.char not in "fd" or a.size == 0:
        return None
    lu, pivots, _ = compact(a.swapaxes(-1, -2) if a.flags.c_contiguous else a)
    return lu.diagonal(0, -2, -1), parity(pivots - 1)


def parity(pivots: Any) -> Any:
    """The sign of the permutations that interchanges (counted from 0) make."""
    swapped = np.count_nonzero(pivots != np.arange(pivots.shape[-1]), -1)
    return np.asarray(1 - 2 * (swapped % 2), float)


def determinant(a: Any) -> Any:
    found = pivoted(a)
    if found is None:
        return batches.det(a)
    with np.errstate(all="ignore"):
        return np.asarray(found[0].prod(-1) * found[1], a.dtype)


def signed_logarithm(a: Any) -> tuple:
    """The signs of determinants, and the logarithms of their sizes."""
    found = pivoted(a)
    if found is None:
        return tuple(batches.slogdet(a))
    diagonal, sign = found
    with np.errstate(all="ignore"):
        logarithm = np.log(np.abs(diagonal.astype(float))).sum(-1)
    return np.asarray(np.sign(diagonal).prod(-1) * sign, a.dtype), np.asarray(logarithm, a.dtype)


def cholesky(a: Any) -> Any:
    """The lower factors; LinAlgError: a matrix has none."""
    if a.dtype.char not in "fd" or a.size == 0:
        return batches.cholesky(a)
    try:
        functions = lapack("potrf", a)
    except ModuleNotFoundError:
        return batches.cholesky(a)

    def one(x: Any) -> Any:
        factor, info = functions[0](x, lower=1, clean=1)
        if info:
            raise np.linalg.LinAlgError("not positive definite")
        return factor

    return one(a) if a.ndim == 2 else each(one, a)  # one in columns, as the result is to lie
