"""What solves by factors that are there (LU, Cholesky, triangles), and the exponential, of matrices on a device."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..ops.linalg.exponential import exponential
from ..ops.linalg.qr import reflected
from .kernels import Elementwise
from .linalg import asked, compact, matrices, parts, solve_triangular, square, turned
from .sources import pieces

CODE = pieces(__file__)

ORDER = Elementwise(
    "raw int32 pivots, int64 count, int64 rows", "raw int64 order", CODE["ORDER"], "tensorsh_interchanges"
)
"""The order of rows after LAPACK's interchanges, which follow one another: a matrix to a thread."""


def order_of(xp: Any, pivots: Any, rows: int) -> Any:
    """The order [..., rows] that interchanges [..., k], k at most `rows`, leave rows in."""
    batch, count = pivots.shape[:-1], pivots.shape[-1]
    order = xp.empty((*batch, rows), np.int64)
    if order.size:
        ORDER(xp.ascontiguousarray(pivots), np.int64(count), np.int64(rows), order, size=prod(batch))
    return order


def permutation(xp: Any, pivots: Any, rows: int, dtype: Any) -> Any:
    """P of ``A = P L U``."""
    return (order_of(xp, pivots, rows)[..., None, :] == xp.arange(rows)[:, None]).astype(dtype)


def lu_unpack(xp: Any, LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    if LU_data.ndim < 2 or LU_pivots.dtype != np.int32 or not LU_pivots.ndim or not matrices(LU_data):
        return None
    rows, p = LU_data.shape[-2], LU_pivots
    if unpack_pivots and (p.shape[-1] > rows or p.size and ((p < 1) | (p > rows)).any().item()):
        return None
    empty = xp.zeros((0,), LU_data.dtype)
    P = permutation(xp, p, rows, LU_data.dtype) if unpack_pivots else empty
    return P, *(parts(xp, LU_data) if unpack_data else (empty, empty.copy()))


@asked
def lu(xp: Any, A: Any, *, pivot: bool = True) -> Any:
    if not matrices(A) or not pivot:
        return None
    LU, pivots, _ = compact(xp, A)
    return permutation(xp, pivots, A.shape[-2], A.dtype), *parts(xp, LU)


def lu_solve(xp: Any, LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    fits = square(LU) and matrices(LU, B) and pivots.dtype == np.int32
    if not fits or pivots.shape != LU.shape[:-1] or LU.shape[-1] != B.shape[-2 if left else -1]:
        return None
    b = B if left else turned(B)  # X A = B is A^H X^H = B^H
    try:
        batch = np.broadcast_shapes(LU.shape[:-2], b.shape[:-2])
    except ValueError:
        return None
    order = xp.broadcast_to(order_of(xp, pivots, LU.shape[-1])[..., None], batch + (LU.shape[-1], 1))
    b = xp.broadcast_to(b, batch + b.shape[-2:])
    if adjoint == left:
        x = solve_triangular(xp, turned(LU), b, upper=False)
        x = solve_triangular(xp, turned(LU), x, upper=True, unitriangular=True)
        x = xp.take_along_axis(x, order.argsort(-2), -2)
    else:
        x = solve_triangular(xp, LU, xp.take_along_axis(b, order, -2), upper=False, unitriangular=True)
        x = solve_triangular(xp, LU, x, upper=True)
    return xp.ascontiguousarray(x if left else turned(x))


def triangular_solve(
    xp: Any, input: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    a = A.swapaxes(-1, -2) if transpose and A.ndim > 1 else A
    found = solve_triangular(xp, a, input, upper=bool(upper) != bool(transpose), unitriangular=unitriangular)
    return None if found is None else (found, xp.broadcast_to(A, found.shape[:-2] + A.shape[-2:]).copy())


def cholesky_solve(xp: Any, input: Any, L: Any, upper: bool = False) -> Any:
    if not square(L) or not matrices(L, input):
        return None
    first, second = (turned(L), L) if upper else (L, turned(L))
    found = solve_triangular(xp, first, input, upper=False)
    return None if found is None else solve_triangular(xp, second, found, upper=True)


def cholesky_inverse(xp: Any, input: Any, upper: bool = False) -> Any:
    if not square(input):
        return None
    n = input.shape[-1]
    found = cholesky_solve(xp, xp.broadcast_to(xp.eye(n, dtype=input.dtype), input.shape), input, upper)
    if found.dtype.kind == "c":
        at = xp.arange(n)
        found[..., at, at] = found[..., at, at].real
    return found


def householder_product(xp: Any, input: Any, tau: Any) -> Any:
    if not matrices(input) or not reflects(input, tau) or input.shape[-2] < input.shape[-1]:
        return None
    eye = xp.broadcast_to(xp.eye(*input.shape[-2:], dtype=input.dtype), input.shape)
    return reflected(input, tau, eye, True, False)


def reflects(input: Any, tau: Any) -> bool:
    """Whether there is a factor for each of the matrices' reflections."""
    fits = tau.dtype == input.dtype and tau.ndim == input.ndim - 1 and tau.shape[:-1] == input.shape[:-2]
    return fits and 0 < tau.shape[-1] <= min(input.shape[-2:])


def ormqr(xp: Any, input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    fits = matrices(input, other) and reflects(input, tau) and other.shape[:-2] == input.shape[:-2]
    side = -2 if left else -1
    if not fits or input.shape[-2] != other.shape[side] or tau.shape[-1] != min(other.shape[side], input.shape[-1]):
        return None
    if left:
        return reflected(input, tau, other, not transpose, transpose)
    return xp.ascontiguousarray(turned(reflected(input, tau, turned(other), transpose, not transpose)))


def matrix_exp(xp: Any, A: Any) -> Any:
    if not square(A):
        return None
    flat = xp.ascontiguousarray(A.reshape(-1, *A.shape[-2:]))
    return (xp.exp(flat) if A.shape[-1] == 1 else exponential(flat)).reshape(A.shape)


KERNELS: dict[str, Callable] = {
    "linalg.lu": lu, "lu_unpack": lu_unpack, "linalg.lu_solve": lu_solve, "triangular_solve": triangular_solve, "cholesky_solve": cholesky_solve,
    "cholesky_inverse": cholesky_inverse, "linalg.matrix_exp": matrix_exp,
    "linalg.householder_product": householder_product, "ormqr": ormqr,
}  # fmt: skip
"""As in linalg.py: None for what the CPU is to do, above all to refuse."""
