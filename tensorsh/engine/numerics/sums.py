"""Sums whose bits are PyTorch's, because the additions are made in the order of PyTorch's CPU kernels.

A reduction is first brought to PyTorch's loop form: axes sorted by stride, reduced ones first, neighbours merged. Then
one of four kernels adds along the fastest reduced axis, and what other reduced axes leave is added one by one:

    inner   the axis is contiguous: vectors of V lanes, the left-over elements, then the lanes in order
    outer   the next axis is contiguous: each of its columns is a lane
    rows    neither: element by element
    columns neither, and the next axis has the smaller stride: lanes of columns, in groups of four

Adding n things one after the other is done by a cascade: after 2**p additions the sum spills into the next of four
levels. Most kernels interleave four cascades (i mod 4) and add them up at the end. V is 8 for float32, 4 for float64,
4 and 2 for complex, on every x86-64 machine. The order is that of one thread (`torch.set_num_threads(1)`): with more,
PyTorch splits sums of 32768 and more elements. Half types add in float32.

Contiguous arrays go to the kernels of kernels/sums.c, which add in the same order.
What is decided by shape, strides and axes is decided once and kept as a plan; a call looks the plan up and runs it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.constants import FLOATS32, FLOATS64
from ..arrays.layout import along_in_memory
from ..arrays.parallel import SHARED, each
from ..arrays.state import state
from ..kernels import kernel, unsuited
from .halves import converted

Plan = Callable[[np.ndarray], np.ndarray]

F4, F8, F2 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16)
C8, C16, I8 = np.dtype(np.complex64), np.dtype(np.complex128), np.dtype(np.int64)
_LANES = {F4: 8, F8: 4, C8: 4, C16: 2}

_add: Any = np.add
_reduce: Any = np.add.reduce
_accumulate: Any = np.add.accumulate
_divide: Any = np.true_divide

_plans: dict[Any, Plan] = {}


kernel_sum: Any = kernel("sum", unsuited)
kernel_mean: Any = kernel("mean", unsuited)
"""The sum and the mean of an array over all dimensions or one, None where the array is not for the kernels; complex numbers are
handed over as pairs."""


whole_sums: Any = kernel("whole_sums", unsuited)
"""Sums of whole numbers along an axis, in int64."""
strided_sums: Any = kernel("strided_sums", unsuited)
"""Sums of arrays in any steps: over the last dimension, or, given a cut, over the one before it; None where it does not suit."""


def sum(a: np.ndarray, axes: tuple[int, ...] | None = None, keepdims: bool = False, dtype: Any = None) -> np.ndarray:
    """`torch.sum`: always an array (0-d where nothing is left). Integers and booleans add up in int64.

    `axes` None means all; an empty tuple means none (PyTorch's `dim=()` is None here)."""
    if dtype is not None and a.dtype is not dtype:
        a = a.astype(dtype)
    if axes is None and a.dtype.kind == "b":
        return np.full((1,) * a.ndim if keepdims else (), np.count_nonzero(a))
    if a.dtype.kind in "biu" and axes is not None and len(axes) == 1 and a.ndim and a.dtype.itemsize < 9:
        total = along_in_memory(whole_sums, a, axes[0] % a.ndim, a.dtype.kind == "i")
        if total is not None:
            return total.reshape(left(a.shape, (axes[0] % a.ndim,), keepdims))
    if axes is not None and len(axes) != 1:
        total = sum_of_neighbours(a, axes, keepdims)
    elif a.dtype.kind != "c":
        total = kernel_sum(a, axes and axes[0], keepdims)
    else:
        total = complex_sum(a, axes, keepdims)
    if total is not None:
        return total
    key = (a.shape, a.strides, axes, keepdims, a.dtype)
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= 4096:
            _plans.clear()
        plan = _plans[key] = _make_plan(*key)
    return plan(a)


def complex_sum(a: np.ndarray, axes: tuple[int, ...] | None, keepdims: bool) -> Any:
    """The sum of contiguous complex numbers over all axes or one by the kernel; None where it is not made for it."""
    if not a.ndim or not a.flags.c_contiguous:
        return None
    pairs = a.view(a.real.dtype).reshape(*a.shape, 2)
    total = kernel_sum(pairs, axes and axes[0] % a.ndim, keepdims, None, True)
    return None if total is None else total.view(a.dtype)[..., 0]


def sum_of_neighbours(a: np.ndarray, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The sum of a contiguous array over axes that are neighbours by the kernel; None where it is not made for it."""
    if not a.flags.c_contiguous or not a.size or (whole := merged(a.shape, axes)) is None:
        return None
    together = a.reshape(whole)
    total = complex_sum(together, (1,), False) if a.dtype.kind == "c" else kernel_sum(together, 1, False)
    if total is None:
        return None
    return total.reshape(left(a.shape, axes, keepdims))


def left(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape after a reduction over axes, counted from the front."""
    return tuple([1 if i in axes else n for i, n in enumerate(shape) if keepdims or i not in axes])


def merged(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, int, int] | None:
    """The shape of a contiguous array with neighbouring axes (counted from the front) as one, which is the second of three."""
    first, last = min(axes, default=0), max(axes, default=-1)
    if last - first + 1 != len(axes) or first < 0:
        return None
    return math.prod(shape[:first]), math.prod(shape[first : last + 1]), math.prod(shape[last + 1 :])


def mean(a: np.ndarray, axes: tuple[int, ...] | None = None, keepdims: bool = False, dtype: Any = None) -> np.ndarray:
    """`torch.mean` of a floating or complex array: the sum divided by the number of elements."""
    if dtype is not None and a.dtype is not dtype:
        a = a.astype(dtype)
    kind = a.dtype
    half = kind not in _LANES
    total = sum(converted(a, F4) if half else a, axes, keepdims)
    n = a.size // total.size if total.size else 0
    if n:
        _divide(total, FLOATS32[n] if kind is F4 else FLOATS64[n] if kind is F8 else n, total)
    else:
        total.fill(np.nan)
    return total.astype(kind) if half else total


def sum_last(a: np.ndarray) -> np.ndarray:
    return sum(a, (a.ndim - 1,))


def _make_plan(
    shape: tuple[int, ...], strides: tuple[int, ...], axes: tuple[int, ...] | None, keepdims: bool, dtype: np.dtype
) -> Plan:
    ndim = len(shape)
    reduced = set(range(ndim)) if axes is None else {axis % ndim for axis in axes} if ndim else set()
    if keepdims:
        out_shape = tuple(1 if k in reduced else n for k, n in enumerate(shape))
    else:
        out_shape = tuple(n for k, n in enumerate(shape) if k not in reduced)
    if dtype.kind in "biu":
        over = tuple(reduced)

        def whole(a: np.ndarray) -> np.ndarray:
            return np.asarray(_reduce(a, axis=over, dtype=I8, keepdims=keepdims))

        return whole
    if 0 in shape:
        return lambda a: np.zeros(out_shape, dtype)
    dims = _loop_dims(shape, strides, reduced)
    if not dims or not dims[0].reduced or dims[0].size == 1:
        # Only axes of size 1 are reduced: 0 + a.
        return lambda a: _add(a.reshape(out_shape), dtype.type(0), np.empty(out_shape, dtype))
    return _Loop(shape, out_shape, dtype, dims).plan()


class _Loop:
    """A reduction over at least one dimension of several elements, in PyTorch's loop form."""

    def __init__(self, shape: tuple[int, ...], out_shape: tuple[int, ...], dtype: np.dtype, dims: list[_Dim]) -> None:
        self.shape, self.out_shape, self.dtype, self.dims = shape, out_shape, dtype, dims
        self.order = tuple(axis for dim in reversed(dims) for axis in dim.axes)
        self.sizes = tuple(dim.size for dim in reversed(dims))
        self.size, self.stride = dims[0].size, dims[0].stride
        self.next_size, self.next_stride = (dims[1].size, dims[1].stride) if len(dims) > 1 else (1, 0)
        self.chained = math.prod(dim.size for dim in dims[1:] if dim.reduced)
        self.lanes, self.least = _LANES.get(dtype, 8), _LANES.get(dtype, 16)
        self.adjacent = self.stride == dtype.itemsize
        self.inner = self.adjacent and self.size >= self.least
        self.by_rows = self.inner or self.stride < self.next_stride or self.next_size == 1
        block = 4 * self.lanes if self.next_stride == dtype.itemsize and self.next_size >= self.least else 4
        self.cut = self.next_size // block * block
        """Columns that are added in blocks; those behind them are added one by one."""
        real = [axis for axis in self.order if shape[axis] != 1]
        self.in_order = real == sorted(real)  # axes of one element may stand anywhere

    def plan(self) -> Plan:
        """The plan for an array of any strides."""
        half = self.dtype not in _LANES
        folded = _inner_half if self.inner and half else _inner if self.inner else _rows

        def plan(a: np.ndarray) -> np.ndarray:
            if not self.in_order:
                a = a.transpose(self.order)
            v = a if a.shape == self.sizes else a.reshape(self.sizes)
            if half:
                v = v.astype(F4)
            values = folded(v, self.lanes) if self.by_rows else _columns(v.swapaxes(-1, -2), self.cut)
            if self.chained > 1:
                values = _chain(values.reshape(-1, self.chained))
            if half:
                values = values.astype(self.dtype)
            # A sum that starts from 0 is never -0.
            if values.shape == self.out_shape and values.base is None and values is not a:
                return _add(values, 0, values)
            return _add(values.reshape(self.out_shape), 0, np.empty(self.out_shape, self.dtype))

        return plan


class _Dim:
    """One loop of the reduction: merged axes, slowest first."""

    __slots__ = ("size", "stride", "out_stride", "reduced", "axes")

    def __init__(self, size: int, stride: int, out_stride: int, reduced: bool, axes: list[int]) -> None:
        self.size, self.stride, self.out_stride, self.reduced, self.axes = size, stride, out_stride, reduced, axes


def _loop_dims(shape: tuple[int, ...], strides: tuple[int, ...], reduced: set[int]) -> list[_Dim]:
    """The loops, fastest first: reduced axes by stride, then the others in the order of the result."""
    dims = []
    out_stride = 1
    for axis in reversed(range(len(shape))):
        gone = axis in reduced
        dims.append(_Dim(shape[axis], strides[axis], 0 if gone else out_stride, gone, [axis]))
        if not gone:
            out_stride *= shape[axis]
    for i in range(1, len(dims)):
        here = i
        for before in range(i - 1, -1, -1):
            verdict = _compare(dims[before], dims[here])
            if verdict > 0:
                dims[before], dims[here] = dims[here], dims[before]
                here = before
            elif verdict < 0:
                break
    merged: list[_Dim] = []
    for dim in dims:
        if merged:
            last = merged[-1]
            if dim.size == 1:
                last.axes = dim.axes + last.axes
                continue
            if last.size == 1:
                dim.axes += last.axes
                merged[-1] = dim
                continue
            if last.size * last.stride == dim.stride and last.size * last.out_stride == dim.out_stride:
                last.size *= dim.size
                last.axes = dim.axes + last.axes
                continue
        merged.append(dim)
    return merged


def _compare(first: _Dim, second: _Dim) -> int:
    """Whether two loops stand in the wrong order (1), the right one (-1), or cannot be told apart (0)."""
    if first.reduced != second.reduced:
        return 1 if second.reduced else -1
    for a, b in ((first.out_stride, second.out_stride), (first.stride, second.stride)):
        if a == 0 or b == 0:
            continue
        if a != b:
            return -1 if a < b else 1
        if first.size > second.size:
            return 1
    return 0


def fold(v: np.ndarray) -> np.ndarray:
    """Sum [..., n, lanes] over n, one after the other; at least two lanes, and they are faster than n."""
    if v.shape[-2] == 1:
        return v[..., 0, :]
    if v.shape[-1] < 128 and v.size >= 2048:
        # The same order as reduce, with less overhead for each short run of lanes.
        return np.einsum("...nl->...l", v)
    return _reduce(v, -2)


def _cascade(v: np.ndarray) -> np.ndarray:
    """Sum [..., n, lanes] over n in four levels."""
    *rows, n, lanes = v.shape
    p = max(4, (n - 1).bit_length() // 4)
    step = 1 << p
    if n < step:
        return fold(v)
    full = n // step
    partial = fold(v[..., : full * step, :].reshape(*rows, full, step, lanes))
    total = fold(v[..., full * step :, :]) if n > full * step else None
    for level in (1, 2, 3):
        count = partial.shape[-2]
        groups = count // step if level < 3 else 0
        if count > groups * step:
            rest = fold(partial[..., groups * step :, :])
            total = rest if total is None else total + rest
        if not groups:
            break
        partial = fold(partial[..., : groups * step, :].reshape(*rows, groups, step, lanes))
    return total  # type: ignore[return-value]


def _interleaved(v: np.ndarray) -> np.ndarray:
    """Sum [..., n, lanes] over n by four cascades; what n leaves over goes onto the first, then the other three."""
    *rows, n, lanes = v.shape
    q = n // 4
    if q == 0:
        total = v[..., 0, :]
    else:
        parts = _cascade(v[..., : 4 * q, :].reshape(*rows, q, 4 * lanes)).reshape(*rows, 4, lanes)
        total = parts[..., 0, :]
    for i in range(max(4 * q, 1), n):
        total = total + v[..., i, :]
    if q:
        for k in (1, 2, 3):
            total = total + parts[..., k, :]
    return total


def _chain(x: np.ndarray) -> np.ndarray:
    """Sum [rows, n] over n, one after the other."""
    rows, n = x.shape
    if n == 1:
        return x[:, 0]
    if rows == 1:
        return _accumulate(x[0])[-1:]
    return _reduce(np.ascontiguousarray(x.T), 0)


MANY = 1 << 12
"""Elements of rows from which a step of all of them costs less than a step of each."""


SHORT = 64
"""Elements of rows that are added side by side."""


def _rows(x: np.ndarray, lanes: int = 1) -> np.ndarray:
    """Sum [..., n] over n, scalars interleaved."""
    n = x.shape[-1]
    if 1 < n < 4 and x.size > MANY:  # one after the other, all rows at a time
        total = x[..., 0] + x[..., 1]
        return total if n == 2 else np.add(total, x[..., 2], total)
    nearest = 0 if x.ndim == 2 else min(range(x.ndim - 1), key=x.strides.__getitem__, default=None)
    if nearest is not None and x.shape[nearest] > 8 and (n <= SHORT or x.strides[nearest] < x.strides[-1]):
        # Many rows side by side, as columns of which none is before the cut.
        order = [*range(x.ndim)]
        order.append(order.pop(nearest))
        by_kernel = strided_sums(x.transpose(order), 0)
        if by_kernel is not None and nearest < x.ndim - 2:
            by_kernel = by_kernel.transpose(*range(nearest), x.ndim - 2, *range(nearest, x.ndim - 2))
    else:
        by_kernel = strided_sums(x, None)
    return by_kernel if by_kernel is not None else _interleaved(x[..., None])[..., 0]


def _inner(x: np.ndarray, lanes: int) -> np.ndarray:
    """Sum [..., n] over n >= lanes, n contiguous: vectors interleaved; then the rest in order, then the lanes."""
    by_kernel = strided_sums(x, None) if x.ndim > 1 or x.size < SHARED else _in_blocks(x, lanes)
    if by_kernel is not None:
        return by_kernel
    *rows, n = x.shape
    k = n // lanes
    total = _interleaved(x[..., : k * lanes].reshape(*rows, k, lanes))
    return _rest_and_lanes(x[..., k * lanes :], total)


def _in_blocks(x: np.ndarray, lanes: int) -> Any:
    """`_inner` of one long sum: threads share the blocks of rows that spill to the last level of the four cascades, one by one."""
    rows, width = len(x) // lanes, 4 * lanes
    n = rows // 4
    block = 1 << 3 * max((n - 1).bit_length() // 4, 4)
    many = n // block
    cut = many * block * width
    blocks = strided_sums(x[:cut].reshape(many, block, width), width, n)
    if blocks is None:
        return None
    total = np.add.reduce(blocks, 0)
    if cut < n * width:
        total += strided_sums(x[cut : n * width].reshape(-1, width), width, n)
    first, *others = total.reshape(4, lanes)
    for row in (*x[n * width : rows * lanes].reshape(-1, lanes), *others):
        first += row
    return _rest_and_lanes(x[rows * lanes :], first)


def _inner_half(x: np.ndarray, lanes: int) -> np.ndarray:
    """`_inner` for half types: sixteen numbers are loaded, and the first eight added to the last eight."""
    *rows, n = x.shape
    k = n // 16
    pairs = x[..., : k * 16].reshape(*rows, k, 2, 8)
    total = _interleaved(pairs[..., 0, :] + pairs[..., 1, :])
    return _rest_and_lanes(x[..., k * 16 :], total)


def _rest_and_lanes(rest: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    if rest.shape[-1]:
        lanes = np.concatenate((rest, lanes), -1)
    return _chain(lanes.reshape(-1, lanes.shape[-1]))


def _columns(w: np.ndarray, cut: int) -> np.ndarray:
    """Sum [..., n, columns] over n: plain cascades for the columns before the cut, interleaved ones after it."""
    if state.threads == 1 or w.size < SHARED:
        return _some_columns(w, cut)
    *rows, _, columns = w.shape
    wide = -(-columns // (64 * state.threads)) * 64
    if wide < columns:
        total = np.empty((*rows, columns), w.dtype)

        def part(a: int) -> None:
            some = w[..., a : a + wide]
            total[..., a : a + wide] = _some_columns(some, min(max(cut - a, 0), some.shape[-1]))

        each(part, [(a,) for a in range(0, columns, wide)], state.threads)
        return total
    return _some_columns(w, cut)


def _some_columns(w: np.ndarray, cut: int) -> np.ndarray:
    columns, last = w.shape[-1], w.ndim - 1
    nearest = 1 if last == 1 else min([last, *range(last - 1)], key=lambda axis: w.strides[axis] or w.nbytes)
    if nearest == last or cut not in (0, columns) or w.shape[nearest] < 8:
        by_kernel = strided_sums(w, cut)
    else:  # all columns are added alike, so others may be, which lie closer
        by_kernel = strided_sums(w.swapaxes(nearest, -1), w.shape[nearest] if cut else 0)
        by_kernel = None if by_kernel is None else by_kernel.swapaxes(nearest, -1)
    if by_kernel is not None:
        return by_kernel
    if cut == columns or w.shape[-2] < 4:
        return _cascade(w) if columns > 1 else _rows(w[..., 0])[..., None]
    if cut == 0:
        return _interleaved(w)
    return np.concatenate((_cascade(w[..., :cut]), _interleaved(w[..., cut:])), -1)
