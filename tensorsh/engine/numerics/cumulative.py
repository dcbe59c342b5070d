"""Products, running sums and products, and variances that round as PyTorch's do.

Running sums and products are kept in the wider type (float64 for float32, float32 for the half types) and rounded at
each step's output. Variances of narrow types are exact in float64. A product over a contiguous axis runs in four
vectors, which are multiplied together at the end, then their lanes, then what the vectors left over."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays.dtype import is_half
from ..arrays.layout import row_order
from ..kernels import kernel, unsuited
from .halves import converted
from .sums import _LANES, C8, C16, F4, F8, I8

_add: Any = np.add.reduce
_multiply: Any = np.multiply.reduce
running_sums, running_products = kernel("running_sums"), kernel("running_products")
"""Compiled; None where an array is not for them."""
product_along = kernel("product_along", unsuited)
_WIDER = {F4: F8, C8: C16, F8: F8, C16: C16}


def _running(function: Any, compiled: Any, a: np.ndarray, axis: int) -> np.ndarray:
    dtype = a.dtype
    if a.ndim == 0:
        return (a.astype(I8) if dtype.kind in "biu" else a).copy()
    if dtype.kind in "biu":
        a = a.astype(I8, "C", copy=False)
    if compiled is not None:
        half = is_half(dtype)
        found = compiled(converted(row_order(a), F4), axis, False, True) if half else compiled(row_order(a), axis)
        if found is not None:
            return converted(found, dtype) if half else found
    if dtype.kind in "biu":
        return function(a, axis, I8)
    wider = _WIDER.get(dtype, F4)
    a = row_order(a)
    a = a if wider is dtype else converted(a, wider)
    if dtype.kind == "c":  # begun with 0, or 1, as one more number
        a = a + 0 if function == np.add.accumulate else begun_with_one(a, axis)
    out = function(a, axis)
    return out if wider is dtype else converted(out, dtype)


def begun_with_one(a: np.ndarray, axis: int) -> np.ndarray:
    """Complex numbers of which the first along an axis is one times itself, which is seen in signs of zero."""
    a = a.copy()
    if a.size:
        a[(slice(None),) * (axis % a.ndim) + (0,)] *= 1 + 0j
    return a


def cumsum(a: np.ndarray, axis: int) -> np.ndarray:
    """`torch.cumsum`: integers and booleans in int64."""
    return _running(np.add.accumulate, running_sums, a, axis)


def cumprod(a: np.ndarray, axis: int) -> np.ndarray:
    """`torch.cumprod`. (complex128 products differ from PyTorch's in the last bit.)"""
    return _running(np.multiply.accumulate, running_products, a, axis)


def prod(a: np.ndarray, axis: int | None = None, keepdims: bool = False) -> np.ndarray:
    """`torch.prod` over one axis or all: integers and booleans in int64. (Complex products can differ in a bit.)"""
    dtype = a.dtype
    if a.ndim == 0:
        axis = None
    if dtype.kind in "biu":
        return np.asarray(_multiply(a, axis, I8, None, keepdims))
    if axis is None:
        shape = (1,) * a.ndim if keepdims else ()
        rows = a.reshape(1, -1)
        found = product_along(rows, 1)
    else:
        axis %= a.ndim
        shape = a.shape[:axis] + ((1,) if keepdims else ()) + a.shape[axis + 1 :]
        found = product_along(a, axis)
        if found is None:
            rows = np.moveaxis(a, axis, -1)
            if rows.strides[-1] == a.itemsize:
                found = product_along(np.ascontiguousarray(rows), -1)
            elif rows.size > rows.shape[-1]:  # each row one number after the other, as columns are
                found = product_along(np.ascontiguousarray(np.moveaxis(a, axis, 0)), 0)
    if found is not None:
        return found.reshape(shape)
    n = rows.shape[-1]
    if a.size == 0 or n == 0:
        return np.ones(shape, dtype)
    block = 4 * _LANES.get(dtype, 16)
    parts = []
    rest = rows
    if n >= block and rows.strides[-1] == a.itemsize and dtype.kind == "f":
        count = n // block
        vectors = rows[..., : count * block].reshape(*rows.shape[:-1], count, 4, block // 4)
        acc = _multiply(vectors, -3)
        lanes = (acc[..., 0, :] * acc[..., 1, :]) * (acc[..., 2, :] * acc[..., 3, :])
        parts.append(lanes)
        rest = rows[..., count * block :]
    parts.append(rest)
    chain = np.concatenate(parts, -1) if len(parts) > 1 else rest
    return np.multiply.accumulate(chain, -1)[..., -1].reshape(shape)


def var(
    a: np.ndarray, axes: tuple[int, ...] | None = None, keepdims: bool = False, correction: float = 1.0
) -> np.ndarray:
    """`torch.var`: real also for complex input; NaN where the correction leaves no degree of freedom. float64 results
    can differ from PyTorch's (which are Welford's) in the last bit."""
    return _moment(a, axes, keepdims, correction, False)


def std(
    a: np.ndarray, axes: tuple[int, ...] | None = None, keepdims: bool = False, correction: float = 1.0
) -> np.ndarray:
    """`torch.std`; see `var`."""
    return _moment(a, axes, keepdims, correction, True)


BLOCK = 1 << 15
"""Larger arrays are converted to double, or added up, a block of this many elements at a time, to stay in the cache."""
spreads = kernel("spreads", unsuited)


def spread_of(a: np.ndarray, axes: tuple[int, ...]) -> Any:
    """The sums over axes of the squares of what elements are away from their mean, in double, in order of the axes that stay; None
    where there is no kernel, or for other than narrow floats."""
    if type(a) is not np.ndarray or a.dtype not in (F4, np.float16) and a.dtype.name != "bfloat16" or not a.size:
        return None
    n = math.prod([a.shape[axis] for axis in axes])
    if n == a.size:
        rows = a.ravel("K")  # in double the order of a sum is not seen
    else:
        kept = [k for k in range(a.ndim) if k not in axes]
        rows = a.transpose([*kept, *axes])
    rows = np.ascontiguousarray(rows.reshape(a.size // n, n))
    return spreads(rows if a.dtype is F4 else converted(rows, F4), np.empty(len(rows)))


def _moment(a: np.ndarray, axes: tuple[int, ...] | None, keepdims: bool, correction: float, root: bool) -> np.ndarray:
    dtype = a.dtype
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            total = _moment(a.real, axes, keepdims, correction, False)
            total = np.asarray(total + _moment(a.imag, axes, keepdims, correction, False))
            return np.sqrt(total, total) if root else total
        over = tuple(range(a.ndim)) if axes is None else axes
        n = math.prod(a.shape[axis] for axis in over)
        found = spread_of(a, over) if a.size > BLOCK else None
        if found is not None:
            shape = [1 if k in over else m for k, m in enumerate(a.shape) if keepdims or k not in over]
            total = np.asarray(found.reshape(shape) / np.float64(max(n - correction, 0)))
            return np.asarray(np.sqrt(total) if root else total).astype(F4).astype(dtype, copy=False)
        wide = a.astype(F8, copy=False)
        centre = _add(wide, over, None, None, True)
        spread = wide - (centre / n if n else centre)
        spread *= spread
        total = row_order(np.asarray(_add(spread, over, None, None, keepdims)))
        total = np.asarray(total / np.float64(max(n - correction, 0)))
        if root:
            total = np.sqrt(total, total)
        # To a half type by way of float32, as in C++.
        return total if dtype is F8 else total.astype(F4).astype(dtype, copy=False)
