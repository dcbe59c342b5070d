"""Diagonals made and written, and copies of a tensor with a part written over: diag, diag_embed, trace, *_scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....sandbox.integers import whole
from ...arrays.errors import not_implemented, wrap_dim
from ...arrays.extents import element_offset, limits, sized, strided
from ...arrays.layout import contiguous_format
from ...arrays.numbers import converted
from ...loading import table
from ...operators.declare import Array, composite, operator
from ...operators.results import writes_out
from ...tensors.inplace import Region, mutate
from ...tensors.overlap import alone
from ...tensors.tensor import Tensor
from ..creation.copying import fill_, fill_number_
from .view_copies import diagonal_copy
from .views import as_strided, diagonal, diagonal_geometry, restrided, select, slice_


@operator(out=False)
def diag_embed(xp, input: Array, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last dimension along a diagonal, zeros elsewhere."""
    n = input.ndim + 1
    first, second = wrap_dim(dim1, n), wrap_dim(dim2, n)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    offset = whole(offset)
    side = input.shape[-1] + abs(offset)
    shape = list(input.shape[:-1])
    for d in sorted((first, second)):
        shape.insert(d, side)
    sized(shape, input.itemsize)
    made = xp.zeros(tuple(shape), input.dtype)
    strided(made, *diagonal_geometry(made.shape, made.strides, offset, first, second))[...] = input
    return made


diag_embed.gradient(input=lambda t, g, offset, dim1, dim2: t.diagonal(g, offset, dim1, dim2))


@composite()
@writes_out
def diag(input: Tensor, diagonal=0) -> Tensor:
    """A matrix with a vector as a diagonal, or the diagonal of a matrix."""
    n = input._array.ndim
    if n not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {n}D")
    return diag_embed.function(input, diagonal) if n == 1 else diagonal_copy(input, diagonal)


@composite()
def diagflat(input: Tensor, offset=0) -> Tensor:
    """A matrix with all elements of a tensor along a diagonal."""
    return input.contiguous().view(-1).diag(offset)


@operator(out=False)
def trace(xp, input: Array):
    """The sum of a matrix's diagonal.
    A tensor without dimensions; integers give int64. The matrix need not be square. RuntimeError: no two dimensions."""
    dtype = input.dtype
    if dtype.kind == "b":
        raise not_implemented("trace", input)
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return input.trace(dtype=np.int64 if dtype.kind in "iu" else dtype)


trace.gradient(input=lambda t, g, input_shape: t._trace_backward(g, input_shape))


@operator("_trace_backward", method=False)
def trace_backward(xp, grad: Array, shape):
    whole = xp.zeros(shape, grad.dtype)
    n = min(shape)
    whole[xp.arange(n), xp.arange(n)] = grad
    return whole


trace_backward.gradient(grad=lambda t, g: t.trace(g))


PLAIN = frozenset((bool, int, float))


def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the main diagonal to a value (`wrap`: of a tall matrix, again and again)."""
    array = input._array
    if array.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if array.ndim > 2 and len(set(array.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    rows, columns = array.shape[:2]
    step = sum(array.strides) // array.itemsize
    size = min(rows, columns)
    if type(array) is np.ndarray and 0 not in array.strides and input._node is None and type(fill_value) in PLAIN:
        number = converted(fill_value, array.dtype)
        mutate(fill_number_, [input, fill_value], lambda a: restrided(a, (size,), (step,), None).fill(number))
    else:
        fill_(as_strided(input, (size,), (step,)), fill_value)
    if wrap and array.ndim == 2 and rows > columns + 1:  # again from the row after next on
        more = (rows * columns + columns) // (columns + 1) - size
        start = element_offset(array) + array.strides[0] // array.itemsize * (columns + 1)
        fill_(as_strided(input, (more,), (step,), start), fill_value)
    return input


table.METHODS["fill_diagonal_"] = Tensor.fill_diagonal_ = fill_diagonal_


def written(input: Any, src: Any, part: Any) -> Any:
    """A copy of an array with the part that `part(copy)` gives written over."""
    whole = input.copy()
    return filled(whole, part(whole), src)


def filled(whole: Any, target: Any, src: Any) -> Any:
    """An array whose part `target` is written over."""
    if target.shape != src.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(target.shape)}"
        )
    if 0 in target.strides:
        alone(target)
    target[...] = src
    return whole


@operator(out=False)
def select_scatter(xp, input: Array, src: Array, dim, index):
    """A copy of `input` with slice number `index` along `dim` replaced."""
    return written(input, src, lambda a: select.kernel(xp, a, dim, index))


select_scatter.gradient(
    input=lambda t, g, src_shape, dim, index: t.select_scatter(g, t._zeros_of(g, src_shape), dim, index),
    src=lambda t, g, dim, index: t.select(g, dim, index),
)


@operator()
def slice_scatter(xp, input: Array, src: Array, dim=0, start=None, end=None, step=1):
    """A copy of `input` with the elements `start:end:step` along `dim` replaced."""
    return written(input, src, lambda a: slice_.kernel(xp, a, dim, start, end, step))


slice_scatter.gradient(
    input=lambda t, g, src_shape, dim, start, end, step: t.slice_scatter(
        g, t._zeros_of(g, src_shape), dim, start, end, step
    ),
    src=lambda t, g, dim, start, end, step: t._slice(g, dim, start, end, step),
)


@operator(out=False)
def diagonal_scatter(xp, input: Array, src: Array, offset=0, dim1=0, dim2=1):
    """A copy of `input` with a diagonal replaced."""
    return written(input, src, lambda a: diagonal.kernel(xp, a, offset, dim1, dim2))


diagonal_scatter.gradient(
    input=lambda t, g, src_shape, offset, dim1, dim2: t.diagonal_scatter(
        g, t._zeros_of(g, src_shape), offset, dim1, dim2
    ),
    src=lambda t, g, offset, dim1, dim2: t.diagonal(g, offset, dim1, dim2),
)


@operator(out=False)
def as_strided_scatter(xp, input: Array, src: Array, size, stride, storage_offset=None):
    """A copy of `input` with the elements replaced that a view of such size and strides has."""
    region = Region(input, restrided(input, size, stride, storage_offset))
    if type(input) is np.ndarray and region.size == limits(input.shape, input.strides, input.itemsize)[1]:
        memory = strided(input, (region.size,), (1,), 0, np.dtype(np.uint8)).copy()
        whole, target = region.parts(memory)
    else:
        _, whole, target = region.buffers(input)
        whole[...] = input
    return filled(whole, target, src)


# PyTorch's own formula: the gradient of `input` is that of the part written over, not of the rest.
as_strided_scatter.gradient(
    input=lambda t, g, size, stride, storage_offset: t.as_strided_scatter(
        t.zeros_like(g), strided_part(t, g, size, stride, storage_offset), size, stride, storage_offset
    ),
    src=lambda t, g, size, stride, storage_offset: strided_part(t, g, size, stride, storage_offset),
)


def strided_part(t: Any, g: Any, size: Any, stride: Any, storage_offset: Any) -> Any:
    if not t.raw or type(g) is not np.ndarray or g.base is not None or not g.flags.c_contiguous:
        g = t.clone(g, memory_format=contiguous_format)
    return t.as_strided(g, size, stride, storage_offset)
