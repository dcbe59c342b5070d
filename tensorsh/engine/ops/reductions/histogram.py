"""Counting: how many elements fall in each interval, or are each number."""

from __future__ import annotations

import math

import numpy as np

from ...arrays.backend import device_of, module_of, same_device
from ...arrays.constants import FLOAT64
from ...arrays.cupy_module import nowhere
from ...arrays.device import absent
from ...arrays.dtype import FLOAT, of
from ...arrays.errors import cpp_name
from ...arrays.extents import sized
from ...arrays.numbers import converted
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading.table import find_function
from ...numerics.cumulative import BLOCK
from ...numerics.extremes import extremes
from ...operators.declare import Array, Arrays, composite, operator
from ...operators.results import store_out
from ...tensors.named_tuples import named
from ...tensors.tensor import Tensor
from .extrema import not_implemented


def span(name, a, low, high, given, dimension=0):
    """The outer edges: as given, or those of the data; never equal."""
    if not given:
        if a.size:
            low, high = [x if type(x) is int else x.item() for x in extremes(a)]
        elif name == "torch.histogramdd":
            low, high = 0.0, 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        if name == "torch.histc":
            raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
        raise RuntimeError(f"{name}: dimension {dimension}'s range [{low:g}, {high:g}] is not finite")
    if low == high:
        room = 1 if name == "torch.histc" else 0.5
        low, high = low - room, high + room
    return low, high


def edges(low, high, bins, kind, device):
    return find_function("linspace")(low, high, bins + 1, dtype=kind, device=device)._array


def check_bins(bins, dimension=0):
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dimension}")


def in_even_bins(a, low, high, bins):
    """How many elements of a vector lie in each bin, a block at a time, which stays in the cache."""
    if type(a) is np.ndarray and (found := even_bins(a, low, high, np.empty(bins, a.dtype))) is not None:
        return found
    low, high, number = a.dtype.type(low), a.dtype.type(high), a.dtype.type(bins)
    xp = module_of(a)
    counts, size = xp.zeros(bins, np.int64), max(BLOCK, bins)
    with np.errstate(all="ignore"):
        for start in range(0, a.size, size):
            block = a[start : start + size]
            inside = (block >= low) & (block <= high)
            if xp is not np or not inside.all():  # a GPU would have to be waited for
                block = block[inside]
            at = ((block - low) * number / (high - low)).astype(np.int64)
            counts += xp.bincount(xp.minimum(at, bins - 1), minlength=bins)
    return counts


@operator(wide=True, long=True)
def histc(xp, input: Array, bins=100, min=0, max=0):
    """How many elements lie in each of `bins` equal intervals between `min` and `max` (of the data, when equal).
    A vector of `bins` numbers in the dtype of `input`; what lies outside is not counted. RuntimeError: `max` below
    `min`. NotImplementedError: integers."""
    if input.dtype.kind == "c":
        raise not_implemented("aminmax_cpu", input)
    if input.dtype.kind == "b":
        raise not_implemented("linspace_cpu", input)
    check_bins(bins)
    sized((bins + 1,))
    min, max = converted(min, FLOAT64), converted(max, FLOAT64)
    if max < min:
        raise RuntimeError("torch.histc: max must be larger than min")
    if input.dtype.kind != "f":
        raise not_implemented("histogram_cpu", input)
    elements = xp.ascontiguousarray(input).reshape(-1)
    low, high = span("torch.histc", elements, min, max, min != max or not input.size)
    return in_even_bins(elements, low, high, bins).astype(input.dtype, copy=False)


def in_bins(a, bounds):
    """The number of the interval of each element, the last closed on both sides; -1 outside."""
    xp = module_of([bounds, a])
    at = xp.searchsorted(bounds, a, side="right") - 1
    at = xp.where(a == bounds[-1], len(bounds) - 2, at)
    return xp.where((a >= bounds[0]) & (a <= bounds[-1]), at, -1)


def count_points(points, bounds, weight, density):
    """The histogram of points (rows) over a grid of bounds."""
    shape = [len(b) - 1 for b in bounds]
    kind, xp = points.dtype, module_of(points)
    if len(bounds) == 1 and weight is None and type(points) is np.ndarray:
        counts = counted(np.ascontiguousarray(points), np.ascontiguousarray(bounds[0]))
        if counts is not None:
            return densities(counts.astype(kind), bounds) if density else counts.astype(kind)
    flat = xp.zeros(len(points), np.int64)
    inside = xp.ones(len(points), bool)
    for column, b, n in zip(points.T, bounds, shape, strict=True):
        at = in_bins(column, b)
        inside &= at >= 0
        flat = flat * n + at
    weights = None if weight is None else weight.reshape(-1)[inside]
    hist = xp.bincount(flat[inside], weights, minlength=math.prod(shape)).astype(kind).reshape(shape)
    return densities(hist, bounds) if density else hist


def densities(hist, bounds):
    """Counts as shares of their sum for a unit of each interval."""
    hist = hist / hist.sum()
    for i, b in enumerate(bounds):
        steps = module_of(hist).diff(b)
        hist = hist / steps.reshape([-1 if j == i else 1 for j in range(hist.ndim)])
    return hist


counted, even_bins = kernel("counted", unsuited), kernel("even_bins", unsuited)


def bounds_of(points, bins, range, kind):
    """The bin edges in each dimension."""
    found = []
    if range is not None and len(range) != 2 * len(bins):
        raise RuntimeError(
            f"torch.histogramdd: for a {len(bins)}-dimensional histogram range should have {2 * len(bins)} elements, but got "
            f"{len(range)}"
        )
    for i, count in enumerate(bins):
        check_bins(count, i)
        if range is None:
            low, high = span("torch.histogramdd", points[:, i], 0, 0, False, i)
        else:
            low, high = range[2 * i], range[2 * i + 1]
            if low > high:
                raise RuntimeError(
                    f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {i}"
                )
            low, high = span("torch.histogramdd", points[:, i], low, high, True, i)
        found.append(edges(low, high, count, kind, device_of(points)))
    return found


def check_input(input, weight, bins, single=False):
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
            f"got input({cpp_name(input)}), and weight({cpp_name(weight)})"
        )
    if weight is not None:
        # The numbers of a plain histogram are points of one dimension.
        points, weights = ((input.numel(), 1), (weight.numel(),)) if single else (input.shape, weight.shape)
        if tuple(weights) != tuple(points[:-1]):
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding "
                f"its innermost dimension, but got input with shape {list(points)} and weight with shape {list(weights)}"
            )
    for i, each in enumerate(bins):
        if isinstance(each, Tensor) and each.dtype is not input.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{cpp_name(input)} and bins for dimension {i} with dtype "
                f"{cpp_name(each)}"
            )
        if isinstance(each, Tensor) and each.ndim != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {each.ndim} dimensions in the bins tensor for "
                f"dimension {i}"
            )
        if isinstance(each, Tensor) and not each.numel():
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
                f"dimension {i}"
            )
    if input.dtype.category != FLOAT or input.dtype.itemsize < 4:
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{input.dtype.short}'")


@operator("_counted_points", node="NotImplemented", outputs=-1, method=False, long=True)
def counted_points(xp, input: Array, bins: Arrays, weight: Array = None, density=False, name="histogram"):
    """The histogram of points (along the last dimension) over a grid of bounds, and the bounds."""
    points = input.reshape(-1, len(bins))
    return (count_points(points, bins, weight, density), *(b.copy() for b in bins))


@counted_points.joint_gradient
def refused_gradient(t, g, needs, name):
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


@composite()
def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """Counts (or weights, or densities) of elements in intervals: a number of equal ones, or between given edges."""
    if absent(input._array):
        nowhere().check("histogram")
    check_input(input, weight, [bins], True)
    if isinstance(bins, Tensor):
        bounds = [bins]
    else:
        bounds = [wrap(b) for b in bounds_of(input._array.reshape(-1, 1), [int(bins)], range, input.dtype)]
    for name, each in zip(("hist", "bin_edges"), out or (), strict=False):
        if each.dtype is not input.dtype:
            where = " for dimension 0" if name == "bin_edges" else ""
            raise RuntimeError(
                f"torch.histogram: input tensor and {name} tensor should have the same dtype, but got input {cpp_name(input)} and "
                f"{name} {cpp_name(each)}{where}"
            )
    return results("histogram", list(counted_points.function(input, bounds, weight, density)), out)


@composite("histogramdd", method=False)
def histogramdd(input, bins, range=None, weight=None, density=False):
    """The histogram of points, whose coordinates stand along the last dimension, over a grid."""
    if absent(input._array):
        nowhere().check("histogramdd")
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    check_input(input, weight, bins if isinstance(bins, (list, tuple)) else ())
    dims = input._array.shape[-1]
    if not dims:
        return results("histogramdd", [input.new_full((), np.nan if density else 0), ()], None)
    points = input._array.reshape(-1, dims)
    if isinstance(bins, (list, tuple)) and bins and isinstance(bins[0], Tensor):
        bounds = list(bins)
    else:
        bins = [int(bins)] * dims if isinstance(bins, (int, np.integer)) else list(bins)
        if len(bins) != dims:
            raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
        bounds = [wrap(b) for b in bounds_of(points, bins, range, input.dtype)]
    hist, *edges = counted_points.function(input, bounds, weight, density, "_histogramdd_from_bin_tensors")
    return results("histogramdd", [hist, tuple(edges)], None)


def results(name, values, out):
    if out is not None:
        if len(out) != 2:
            raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
        for t, value in zip(out, values, strict=True):
            store_out(t, value._array)
        name, values = name + "_out", list(out)
    return named(name, ("hist", "bin_edges"))(values)


@composite()
def bincount(input, weights=None, minlength=0):
    """How often each number from 0 occurs in a vector of them, or the sum of the weights of its occurrences.
    A vector of ``max(input) + 1`` elements, at least `minlength`: int64, or the floating-point dtype of `weights`, which
    is as long as `input`. RuntimeError: negative numbers, more than one dimension. NotImplementedError: floating-point
    numbers."""
    a = input._array
    if a.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{of(a).short}'")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if not a.size:
        least, most = 0, -1
    elif type(a) is np.ndarray:
        least, most = map(int, extremes(a))
    else:
        least, most = module_of([a]).stack(extremes(a)).tolist()  # a device is read once
    if a.ndim != 1 or least < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    sized((max(minlength, most + 1),), 8)
    if weights is None:
        return wrap(np.bincount(a.astype(np.int64, copy=False), minlength=minlength).astype(np.int64, copy=False))
    w = weights._array
    if type(a) is not np.ndarray or type(w) is not np.ndarray:
        same_device("bincount", input=a, weights=w)
    if w.shape != a.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if not a.size:
        return wrap(module_of([a]).zeros(minlength, np.int64))
    summed = np.bincount(a.astype(np.int64), w.astype(np.float64), minlength)
    return wrap(summed.astype(np.float32) if w.dtype == np.float32 else summed)
