"""Tensors whose elements lie in memory as a program wants them: empty_strided, empty_permuted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.blank import blank
from ...arrays.cupy_module import nowhere
from ...arrays.dtype import given_dtype
from ...arrays.extents import count, fitting, span, strided
from ...arrays.state import state
from ...loading import table
from ...operators.registration import add_method
from ...tensors.sizes import check_signs, ints
from ...tensors.tensor import Tensor
from .factories import made, new_form
from .placing import nowhere_on


def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    """An uninitialised tensor with given strides, counted in elements."""
    d = (state.default_dtype if dtype is None else given_dtype(dtype, "empty_strided")).numpy
    size, stride = ints("empty_strided", "size", size), ints("empty_strided", "stride", stride, 2)
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    check_signs(size)
    if nowhere_on(device):
        return made(nowhere().MetaArray(tuple(size), d, None, [s * d.itemsize for s in stride]), device, requires_grad)
    buffer = blank(span(size, stride, d.itemsize) // d.itemsize, d)
    count(size)
    array = fitting(buffer, size, stride, 0)
    if array is None:
        array = strided(buffer, size, tuple([s * d.itemsize for s in stride]))
    return made(array, device, requires_grad)


def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    """An uninitialised tensor whose dimensions lie in memory in a given order."""
    size, order = ints("empty_permuted", "size", size), ints("empty_permuted", "physical_layout", physical_layout, 2)
    n = len(size)
    if n != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{n} is not equal to len(physical_layout) = {len(order)}"
        )
    for at, i in enumerate(order):
        if not 0 <= i < n:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {n - 1}, but got {i} at index {at}).  NB: negative "
                "dims not currently supported; file an issue if you want it."
            )
        if i in order[:at]:
            raise RuntimeError("Duplicate dim not allowed")
    check_signs(size)
    array = blank([size[i] for i in order], (dtype or state.default_dtype).numpy)
    return made(array.transpose(np.argsort(order)), device, requires_grad)


table.FUNCTIONS["empty_strided"] = empty_strided
table.FUNCTIONS["empty_permuted"] = empty_permuted
add_method("new_empty_strided", new_form("new_empty_strided", empty_strided))
