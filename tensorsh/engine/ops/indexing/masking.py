"""Masks: masked_fill, masked_select, masked_scatter, and where the elements that are not zero lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....sandbox.long_calls import places
from ...arrays.backend import module_of
from ...arrays.device import absent
from ...arrays.dtype import of
from ...arrays.errors import CPP_NAMES, broadcast_error, common_shape, fits_into
from ...arrays.extents import sized
from ...arrays.numbers import converted
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading import table
from ...operators.declare import Array, composite, operator
from ...tape.worlds import sum_to_shape
from ...tensors.inplace import mutate, write
from ...tensors.tensor import Tensor


def check_boolean(mask: Any) -> None:
    if mask.dtype.kind != "b":
        name = of(mask).name
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {CPP_NAMES.get(name, name)}"
        )


def masked(input: Any, mask: Any, value: Any) -> Any:
    """A copy of an array, broadcast with the mask, with `value` where the mask is true."""
    if mask.shape == input.shape:
        ours = type(input) is np.ndarray is type(mask)
        if ours and input.dtype.kind in "biuf" and input.ndim and input.flags.c_contiguous:
            check_boolean(mask)
            return np.where(mask, np.asarray(value, input.dtype), input)  # without a branch for each element
        whole = input.copy()
    else:
        try:
            shape = np.broadcast_shapes(input.shape, mask.shape)
        except ValueError:
            raise broadcast_error(mask.shape, input.shape) from None
        whole = np.empty_like(input, order="C", shape=shape)
        whole[...] = input
        mask = np.broadcast_to(mask, shape)
    check_boolean(mask)
    whole[mask] = value
    return whole


def value_of(value: Any, dtype: np.dtype) -> Any:
    """A tensor without dimensions as a value to fill with."""
    if value.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return np.asarray(converted(value.item(), dtype), dtype) if type(value) is np.ndarray else value.astype(dtype)


@operator("_masked_fill", method=False, node="MaskedFillBackward0", broadcast=True)
def masked_fill_number(xp, input: Array, mask: Array, value):
    return masked(input, mask, converted(value, input.dtype))


masked_fill_number.gradient(input=lambda t, g, mask: t._masked_fill(g, mask, 0))


@operator("_masked_fill_tensor", method=False, node="MaskedFillBackward1", broadcast=True)
def masked_fill_tensor(xp, input: Array, mask: Array, value: Array):
    return masked(input, mask, value_of(value, input.dtype))


masked_fill_tensor.gradient(
    input=lambda t, g, mask: t._masked_fill(g, mask, 0),
    value=lambda t, g, mask: t.sum(t.where(mask, g, t.zeros_like(g))),
)


def fill_where(array: Any, mask: Any, value: Any) -> None:
    if mask.shape != array.shape:
        fits_into(array.shape, mask.shape)
        mask = np.broadcast_to(mask, array.shape)
    array[mask] = value


def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Set the elements where `mask` is true to a value.
    The mask is bool and broadcasts to the tensor, which is returned; the value is a number or a tensor without dimensions.
    `masked_fill` leaves the tensor as it is, ``x[mask] = value`` says the same."""
    if isinstance(value, Tensor):
        number = value_of(value._array, input._array.dtype)
        op = masked_fill_tensor
    else:
        number = converted(value, input._array.dtype)
        op = masked_fill_number
    check_boolean(mask._array)
    return mutate(op, [input, mask, value], lambda array: fill_where(array, mask._array, number))


@composite(inplace=masked_fill_)
def masked_fill(input: Tensor, mask, value) -> Tensor:
    """A copy of `input` with `value` where `mask` is true.
    The mask broadcasts to `input`. RuntimeError: a mask that is not boolean or does not broadcast."""
    op = masked_fill_tensor if isinstance(value, Tensor) else masked_fill_number
    return op.function(input, mask, value)


@operator(long="once")
def masked_select(xp, input: Array, mask: Array):
    """The elements where `mask` is true, in a row.
    The mask and `input` broadcast; the result is a vector. RuntimeError: a mask that is not boolean."""
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if input.shape != mask.shape:
        try:
            input, mask = xp.broadcast_arrays(input, mask)
        except ValueError:
            raise broadcast_error(mask.shape, input.shape) from None
    return input[mask].reshape(-1)


masked_select.gradient(input=lambda t, g, input_shape, mask: t._masked_select_backward(g, mask, input_shape))


@operator("_masked_select_backward", method=False, node="MaskedScatterBackward0")
def masked_select_backward(xp, grad: Array, mask: Array, shape):
    both = np.broadcast_shapes(shape, mask.shape)
    whole = xp.zeros(both, grad.dtype)
    whole[xp.broadcast_to(mask, both)] = grad
    return sum_to_shape(whole, shape)


masked_select_backward.gradient(grad=lambda t, g, mask: t.masked_select(g, mask))


refilled = kernel("refilled", unsuited)


@operator("_masked_scatter", method=False, node="MaskedScatterBackward0", broadcast=True)
def masked_scatter_op(xp, input: Array, mask: Array, source: Array):
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{of(input).short} and {of(source).short}"
        )
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {of(mask).short}")
    shape = input.shape
    if mask.shape != shape:
        shape = common_shape(mask.shape, shape)
        mask = xp.broadcast_to(mask, shape)
    count = np.count_nonzero(mask) if xp is np else int(mask.sum().item())
    if count > source.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    if xp is np and (found := refilled(input, mask, np.ascontiguousarray(source))) is not None:
        return found
    whole = xp.empty(shape, input.dtype)
    whole[...] = input
    whole[mask] = source.reshape(-1)[:count]
    return whole


masked_scatter_op.gradient(
    input=lambda t, g, mask: t._masked_fill(g, mask, 0),
    source=lambda t, g, mask, source_shape: t._masked_scatter_backward(g, mask, source_shape),
)


@operator("_masked_scatter_backward", method=False, node="MaskedScatterBackwardBackward0")
def masked_scatter_backward(xp, grad: Array, mask: Array, shape):
    count = 1
    for n in shape:
        count *= n
    whole = xp.zeros(count, grad.dtype)
    chosen = grad[xp.broadcast_to(mask, grad.shape)].reshape(-1)
    whole[: chosen.size] = chosen
    return whole.reshape(shape)


masked_scatter_backward.gradient(
    grad=lambda t, g, grad_shape, mask: t._masked_scatter(t._zeros_of(g, grad_shape), mask, g)
)


@operator("_zeros_of", method=False)
def zeros_of(xp, like: Array, shape):
    """Zeros of a shape with an array's dtype."""
    return xp.zeros(shape, like.dtype)


def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Set the elements where `mask` is true to those of `source`, in order."""
    return write(masked_scatter_op, [input, mask, source])


@composite(inplace=masked_scatter_)
def masked_scatter(input: Tensor, mask, source) -> Tensor:
    """A copy of `input` with the elements of `source`, in order, where `mask` is true."""
    return masked_scatter_op.function(input, mask, source)


LONG = 1 << 24
"""Elements of which more are neither copied nor looked at in one step, between which signals are seen to."""


@operator("_nonzero", method=False, long="once")
def nonzero_op(xp, input: Array):
    if not input.ndim:
        return xp.zeros((int(bool(input.item())), 0), np.int64)
    if input.dtype.kind != "c" and input.size <= LONG:
        found = nonzero_places(np.ascontiguousarray(input) if xp is np else input)
        if found is not None:
            return found.T
    return xp.stack(places(input)).T


nonzero_places = kernel("nonzero_places", unsuited)


def nonzero(input: Tensor, *, as_tuple: bool = False, out: Any = None) -> Any:
    """The indices of the elements that are not zero: rows of a matrix, or a vector for each dimension.
    Of three true elements of a (4, 5) mask it is int64 of (3, 2); with ``as_tuple=True`` two vectors of three, which index:
    ``x[x.nonzero(as_tuple=True)]``."""
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        array = input._array if input._array.ndim else input._array.reshape(1)
        return tuple([wrap(i.copy()) for i in places(array)])
    return nonzero_op.function(input, out=out) if out is not None else nonzero_op.function(input)


@composite()
def nonzero_static(input: Tensor, *, size, fill_value=-1) -> Tensor:
    """`nonzero` with a fixed number of rows: further ones are left out, missing ones are `fill_value`."""
    xp = module_of(input._array)
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    sized((size, input._array.ndim), 8)
    if absent(input._array):
        return wrap(xp.empty((size, input._array.ndim), np.int64))
    found = nonzero_op.kernel(xp, input._array)[:size]
    rows = xp.full((size, found.shape[1]), fill_value, np.int64)
    rows[: len(found)] = found
    return wrap(rows)


@composite()
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, as rows."""
    return nonzero_op.function(input)


table.FUNCTIONS["nonzero"] = table.METHODS["nonzero"] = Tensor.nonzero = nonzero
table.OPERATORS["nonzero"] = nonzero_op
