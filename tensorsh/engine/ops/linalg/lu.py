"""The LU decomposition with its solver, and the LDL decomposition of hermitian matrices."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...arrays.dtype import of
from ...arrays.errors import common_shape, wrap_dim
from ...arrays.warning import warn_of_old
from ...kernels import kernel, unsuited
from ...operators.declare import Array, Unlinked, composite, operator
from ...operators.registration import add_method
from ...tensors.tensor import Tensor
from ..shapes.arrangement import tril
from .common import (
    ROOM,
    adj,
    check_float,
    check_info,
    check_kernel,
    check_sides,
    check_square,
    check_whole,
    each,
    herm,
    into,
    lapack,
    linalg,
    renamed,
    use,
)
from .factored import compact, lu_solved
from .inverse import check_same_dtype, check_system, exchange
from .triangular import triangular_solution

lu_parts = kernel("lu_parts", unsuited)
interchanged = kernel("interchanged", unsuited)
NO_PIVOT = "linalg.lu_factor: LU without pivoting is not implemented on the CPU"


def check_factor(name: str, A: Any, pivot: bool) -> None:
    if A.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    if not pivot:
        raise RuntimeError(NO_PIVOT)
    check_kernel("lu_cpu", A)


def parts(LU: Any) -> tuple:
    """L and U of the compact form."""
    if (found := lu_parts(np.ascontiguousarray(LU))) is not None:
        return found
    m, n = LU.shape[-2:]
    k = min(m, n)
    lower, upper = triangles(m, n)
    return np.where(lower, LU[..., :, :k], LU.dtype.type(0)) + np.eye(m, k, dtype=LU.dtype), np.where(
        upper, LU[..., :k, :], LU.dtype.type(0)
    )


@lru_cache(32)
def triangles(m: int, n: int) -> tuple:
    """What L, below its diagonal, and U have of a matrix; only read."""
    k = min(m, n)
    return np.tri(m, k, -1, bool), ~np.tri(k, n, -1, bool)


def permutation_matrix(pivots: Any, m: int, dtype: Any) -> Any:
    """P of ``A = P L U``."""
    if (made := interchanged(np.ascontiguousarray(pivots), np.empty((), dtype), m)) is not None:
        return made
    rows = pivots.reshape((prod(pivots.shape[:-1]), pivots.shape[-1]))
    found = np.zeros((len(rows), m, m), dtype)
    for i, row in enumerate(rows):
        order = list(range(m))
        for j, p in enumerate(row.tolist()):
            order[j], order[p - 1] = order[p - 1], order[j]
        found[i, order, np.arange(m)] = 1
    return found.reshape((*pivots.shape[:-1], m, m))


def zero_pivot(name: str) -> Any:
    return lambda batch, code: (
        f"torch.linalg.{name}: {batch}U[{code},{code}] is zero and using it on lu_solve would result in a division by zero. If "
        "you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
    )


def raise_plain(info: Any, message: Any) -> None:
    """`check_info` where PyTorch raises a plain RuntimeError."""
    try:
        check_info(info, message)
    except RuntimeError as error:
        raise RuntimeError(str(error)) from None


def factor_gradient(t: Any, gl: Any, gu: Any, P: Any, L: Any, U: Any) -> Any:
    """The gradient of A from those of L and U, ``A = P L U`` of any shape."""
    solve = use(t, "solve_triangular")
    m, n = L.shape[-2], U.shape[-1]
    k = min(m, n)
    L1, U1 = L[..., :k, :], U[..., :, :k]
    lower = upper = None
    if gl is not None:
        lower = adj(t, L1) @ gl[..., :k, :]
    if gu is not None:
        upper = gu[..., :, :k] @ adj(t, U1)
        if n > k:
            more = gu[..., :, k:] @ adj(t, U[..., :, k:])
            lower = -more if lower is None else lower - more
    if gl is not None and m > k:
        more = adj(t, L[..., k:, :]) @ gl[..., k:, :]
        upper = -more if upper is None else upper - more
    inner = None
    if lower is not None:
        inner = t.tril(lower, -1)
    if upper is not None:
        inner = t.triu(upper) if inner is None else inner + t.triu(upper)
    Lh, Uh = adj(t, L1), adj(t, U1)
    found = solve(Uh, solve(Lh, inner, upper=True, unitriangular=True), upper=False, left=False)
    if n > k:
        right = (
            L[..., :, :1] @ U[..., :1, k:] * 0
            if gu is None
            else solve(Lh, gu[..., :, k:], upper=True, unitriangular=True)
        )
        found = t.cat([found, right], -1)
    if m > k:
        below = L[..., k:, :] * 0 if gl is None else solve(Uh, gl[..., k:, :], upper=False, left=False)
        found = t.cat([found, below], -2)
    return P @ found


@linalg("lu_factor_ex", laid="columns 0", outputs="LU (pivots) (info)")
def lu_factor_ex(xp, A: Array, *, pivot=True, check_errors=False):
    """LU in one matrix, the interchanges of rows, and for each matrix 0 or the number of the zero pivot."""
    check_factor("torch.lu_factor", A, pivot)
    LU, pivots, info = compact(A)
    if check_errors:
        raise_plain(info, zero_pivot("lu_factor_ex"))
    return LU, pivots, info


@lu_factor_ex.joint_gradient
def lu_factor_gradient(t, g, needs, LU, pivots):
    if g[0] is None:
        return [None]
    P, L, U = t.lu_unpack(LU, pivots)
    k = min(LU.shape[-2:])
    return [factor_gradient(t, g[0][..., :, :k], g[0][..., :k, :], P, L, U)]


@composite("linalg.lu_factor", method=False)
def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """LU in one matrix and the interchanges of rows; the matrix must not be singular."""
    LU, pivots, info = lu_factor_ex.function(A, pivot=pivot)
    raise_plain(info._array, zero_pivot("lu_factor"))
    return into(renamed("linalg_lu_factor", "LU pivots", (LU, pivots)), out, "linalg_lu_factor")


@composite("lu", method=False)
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """LU in one matrix, the interchanges of rows, and, when asked for, the infos."""
    warn_of_old("lu")
    try:
        LU, pivots, info = lu_factor_ex.function(A, pivot=pivot)
    except TypeError as error:
        words = (
            str(error).replace("linalg_lu_factor_ex()", "_lu_with_info()").replace("argument 'A'", "argument 'input'")
        )
        raise TypeError(words) from None
    if out is not None:
        if len(out) - get_infos != 2:
            raise TypeError(f"expected tuple of {2 + get_infos} elements but got {len(out)}")
        for target, result in zip(out, (LU, pivots, info), strict=False):
            target.resize_as_(result).copy_(result)
        return out
    if get_infos:
        return renamed("_lu_with_info", "LU pivots info", (LU, pivots, info))
    return LU, pivots


def lu_method(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """As `torch.lu`, whose infos come in a plain tuple here."""
    return tuple(lu(self, pivot, get_infos))


lu_method.__name__ = "lu"
add_method("lu", lu_method)


@linalg("lu", outputs="(P) L U")
def linalg_lu(xp, A: Array, *, pivot=True):
    """``A = P L U`` with a permutation P, unit lower triangular L and upper triangular U."""
    check_factor("linalg.lu", A, pivot)
    LU, pivots, _ = compact(A)
    return permutation_matrix(pivots, A.shape[-2], A.dtype), *parts(LU)


linalg_lu.joint_gradient(
    lambda t, g, needs, P, L, U: [None if g[1] is None and g[2] is None else factor_gradient(t, g[1], g[2], P, L, U)]
)


@operator(outputs="(P) L U", method=False, long="hosted")
def lu_unpack(xp, LU_data: Array, LU_pivots: Unlinked, unpack_data=True, unpack_pivots=True):
    """P, L and U of the compact form; empty tensors for what is not asked for."""
    if LU_data.ndim < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data.shape)} instead"
        )
    if unpack_pivots and LU_pivots.dtype != np.int32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.")
    m = LU_data.shape[-2]
    fits = LU_pivots.shape == (*LU_data.shape[:-2], min(LU_data.shape[-2:]))
    if unpack_pivots and (not fits or LU_pivots.size and (LU_pivots.min() < 1 or LU_pivots.max() > m)):
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result of "
            "lu_factor?"
        )
    empty = np.zeros((0,), LU_data.dtype)
    P = permutation_matrix(LU_pivots, m, LU_data.dtype) if unpack_pivots else empty
    return P, *(parts(LU_data) if unpack_data else (empty, empty.copy()))


@lu_unpack.joint_gradient
def lu_unpack_gradient(t, g, needs, LU_data_shape):
    m, n = LU_data_shape[-2:]
    k = min(m, n)
    gl, gu = g[1], g[2]
    found = None
    if gl is not None:
        found = t.tril(gl, -1)
        if n > k:
            found = t.cat([found, t.cat([found[..., :, :1] * 0] * (n - k), -1)], -1)
    if gu is not None:
        more = t.triu(gu)
        if m > k:
            more = t.cat([more, t.cat([more[..., :1, :] * 0] * (m - k), -2)], -2)
        found = more if found is None else found + more
    return [found, None]


def check_pivots(name: str, title: str, factors: Any, pivots: Any) -> None:
    """A row of interchanges for each matrix."""
    if pivots.shape != factors.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected {title}.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )


@linalg("lu_solve", laid="columns 0", broadcast=True)
def linalg_lu_solve(xp, LU: Array, pivots: Unlinked, B: Array, *, left=True, adjoint=False):
    """The solution of ``A X = B`` (``X A = B``, or with ``A^H``) from the compact LU of A."""
    name = "linalg.lu_solve"
    if pivots.dtype != np.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_whole("torch.linalg.lu_solve", LU)
    check_square("torch.linalg.lu_solve", LU)
    check_same_dtype(name, LU, B, "LU")
    check_kernel("linalg.lu_solve_cpu", LU)
    check_system(name, LU, B, left)
    if pivots.shape[-1:] != LU.shape[-1:]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    check_pivots(name, "LU", LU, pivots)
    batch = common_shape(B.shape[:-2], LU.shape[:-2])
    n = LU.shape[-1]
    shape = (*batch, *B.shape[-2:])
    if B.size == 0 or LU.size == 0:
        return np.zeros(shape, LU.dtype)
    if pivots.min() < 1 or pivots.max() > n:
        bound = "greater or equal to 1" if pivots.min() < 1 else "smaller or equal to LU.size(-2)"
        raise RuntimeError(
            f"Pivots given to lu_solve must all be {bound}. Did you properly pass the result of lu_factor?"
        )
    # X A = B is A^H X^H = B^H, so the right side turns and the adjoint is taken once more.
    b = B if left else herm(B)
    lu, p = LU, pivots
    if not B.shape[:-2] == LU.shape[:-2] == pivots.shape[:-1] == batch:
        lu = np.broadcast_to(LU, batch + LU.shape[-2:])
        p = np.broadcast_to(pivots, batch + pivots.shape[-1:])
        b = np.broadcast_to(b, batch + b.shape[-2:])
    turned = adjoint == left
    if lu.dtype.kind == "f":
        x = lu_solved(*map(np.ascontiguousarray, (lu, p, b)), bool(turned))
        if x is not None:
            return x if left else np.ascontiguousarray(x.swapaxes(-1, -2))
    lower, upper = parts(lu)
    P = permutation_matrix(p, n, LU.dtype)
    if turned:
        x = triangular_solution(herm(upper), b, False, True, False)
        x = P @ triangular_solution(herm(lower), x, True, True, True)
    else:
        x = triangular_solution(lower, P.swapaxes(-1, -2) @ b, False, True, True)
        x = triangular_solution(upper, x, True, True, False)
    return np.ascontiguousarray(x if left else herm(x))


@linalg_lu_solve.joint_gradient
def lu_solve_gradient(t, g, needs, LU, pivots, result, left, adjoint):
    gb = use(t, "lu_solve")(LU, pivots, g, left=left, adjoint=not adjoint)
    glu = None
    if needs[0]:
        X = result
        if left:
            G = -(X @ adj(t, gb)) if adjoint else -(gb @ adj(t, X))
        else:
            G = -(adj(t, gb) @ X) if adjoint else -(adj(t, X) @ gb)
        P, L, U = t.lu_unpack(LU, pivots)
        G = t.transpose(P, -2, -1) @ G
        glu = t.tril(G @ adj(t, U), -1) + t.triu(adj(t, L) @ G)
    return [glu, None, gb]


@composite("lu_solve")
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Tensor:
    """The solution of ``A x = b`` from the compact LU of A."""
    warn_of_old("lu_solve")
    return into(linalg_lu_solve.function(LU_data, LU_pivots, b), out, "lu_solve")


@linalg("ldl_factor_ex", laid="columns 0", outputs="LD (pivots) (info)", node="NotImplemented")
def ldl_factor_ex(xp, A: Array, *, hermitian=False, check_errors=False):
    """``A = L D L^T`` (L^H when `hermitian`) in one matrix, LAPACK's pivots, and the number of a zero block."""
    check_square("torch.linalg.ldl_factor_ex", A)
    check_float("torch.linalg.ldl_factor_ex", A, "ldl_factor_kernel_cpu")
    if A.size == 0:
        return A.copy(), np.zeros(A.shape[:-1], np.int32), np.zeros(A.shape[:-2], np.int32)
    (factor,) = lapack("hetrf" if hermitian and A.dtype.kind == "c" else "sytrf", A)

    def one(x: Any) -> tuple:
        ldu, pivots, info = factor(x, lower=True, lwork=ROOM * len(x))
        return ldu, pivots.astype(np.int32), np.int32(max(info, 0))

    LD, pivots, info = each(one, A)
    if check_errors:
        check_info(info, lambda batch, code: f"torch.linalg.ldl_factor_ex: {batch}Unknown error code: {code}.")
    return tril.kernel(np, np.ascontiguousarray(LD)), pivots, info


@composite("linalg.ldl_factor", method=False)
def ldl_factor(A: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """``A = L D L^T`` in one matrix, and the pivots."""
    LD, pivots, info = ldl_factor_ex.function(A, hermitian=hermitian)
    raise_plain(info._array, lambda batch, code: f"torch.linalg.ldl_factor: {batch}Unknown error code: {code}.")
    return into(renamed("linalg_ldl_factor", "LD pivots", (LD, pivots)), out, "linalg_ldl_factor")


@linalg("ldl_solve", laid="columns 0", node="NotImplemented", broadcast=True)
def ldl_solve(xp, LD: Array, pivots: Unlinked, B: Array, *, hermitian=False):
    """The solution of ``A X = B`` from the LDL decomposition of A."""
    wrap_dim(-2, B.ndim)
    check_square("torch.linalg.ldl_solve", LD)
    check_float("torch.linalg.ldl_solve", LD, "ldl_solve_kernel_cpu")
    check_sides("torch.linalg.ldl_solve", LD, B)
    check_pivots("torch.linalg.ldl_solve", "LD", LD, pivots)
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"torch.linalg.ldl_solve: Expected pivots to be integers. Got {of(pivots).short}")
    if pivots.size and np.abs(pivots.astype(np.int64)).max() > LD.shape[-2]:
        raise RuntimeError(
            "Pivots given to ldl_solve must all satisfy |pivot| <= LD.size(-2). Did you properly pass the result of ldl_factor?"
        )
    if not pivots.all():
        raise RuntimeError(
            "Pivots given to ldl_solve must all satisfy |pivot| >= 1. Did you properly pass the result of ldl_factor?"
        )
    batch = common_shape(B.shape[:-2], LD.shape[:-2])
    if B.size == 0 or LD.size == 0:
        return np.zeros((*batch, *B.shape[-2:]), B.dtype)
    ld = np.broadcast_to(LD, batch + LD.shape[-2:])
    p = np.broadcast_to(pivots, batch + pivots.shape[-1:])
    b = np.broadcast_to(B, batch + B.shape[-2:])
    b = np.array(b, LD.dtype).reshape((-1, *b.shape[-2:]))
    with np.errstate(all="ignore"):
        x = block_solve(ld.reshape((-1, *ld.shape[-2:])), p.reshape((-1, p.shape[-1])), b, hermitian)
    return x.reshape((*batch, *B.shape[-2:]))


@ldl_factor_ex.joint_gradient
def ldl_factor_gradient(t, g, needs):
    raise RuntimeError("derivative for aten::linalg_ldl_factor_ex is not implemented")


@ldl_solve.joint_gradient
def ldl_solve_gradient(t, g, needs):
    raise RuntimeError("derivative for aten::linalg_ldl_solve is not implemented")


def block_solve(ld: Any, pivots: Any, x: Any, hermitian: bool) -> Any:
    """LAPACK's sytrs (hetrs) for the lower triangle, of all matrices at once: interchanges and columns of L forward, blocks of D,
    then back. A block of two begins at a negative pivot; which matrices have one at a row, differs."""
    n, free, steps = ld.shape[-1], np.ones(len(ld), bool), []
    for k in range(n):
        two = free & (pivots[:, k] < 0) & (k + 1 < n)
        steps.append((k, np.flatnonzero(free & ~two), np.flatnonzero(two)))
        free = ~two
    for k, one, two in steps:
        for which, end in ((one, k), (two, k + 1)) if len(two) else ((one, k),):
            exchange(x, which, end, np.abs(pivots[which, end]) - 1)
            for j in range(k, end + 1):
                x[which, end + 1 :] -= ld[which, end + 1 :, j, None] * x[which, j, None]
        d = ld[one, k, k, None]
        x[one, k] *= 1 / (d.real if hermitian else d)
        if len(two):
            below = ld[two, k + 1, k, None]
            above = below.conj() if hermitian else below
            first, second = ld[two, k, k, None] / above, ld[two, k + 1, k + 1, None] / below
            upper, lower = x[two, k] / above, x[two, k + 1] / below
            scale = first * second - 1
            x[two, k], x[two, k + 1] = (second * upper - lower) / scale, (first * lower - upper) / scale
    for k, one, two in reversed(steps):
        for which, end in ((one, k), (two, k + 1)) if len(two) else ((one, k),):
            for j in range(k, end + 1):
                column = ld[which, None, end + 1 :, j]
                x[which, j] -= ((column.conj() if hermitian else column) @ x[which, end + 1 :])[:, 0]
            exchange(x, which, end, np.abs(pivots[which, end]) - 1)
    return x
