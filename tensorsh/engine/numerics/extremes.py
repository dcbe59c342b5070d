"""The least and the greatest number of an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...sandbox.long_calls import HUGE, apart
from ..arrays.bounds import outside, refuse
from ..arrays.layout import along_in_memory, row_order
from ..kernels import kernel, unsuited
from .sums import left, merged

FEW = 64
"""Elements that are read one by one before a reduction of numpy's would begin."""
bounds = kernel("bounds", unsuited)
extremes_along, placed_extremes = kernel("extremes", unsuited), kernel("placed_extremes", unsuited)


def over(a: Any, axes: tuple, keepdim: bool, smallest: bool) -> Any:
    """The extreme elements over one axis, counted from the front, or over neighbours of an array in row order; None where there is no kernel."""
    signed = a.dtype.kind == "i"
    if len(axes) == 1:
        found = along_in_memory(extremes_along, a, axes[0], smallest, signed)
    elif not a.flags.c_contiguous or (whole := merged(a.shape, axes)) is None:
        return None
    else:
        found = extremes_along(a.reshape(whole), 1, smallest, signed)
    return None if found is None else row_order(found).reshape(left(a.shape, axes, keepdim))


def placed(a: Any, axis: int, keepdim: bool, smallest: bool) -> Any:
    """The extreme elements along an axis that is not the last in memory, and where they stand first; None where there is no kernel."""
    found = along_in_memory(placed_extremes, a, axis, smallest, a.dtype.kind == "i") if a.ndim > 1 else None
    kept = left(a.shape, (axis,), keepdim)
    return None if found is None else tuple([row_order(each).reshape(kept) for each in found])


def of_floats(array: Any) -> Any:
    """The extremes of an array in any steps by a kernel, or None."""
    found = bounds(array)
    return bounds(array.ravel("K")) if found is None and not array.flags.c_contiguous and array.size < HUGE else found


def extremes(array: Any) -> tuple[Any, Any]:
    """The least and the greatest element."""
    if type(array) is np.ndarray:
        if array.size < FEW and array.dtype.kind in "iu":
            values = array.ravel().tolist()
            return min(values), max(values)
        if (found := of_floats(array)) is not None:
            return found
    if array.size < HUGE:
        return array.min(), array.max()
    return apart(lambda: (array.min(), array.max()))


def bounded(index: Any, n: int, error: Callable[[Any], Exception]) -> None:
    """Raise the error of the first number of an index that is not from 0 to n - 1."""
    if not index.size or outside(index, 0, n):
        return
    least, most = extremes(index)
    if least < 0 or most >= n:
        wrong = (index < 0) | (index >= n)
        refuse(wrong, lambda: error(index[wrong].reshape(-1)[0]))


def within(index: Any, input: Any, dim: int) -> None:
    """Raise unless all numbers of an index are places along a dimension."""
    n = input.shape[dim] if input.ndim else 1
    bounded(index, n, lambda i: RuntimeError(f"index {i} is out of bounds for dimension {dim} with size {n}"))
