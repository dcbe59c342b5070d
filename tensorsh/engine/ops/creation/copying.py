"""Copies and fills: clone, copy_, fill_, zero_, contiguous, and the formats of memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import move_like
from ...arrays.errors import argument_error, fits_into
from ...arrays.layout import contiguous_format as contiguous
from ...arrays.layout import copied_as, laid_out
from ...arrays.numbers import converted
from ...arrays.parallel import lay
from ...arrays.warning import warn_of_old
from ...loading import table
from ...numerics.halves import whole
from ...operators.declare import Array, composite, operator
from ...operators.registration import add_method
from ...tensors.inplace import mutate
from ...tensors.tensor import Tensor
from .placing import filled


@operator(out=False)
def clone(xp, input: Array, *, memory_format=None):
    """A copy that gradients flow through.
    The shape, the dtype and the device stay; writes to either are not seen in the other. ``x.detach().clone()`` is a copy
    without history."""
    return laid_out(input, memory_format)


def copied(array, memory_format):
    """A copy in the order of memory of an array; None for another format."""
    return copied_as(array) if memory_format is None else None


clone.fast = clone.same = copied
clone.gradient(input=lambda t, g: g)


def in_format(array: Any, memory_format: Any = None) -> bool:
    """Whether an array lies in memory as a format (row order by default) wants it."""
    if memory_format is None or memory_format is contiguous or str(memory_format) == "torch.contiguous_format":
        return array.flags.c_contiguous
    name = str(memory_format)
    if name in ("torch.channels_last", "torch.channels_last_3d"):
        dims = 4 if name == "torch.channels_last" else 5
        return array.ndim == dims and np.moveaxis(array, 1, -1).flags.c_contiguous
    return True


@composite("_contiguous", method="contiguous")
def contiguous_form(input: Tensor, memory_format=contiguous) -> Tensor:
    """`input` itself when its elements lie in row order, else a copy that does.
    The shape and the dtype stay. `view` wants it after `transpose` or `permute`; `reshape` does both."""
    return input if in_format(input._array, memory_format) else clone.function(input, memory_format=memory_format)


@composite("_is_contiguous", method="is_contiguous")
def is_contiguous(input: Tensor, memory_format=contiguous) -> bool:
    """Whether the elements lie in row order (or in another memory format).
    False behind `t`, `transpose`, `permute` and slices with steps, whose elements `contiguous` copies into order."""
    return bool(in_format(input._array, memory_format))


del table.FUNCTIONS["_contiguous"], table.FUNCTIONS["_is_contiguous"]


def nothing(t, g):
    """A gradient of zeros."""
    return t.constant(np.zeros_like(t.array(g)))


def filled_by_number(xp, input: Array, value):
    return xp.full(input.shape, converted(value, input.dtype), input.dtype)


def filled_by_tensor(xp, input: Array, value: Array):
    check_single(value)
    return xp.full(input.shape, value.astype(input.dtype), input.dtype)


def check_single(value: Any) -> None:
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")


fill_number = operator("_fill_number", node="FillBackward0", method=False)(filled_by_number)
fill_tensor = operator("_fill_tensor", node="FillBackward1", method=False)(filled_by_tensor)
fill_number_ = operator("_fill_number_", node="FillBackward2", method=False)(filled_by_number)
fill_tensor_ = operator("_fill_tensor_", node="FillBackward3", method=False)(filled_by_tensor)
for _op in (fill_number, fill_number_):
    _op.gradient(input=lambda t, g: nothing(t, g))
for _op in (fill_tensor, fill_tensor_):
    _op.gradient(input=lambda t, g: nothing(t, g), value=lambda t, g: t.sum(g))


@composite(method=False)
def fill(input: Tensor, value) -> Tensor:
    """A tensor like `input` full of `value`, a number or a tensor without dimensions."""
    return (fill_tensor if isinstance(value, Tensor) else fill_number).function(input, value)


def once(array: Any) -> Any:
    """An array without the repetition of its elements."""
    strides = array.strides
    return array[tuple([slice(None if s else 1) for s in strides])] if 0 in strides else array


def fill_(input: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a tensor without dimensions.
    It is converted to the dtype of the tensor, which is returned. RuntimeError: a value with dimensions, a leaf that wants a
    gradient outside of `no_grad`."""
    if isinstance(value, Tensor):
        source = value._array
        check_single(source)
        return mutate(fill_tensor_, [input, value], lambda array: once(array).fill(source.astype(array.dtype)))
    number = converted(value, input._array.dtype)
    return mutate(fill_number_, [input, value], lambda array: once(array).fill(number))


@operator("_zero_", node="ZeroBackward0", method=False)
def zero(xp, input: Array):
    return xp.zeros_like(input)


zero.gradient(input=lambda t, g: nothing(t, g))


def cleared(array: Any) -> None:
    """Zeros in the place of all elements; sparse arrays do so themselves."""
    filled(array, 0) if type(array) is np.ndarray else array.fill(0)


def zero_(input: Tensor) -> Tensor:
    """Set every element to zero.
    The tensor itself is returned, as of every function whose name ends in an underscore; ``x.grad.zero_()`` is between two
    backward passes. RuntimeError: a leaf that wants a gradient outside of `no_grad`."""
    return mutate(zero, [input], cleared)


@operator("_copy", node="CopyBackwards", method=False)
def copy(xp, input: Array, src: Array, non_blocking=False):
    return xp.broadcast_to(src, input.shape).astype(input.dtype)


copy.gradient(input=lambda t, g: nothing(t, g), src=lambda t, g: g)


def copy_(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Set the elements to those of `src`, broadcast and converted; gradients flow to `src`.
    The shape, dtype and device of the tensor stay, and it is returned. RuntimeError: a shape that does not broadcast to it, a
    leaf that wants a gradient outside of `no_grad`."""
    if not isinstance(src, Tensor):
        if not isinstance(src, (bool, int, float, complex, np.generic)):
            raise argument_error(copy, 1, src)
        number = converted(src, input._array.dtype)
        return mutate(copy, [input, src, False], lambda array: array.fill(number))
    source, target = src._array, input._array
    if source.shape != target.shape and not hasattr(target, "layout"):
        fits_into(target.shape, source.shape)
    return mutate(copy, [input, src, False], lambda array: assign(array, source))


def assign(target: Any, source: Any) -> None:
    """Write an array into another, converting; a complex one leaves its imaginary part behind."""
    if type(source) is type(target) is np.ndarray and source.dtype is target.dtype:
        if source.shape == target.shape:
            lay(target, source)
        else:
            target[...] = source
        return
    if source.dtype.kind == "c" and target.dtype.kind not in "cb":
        warn_of_old("complex")
        source = source.real
    if type(source) is not np.ndarray or type(target) is not np.ndarray:
        if hasattr(source, "layout") or hasattr(target, "layout"):
            from ...sparse.conversion import assign as assign_sparsely

            return assign_sparsely(target, source)
        source = move_like(source, target)
    target[...] = whole(source, target.dtype)


table.FUNCTIONS |= {"fill_": fill_, "zero_": zero_}
for _function in fill_, copy_:
    add_method(_function.__name__, _function)
table.METHODS["zero_"] = Tensor.zero_ = zero_
