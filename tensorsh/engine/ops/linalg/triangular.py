"""Triangular systems and the Cholesky decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.dtype import of
from ...arrays.errors import common_shape
from ...arrays.layout import sparse_bsr, sparse_csr
from ...arrays.warning import warn_of_old
from ...kernels import kernel, unsuited
from ...operators.declare import Array, composite, operator
from ...sparse.arrays import Compressed, Sparse
from ...sparse.missing import Missing
from ...sparse.rules import rule
from ...tensors.tensor import Tensor
from . import factored
from .common import (
    LinAlgError,
    adj,
    check_float,
    check_info,
    check_kernel,
    check_sides,
    check_square,
    herm,
    into,
    lapack,
    linalg,
    use,
)  # fmt: skip
from .inverse import check_system

substituted = kernel("substituted", unsuited)
cholesky_factored = kernel("cholesky_factored", unsuited)
UPPER, UNIT, TURNED, IN_ROWS = 1, 2, 4, 8
"""How the kernel of systems reads one: which triangle, ones on its diagonal, A transposed, ``X A = B``."""


def back_substitution(a: Any, b: Any, upper: bool, unitriangular: bool) -> Any:
    """``X`` with ``A X = B`` for triangular arrays with equal batches; only the named triangle of A is read."""
    if a.ndim == 2 and a.shape[0] > 16:
        (trtrs,) = lapack("trtrs", a)
        return trtrs(a, b, lower=not upper, unitdiag=unitriangular)[0]
    n = a.shape[-1]
    x = np.array(b)
    with np.errstate(all="ignore"):
        for i in range(n - 1, -1, -1) if upper else range(n):
            others = slice(i + 1, n) if upper else slice(0, i)
            if (i < n - 1) if upper else i:
                x[..., i, :] -= (a[..., i, None, others] @ x[..., others, :])[..., 0, :]
            if not unitriangular:
                x[..., i, :] /= a[..., i, i, None]
    return x


def triangular_solution(a: Any, b: Any, upper: bool, left: bool, unitriangular: bool, turned: bool = False) -> Any:
    """``X`` with ``A X = B``, or ``X A = B``; `turned`: A is to be read transposed, `upper` says what it is as it stands."""
    batch = a.shape[:-2]
    if b.shape[:-2] != batch:
        batch = common_shape(b.shape[:-2], batch)
        a, b = (x if x.shape[:-2] == batch else np.broadcast_to(x, batch + x.shape[-2:]) for x in (a, b))
    how = UPPER * upper | UNIT * unitriangular | TURNED * turned
    if a.dtype.kind == "f":
        long = not left and not 1 < b.shape[-1] <= 16
        right = b.swapaxes(-1, -2) if long else b
        how = how ^ TURNED if long else how | IN_ROWS * (not left)
        x = substituted(np.ascontiguousarray(a), np.ascontiguousarray(right), how)
        if x is not None:
            return np.ascontiguousarray(x.swapaxes(-1, -2)) if long else x
    if turned:
        a, upper = a.swapaxes(-1, -2), not upper
    if not left:
        a, b = a.swapaxes(-1, -2), b.swapaxes(-1, -2)
        upper = not upper
    x = back_substitution(a, b, upper, unitriangular)
    return np.ascontiguousarray(x if left else x.swapaxes(-1, -2))


@linalg("solve_triangular", laid="columns 0", broadcast=True)
def solve_triangular(xp, A: Array, B: Array, *, upper, left=True, unitriangular=False):
    """The solution of ``A X = B`` (``X A = B`` when not `left`) for triangular A."""
    check_system("linalg.solve_triangular", A, B, left)
    check_kernel("triangular_solve_cpu", A)
    return triangular_solution(A, B.astype(A.dtype, copy=False), upper, left, unitriangular)


@solve_triangular.joint_gradient
def triangular_gradient(t, g, needs, A, result, upper, left, unitriangular):
    gb = use(t, "solve_triangular")(adj(t, A), g, upper=not upper, left=left, unitriangular=unitriangular)
    ga = None
    if needs[0]:
        ga = -(gb @ adj(t, result)) if left else -(adj(t, result) @ gb)
        ga = t.triu(ga, int(unitriangular)) if upper else t.tril(ga, -int(unitriangular))
    return [ga, gb]


def check_alike(b: Any, A: Any) -> None:
    if b.dtype != A.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {of(b).short} and A of type {of(A).short} instead."
        )


@operator(outputs="solution cloned_coefficient", broadcast=True, long="hosted")
def triangular_solve(xp, input: Array, A: Array, upper=True, transpose=False, unitriangular=False):
    """The solution of ``A X = input`` for triangular A, and a copy of A (deprecated in PyTorch)."""
    warn_of_old("triangular_solve")
    check_old_system(input, A)
    check_kernel("triangular_solve_cpu", A)
    batch = A.shape[:-2]
    if input.shape[:-2] != batch:
        batch = common_shape(input.shape[:-2], batch)
    copy = np.array(A if A.shape[:-2] == batch else np.broadcast_to(A, batch + A.shape[-2:]))
    return triangular_solution(A, input, upper, True, unitriangular, transpose), copy


@rule("triangular_solve")
def sparse_triangular_solve(xp, input, A, upper=True, transpose=False, unitriangular=False):
    """The same for A in compressed rows; there is no copy of A, and nothing but NaN where A has no element."""
    if not isinstance(A, Compressed) or isinstance(input, Sparse):
        raise Missing(input if isinstance(input, Sparse) else A, "triangular_solve").worded([])
    if A.layout not in (sparse_csr, sparse_bsr):
        raise ValueError("triangular_solve: unsupported sparse layout.")
    check_old_system(input, A)
    copy = np.empty(0, A.dtype)
    if not A.nnz:
        return np.full(input.shape, np.nan, A.dtype), copy
    return np.ascontiguousarray(triangular_solution(A.dense(), input, upper, True, unitriangular, transpose)), copy


def check_old_system(input: Any, A: Any) -> None:
    if input.ndim < 2:
        raise RuntimeError(
            f"torch.triangular_solve: Expected b to have at least 2 dimensions, but it has {input.ndim} dimensions instead"
        )
    if A.ndim < 2:
        raise RuntimeError(
            f"torch.triangular_solve: Expected A to have at least 2 dimensions, but it has {A.ndim} dimensions instead"
        )
    check_square("", A)
    check_sides("triangular_solve", A, input)
    check_alike(input, A)


@triangular_solve.joint_gradient
def triangular_solve_gradient(t, g, needs, A, solution, upper, transpose, unitriangular):
    g, gm = g
    gb = ga = None
    if g is not None:
        conjugate = t.conj(A)
        turned = conjugate if transpose else t.transpose(conjugate, -2, -1)
        gb = use(t, "solve_triangular")(turned, g, upper=upper == transpose, unitriangular=unitriangular)
        if needs[1]:
            ga = -(t.conj(solution) @ t.transpose(gb, -2, -1)) if transpose else -(gb @ adj(t, solution))
            ga = t.triu(ga, int(unitriangular)) if upper else t.tril(ga, -int(unitriangular))
    if gm is not None:
        ga = gm if ga is None else ga + gm
    return [gb, ga]


def partial_cholesky(a: Any) -> tuple[Any, Any]:
    """The factor of each matrix as far as it goes, and the order of the first minor that is not positive."""
    factor, info = np.tril(a).copy(), np.zeros(a.shape[:-2], np.int32)
    for i in range(a.shape[-1]):
        row, below = factor[..., i, None, :i].conj().swapaxes(-1, -2), factor[..., i + 1 :, i]
        pivot = (factor[..., i, i] - (factor[..., i, None, :i] @ row)[..., 0, 0]).real
        whole = info == 0
        info[whole & ~(pivot > 0)] = i + 1
        on = info == 0
        factor[..., i, i] = np.where(whole, np.where(on, np.sqrt(np.where(on, pivot, 1)), pivot), factor[..., i, i])
        found = (below - (factor[..., i + 1 :, :i] @ row)[..., 0]) / factor[..., i, i, None]
        below[...] = np.where(on[..., None], found, below)
    return factor, info


def cholesky_kernel(A: Any, upper: bool) -> tuple[Any, Any]:
    source = herm(A) if upper else A
    factor = cholesky_factored(np.ascontiguousarray(source)) if A.dtype.kind == "f" else None
    if factor is not None:
        return np.ascontiguousarray(factor.swapaxes(-1, -2)) if upper else factor, np.zeros(A.shape[:-2], np.int32)
    try:
        factor, info = factored.cholesky(source), np.zeros(A.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        factor, info = partial_cholesky(source)
    if upper:
        factor = np.ascontiguousarray(herm(factor))
    if factor.dtype.kind == "c":
        if upper:
            factor += 0  # conjugates of zeros are positive
        if 3 <= A.shape[-1] <= 5:
            factor.imag[..., 1, 1] = -0.0  # as the BLAS of PyTorch leaves it in so small matrices
    return factor, info


def not_positive(name: str) -> Any:
    return lambda batch, code: (
        f"{name}: {batch}The factorization could not be completed because the input is not positive-definite (the leading "
        f"minor of order {code} is not positive-definite)."
    )


@linalg("cholesky_ex", laid="columns 0", outputs="L (info)")
def cholesky_ex(xp, A: Array, *, upper=False, check_errors=False):
    """The Cholesky factor, and for each matrix 0 or the order of the first minor that is not positive."""
    check_square("linalg.cholesky", A)
    check_float("linalg.cholesky", A, "cholesky_cpu")
    factor, info = cholesky_kernel(A, upper)
    if check_errors:
        check_info(info, not_positive("linalg.cholesky_ex"))
    return factor, info


def cholesky_gradient(t, g, factor, upper):
    """``L^-H Phi(L^H g) L^-1``, made hermitian; Phi is the lower triangle with half the diagonal."""
    L, gl = (adj(t, factor), adj(t, g)) if upper else (factor, g)
    phi = adj(t, L) @ gl
    phi = t.tril(phi) + adj(t, t.tril(phi, -1))
    phi = (phi + adj(t, phi)) * 0.25
    solve = use(t, "solve_triangular")
    return solve(L, solve(adj(t, L), phi, upper=True), upper=False, left=False)


cholesky_ex.gradient(A=lambda t, g, L, upper: None if g[0] is None else cholesky_gradient(t, g[0], L, upper))


@composite("linalg.cholesky", method=False)
def linalg_cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The lower triangular L (upper: U) with ``L L^H = A``, for hermitian positive-definite A."""
    factor, info = cholesky_ex.function(input, upper=upper)
    check_info(info, not_positive("linalg.cholesky"))
    return into(factor, out, "linalg_cholesky")


@operator(long="hosted")
def cholesky(xp, input: Array, upper=False):
    """As :func:`torch.linalg.cholesky`."""
    warn_of_old("cholesky")
    check_square("cholesky", input)
    check_kernel("cholesky_cpu", input)
    factor, info = cholesky_kernel(input, upper)
    check_info(info, not_positive("cholesky"))
    return factor


cholesky.gradient(input=lambda t, g, result, upper: cholesky_gradient(t, g, result, upper))


@operator(broadcast=True, long="hosted")
def cholesky_solve(xp, input: Array, L: Array, upper=False):
    """The solution of ``A X = input``, A given by its Cholesky factor."""
    for name, x in (("b", input), ("u", L)):
        if x.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    check_square("", L)
    check_sides("cholesky_solve", L, input)
    check_alike(input, L)
    check_kernel("cholesky_solve_cpu", L)
    if L.dtype.kind == "c":
        first, second = (herm(L), L) if upper else (L, herm(L))
        return triangular_solution(second, triangular_solution(first, input, False, True, False), True, True, False)
    half = triangular_solution(L, input, upper, True, False, upper)
    return triangular_solution(L, half, upper, True, False, not upper)


@cholesky_solve.joint_gradient
def cholesky_solve_gradient(t, g, needs, L, result, upper):
    gb = t.cholesky_solve(g, L, upper)
    gl = None
    if needs[1]:
        common = gb @ adj(t, result)
        common = common + adj(t, common)
        gl = -(L @ common) if upper else -(common @ L)
    return [gb, gl]


@operator(long="hosted")
def cholesky_inverse(xp, input: Array, upper=False):
    """The inverse of A, given by its Cholesky factor."""
    check_square("cholesky_inverse", input)
    check_kernel("cholesky_inverse_cpu", input)
    diagonal = input.diagonal(0, -2, -1)
    if not diagonal.all():
        for i, row in enumerate(diagonal.reshape(-1, input.shape[-1])):
            if row.all():
                continue
            element = f"(Batch element {i}): " if input.ndim > 2 else ""
            raise LinAlgError(
                f"cholesky_inverse: {element}The diagonal element {int(np.argmin(row != 0)) + 1} is zero, the inversion could "
                "not be completed because the input matrix is singular."
            )
    eye = np.eye(input.shape[-1], dtype=input.dtype)
    eye = eye if input.ndim == 2 else np.broadcast_to(eye, input.shape)
    found = cholesky_solve.kernel(xp, eye, input, upper)
    if found.dtype.kind == "c":
        np.einsum("...ii->...i", found).imag = 0
    return found


@cholesky_inverse.joint_gradient
def cholesky_inverse_gradient(t, g, needs, input, result, upper):
    both = g + adj(t, g)
    return [-(input @ (result @ both @ result))] if upper else [-(result @ both @ result @ input)]
