"""Inverses, determinants and solutions of square systems of equations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.dtype import of
from ...arrays.errors import common_shape
from ...arrays.on_arrays import on_arrays
from ...loading import table
from ...operators.declare import Array, composite
from ...tensors.tensor import Tensor
from .common import (
    adj,
    check_float,
    check_info,
    check_square,
    check_whole,
    constant,
    dtype_of,
    herm,
    into,
    linalg,
    renamed,
    singular_inverse,
    unit,
    use,
)  # fmt: skip
from .factored import compact, determinant, inverted, signed_logarithm, solved


def broken(a: Any, b: Any) -> tuple[Any, Any]:
    """Solutions of systems of which some are singular: infinities and NaN there, and the number of the zero pivot."""
    batch = common_shape(b.shape[:-2], a.shape[:-2])
    lu, pivots, info = compact(a)
    given = (a, 2), (b, 2), (lu, 2), (pivots, 1), (np.asarray(info > 0), 0)
    a, b, lu, pivots, zero = [
        np.broadcast_to(x, batch + x.shape[x.ndim - n :]).reshape((-1, *x.shape[x.ndim - n :])) for x, n in given
    ]
    found = np.empty_like(b, order="C")
    found[~zero] = solved(a[~zero], b[~zero])
    with np.errstate(all="ignore"):
        found[zero] = substitute(lu[zero], interchanged(b[zero], pivots[zero] - 1))
    return found.reshape((*batch, *b.shape[-2:])), np.asarray(info)


def interchanged(y: Any, pivots: Any) -> Any:
    """Matrices after LAPACK's interchanges of rows (counted from 0)."""
    every = np.arange(len(y))
    for i, p in enumerate(pivots.T):
        exchange(y, every, i, p)
    return y


def exchange(y: Any, which: Any, i: int, rows: Any) -> None:
    """Exchange a row of some matrices for a row of each."""
    y[which, i], y[which, rows] = y[which, rows], y[which, i].copy()


def substitute(lu: Any, y: Any) -> Any:
    """Forward and back substitution, of all systems at once, that divides by zero where it must."""
    n = lu.shape[-1]
    for i in range(n):
        y[:, i] -= (lu[:, i : i + 1, :i] @ y[:, :i])[:, 0]
    for i in range(n - 1, -1, -1):
        y[:, i] = (y[:, i] - (lu[:, i : i + 1, i + 1 :] @ y[:, i + 1 :])[:, 0]) / lu[:, i, i, None]
    return y


@linalg("inv_ex", laid="columns 0", outputs="inverse (info)")
def inv_ex(xp, A: Array, *, check_errors=False):
    """The inverse, and for each matrix 0 or the number of the zero pivot."""
    check_square("linalg.inv", A)
    check_float("linalg.inv", A)
    try:
        inverse, info = inverted(A), np.zeros(A.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        inverse, info = broken(A, np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape))
    if check_errors:
        check_info(info, singular_inverse("linalg.inv_ex"))
    return inverse, info


inv_ex.gradient(A=lambda t, g, inverse: None if g[0] is None else -(adj(t, inverse) @ (g[0] @ adj(t, inverse))))


@composite("linalg.inv inverse", method="inverse")
def inv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices.
    (*, n, n), of a floating-point or complex dtype. `linalg.solve` is the better way to ``inverse(A) @ b``.
    LinAlgError: a singular matrix. RuntimeError: matrices that are not square."""
    inverse, info = inv_ex.function(input)
    check_info(info, singular_inverse("linalg.inv"))
    return into(inverse, out, "linalg_inv")


@linalg("det")
def linalg_det(xp, A: Array):
    """The determinant of square matrices.
    (*, n, n) to (*), of a floating-point or complex dtype, by an LU decomposition. RuntimeError: matrices that are
    not square."""
    check_square("linalg.det", A)
    check_float("linalg.det", A, "lu_cpu")
    return determinant(A)


def cofactors(t: Any, A: Any) -> Any:
    """The conjugate of the matrix of cofactors, from the singular values: it exists where the inverse does not."""
    U, S, Vh = use(t, "svd")(A)[:3]
    n = A.shape[-1]
    eye = unit(t, S, n, dtype=bool)
    ones = constant(t, np.ones((), dtype_of(t, S)), S)
    others = t.prod(t.where(eye, ones, S[..., None, :]), -1)
    phase = t.conj(use(t, "det")(U) * use(t, "det")(Vh))
    return (U * (phase[..., None] * others)[..., None, :]) @ Vh


def solved_for_diagonals(A: Any, numbers: Any) -> Any:
    """As `inverse_times`, of numpy's arrays."""
    if type(A) is not np.ndarray:
        return None
    n = A.shape[-1]
    right = np.zeros(A.shape, A.dtype)
    right.reshape(*A.shape[:-2], n * n)[..., :: n + 1] = numbers[..., None]
    try:
        return solved(herm(A), right)
    except np.linalg.LinAlgError:
        return None


@on_arrays(solved_for_diagonals)
def inverse_times(t: Any, A: Any, numbers: Any) -> Any:
    """The conjugate transposes of inverses, each times a number: solutions for diagonal matrices, whose zeros are positive."""
    scaled = numbers[..., None, None]
    eye = unit(t, A, A.shape[-1], dtype=bool)
    return use(t, "solve_ex")(adj(t, A), t.where(eye, scaled, t.zeros_like(scaled)))[0]


@linalg_det.joint_gradient
def det_gradient(t, g, needs, A, result):
    if A.shape[-1] == 0:
        return [t.zeros_like(A)]
    value = t.array(result)
    if (value != 0).all().item():
        return [inverse_times(t, A, g * t.conj(result))]
    return [g[..., None, None] * cofactors(t, A)]


table.also(linalg_det, "det")


@linalg("slogdet", outputs="sign logabsdet")
def linalg_slogdet(xp, A: Array):
    """The sign (or phase) of the determinant and the logarithm of its absolute value."""
    check_square("linalg.slogdet", A)
    if A.dtype.kind in "fV" and A.dtype.itemsize <= 2:
        raise RuntimeError(f"linalg.slogdet: Low precision dtypes not supported. Got {of(A).short}")
    check_float("linalg.slogdet", A, "lu_cpu")
    return signed_logarithm(A)


@linalg_slogdet.joint_gradient
def slogdet_gradient(t, g, needs, A, sign):
    factor = g[1]
    if g[0] is not None and str(sign.dtype).rpartition(".")[2].startswith("complex"):
        # Only the phase of the determinant moves the sign: d sign = i sign Im(tr(A^-1 dA)).
        turn = (t.conj(g[0]) * sign).imag
        factor = turn * -1j if factor is None else factor - turn * 1j
    if factor is None or A.shape[-1] == 0:
        return [t.zeros_like(A)]
    return [inverse_times(t, A, factor)]


@composite()
def slogdet(input: Tensor, *, out: Any = None) -> Any:
    """As :func:`torch.linalg.slogdet`."""
    return renamed(
        "slogdet" if out is None else "slogdet_out", "sign logabsdet", linalg_slogdet.function(input, out=out)
    )


@composite()
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN where a real one is negative."""
    check_square("logdet", input._array)
    check_float("logdet", input._array, "lu_cpu")
    sign, logabsdet = linalg_slogdet.function(input)
    if input._array.dtype.kind == "c":
        return sign.log() + logabsdet
    return table.find_function("where")(sign == -1, math.nan, logabsdet)


def is_vector(a: Any, b: Any) -> bool:
    """Whether the right side of ``A x = b`` is (a batch of) vectors."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])


def check_system(name: str, a: Any, b: Any, left: bool) -> None:
    """Shapes of a square system with matrices on the right side."""
    check_square(name, a)
    if b.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
    if a.shape[-1] != b.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )


def check_same_dtype(name: str, a: Any, b: Any, first: str = "A") -> None:
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{name}: Expected {first} and B to have the same dtype, but found {first} of type {of(a).short} and B of type "
            f"{of(b).short} instead"
        )


@linalg("solve_ex", laid="columns 0", outputs="result (info)", broadcast=True)
def solve_ex(xp, A: Array, B: Array, *, left=True, check_errors=False):
    """The solution of ``A X = B`` (or ``X A = B``), and for each matrix 0 or the number of the zero pivot."""
    name = "linalg.solve"
    check_whole(name, A)
    check_same_dtype(name, A, B)
    check_float(name, A, "lu_cpu")
    check_square(name, A)
    vector = is_vector(A, B)
    b = B[..., None] if vector else B
    check_system(name, A, b, left)
    a, b = (A, b) if left else (A.swapaxes(-1, -2), b.swapaxes(-1, -2))
    try:
        result = solved(a, b)
        info = np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        result, info = broken(a, b)
    if check_errors:
        check_info(info, singular_system("torch.linalg.solve_ex"))
    result = result[..., 0] if vector else result if left else np.ascontiguousarray(result.swapaxes(-1, -2))
    return result, info


def singular_system(name: str) -> Any:
    return lambda batch, code: f"{name}: {batch}The solver failed because the input matrix is singular."


@solve_ex.joint_gradient
def solve_gradient(t, g, needs, A, B_shape, result, left):
    g = g[0]
    if g is None:
        return [None, None]
    vector = len(B_shape) == 1 or (len(A.shape) - 1 == len(B_shape) and tuple(B_shape) == tuple(A.shape[:-1]))
    turned, x = adj(t, A), result
    if vector:
        g, x = g[..., None], x[..., None]
    gb = use(t, "solve_ex")(turned, g, left=left)[0]
    ga = None
    if needs[0]:
        ga = -(gb @ adj(t, x)) if left else -(adj(t, x) @ gb)
    return [ga, gb[..., 0] if vector else gb]


@composite("linalg.solve", method=False)
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """The solution of ``A X = B``, or of ``X A = B`` when not `left`; B may be a vector, batches broadcast."""
    result, info = solve_ex.function(A, B, left=left)
    check_info(info, singular_system("torch.linalg.solve"))
    return into(result, out, "linalg_solve")


@composite("linalg.tensorinv", method=False)
def tensorinv(input: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse for :func:`torch.tensordot` of a tensor whose first `ind` dimensions count as rows."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = input._array.shape
    if ind > len(shape):
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {len(shape)}")
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    inverse, info = inv_ex.function(input.reshape((rows, columns)))
    check_info(info, singular_inverse("inv"))
    return into(inverse.reshape((*shape[ind:], *shape[:ind])), out, "linalg_tensorinv")


@composite("linalg.tensorsolve", method=False)
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The tensor X with ``tensordot(A, X, X.ndim) = B``; `dims` of A are moved to its end first."""
    n = A._array.ndim
    if dims is not None:
        A = A.movedim(list(dims), list(range(n - len(dims), n)))
    shape = A._array.shape[B._array.ndim :]
    columns = math.prod(shape)
    if columns != B._array.size:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got "
            f"{columns} != {B._array.size}"
        )
    result = solve(A.reshape((columns, columns)), B.reshape((-1,)))
    return into(result.reshape(shape), out, "linalg_tensorsolve")


__all__ = ["inv", "solve", "herm"]
