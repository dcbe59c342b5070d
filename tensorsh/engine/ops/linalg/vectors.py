"""Cross products, dot products along a dimension, diagonals and Vandermonde matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.dtype import int64, of
from ...arrays.errors import broadcast_error, not_implemented, wrap_dim
from ...arrays.warning import warn_of_old
from ...graph.fields import wrap
from ...loading import table
from ...loading.table import find_function
from ...numerics.complex import single_product
from ...numerics.rounding import fused
from ...operators.declare import Array, composite
from ...tensors.tensor import Tensor
from ..shapes.views import diagonal
from .common import check_whole, into, linalg


def check_cross(input: Any, other: Any, dim: Any = -1) -> None:
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, input.ndim)
    if input.shape[d] != 3 or other.shape[d] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[d]} and {other.shape[d]}"
        )
    if input.shape != other.shape:
        try:
            np.broadcast_shapes(input.shape, other.shape)
        except ValueError:
            raise broadcast_error(input.shape, other.shape) from None
    if input.dtype.kind == "b":
        raise not_implemented("cross", input)
    if input.dtype != other.dtype:
        raise RuntimeError(f"expected scalar type {of(input).short} but found {of(other).short}")


@linalg("cross", promote="same", check=check_cross)
def linalg_cross(xp, input: Array, other: Array, *, dim=-1):
    """The cross product of vectors of three elements along `dim`."""
    axis = wrap_dim(dim, input.ndim)
    shape = input.shape if input.shape == other.shape else np.broadcast_shapes(input.shape, other.shape)
    found = xp.empty(shape, input.dtype)
    first = (axis, *range(axis), *range(axis + 1, input.ndim))
    a, b = [in_a_circle(xp, x.transpose(first)) for x in (input, other)]
    rest = single_product(xp, a[2:], b[1:4])
    whole = rest.dtype.kind == "c"
    found.transpose(first)[...] = (
        single_product(xp, a[1:4], b[2:]) - rest if whole else fused(a[1:4], b[2:], xp.negative(rest, rest))
    )
    return found


def in_a_circle(xp, x):
    """Three parts, side by side in memory, and the first two once more behind them."""
    made = xp.empty((5, *x.shape[1:]), x.dtype)
    made[:3] = x
    made[3:] = made[:2]
    return made


linalg_cross.gradient(
    input=lambda t, g, other, dim: getattr(t, "linalg.cross")(t.conj(other), g, dim=dim),
    other=lambda t, g, input, dim: getattr(t, "linalg.cross")(g, t.conj(input), dim=dim),
)


@composite()
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product along `dim`, by default the first dimension of three elements.
    Both broadcast; the size along `dim` is 3. `linalg.cross` takes the last dimension. RuntimeError: no dimension of
    three elements, sizes that do not fit."""
    if dim is None:
        warn_of_old("cross")
        sizes = input._array.shape
        if 3 not in sizes:
            raise RuntimeError("no dimension of size 3 in input")
        if input._array.ndim != other._array.ndim:
            raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
        dim = sizes.index(3)
    given = {} if out is None else {"out": out}
    return linalg_cross.function(input, other, dim=dim, **given)


@composite("linalg.vecdot", method=False)
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The sum of ``conj(x) * y`` along `dim`."""
    a, b = x._array, y._array
    check_whole("linalg.vecdot", a)
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {of(a).short} and y of type "
            f"{of(b).short} instead"
        )
    if a.ndim == 1 and b.ndim == 1 and a.dtype.kind in "fcV":
        return into(find_function("vdot")(x, y), out, "linalg_vecdot")
    product = (x.conj() if a.dtype.kind == "c" else x) * y
    return into(product.sum(wrap_dim(dim, product._array.ndim)), out, "linalg_vecdot")


@composite("linalg.diagonal", method=False)
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, a view."""
    return diagonal.function(A, offset, dim1, dim2)


def in_rows(x: Tensor, rows: int) -> Tensor:
    """A vector as so many rows."""
    return x.unsqueeze(0).expand((rows, x._array.size))


@composite("vander", method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The matrix of powers of a vector's elements, the highest first unless `increasing`."""
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x._array.size if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    kind = np.dtype(np.int64) if x._array.dtype.kind in "biu" else x._array.dtype
    if (
        x._node is None and columns > 1 and kind == x._array.dtype
    ):  # without a history: rows are added to faster than columns
        lines = table.find_function("cat")([x.new_ones((1, x._array.size)), in_rows(x, columns - 1).cumprod(0)], 0)
        return (lines if increasing else lines.flip([0])).t().contiguous()
    result = wrap(module_of(x._array).empty((x._array.size, columns), kind))
    if columns > 0:
        result.select(1, 0).fill_(1)
    if columns > 1:
        result.narrow(1, 1, columns - 1).copy_(x.unsqueeze(1))
        result.narrow(1, 1, columns - 1).copy_(result.narrow(1, 1, columns - 1).cumprod(1))
    return result if increasing else result.flip([1])


@composite("linalg.vander", method=False)
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The matrices of ascending powers of the elements along the last dimension."""
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype.short}"
        )
    if x._array.ndim == 0:
        x = x.unsqueeze(0)
    shape = x._array.shape
    columns = shape[-1] if N is None else N
    if columns <= 1:
        raise RuntimeError("N must be greater than 1.")
    if x._array.dtype.kind in "biu":
        x = x.to(int64)
    if x._node is None and len(shape) == 1:
        powers = in_rows(x, columns - 1).cumprod(0)
        return table.find_function("cat")([x.new_ones((1, *shape)), powers], 0).t().contiguous()
    powers = x.unsqueeze(-1).expand((*shape, columns - 1)).cumprod(-1)
    return table.find_function("cat")([x.new_ones((*shape, 1)), powers], -1)


__all__: list[Any] = ["linalg_cross", "vecdot"]
