"""Sums, means, products and extremes of the segments that a dimension is cut into: segment_reduce."""

from __future__ import annotations

import numpy as np

from ...arrays.errors import not_implemented, wrap_dim
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...operators.declare import Array, composite, operator
from ..creation.factories import zeros_like
from ..shapes.joining import cat

segmented = kernel("segmented", unsuited)
segments_spread = kernel("segments_spread", unsuited)
FOLDS = {"sum": 0, "mean": 1, "prod": 2, "max": 3, "min": 4}
UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
EMPTY = {"sum": 0.0, "mean": np.nan, "prod": 1.0, "max": -np.inf, "min": np.inf}
"""What a segment without elements gives."""


def segments(offsets: np.ndarray):
    """The places of the segments [*outer, S], and the slices of [*outer, N] that they take."""
    for outer in np.ndindex(*offsets.shape[:-1]):
        bounds = offsets[outer]
        for s, (start, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            yield (*outer, s), (*outer, slice(int(start), int(end)))


def folded(data, offsets, reduce, initial):
    axis = offsets.ndim - 1
    ufunc = UFUNCS[reduce]
    if initial is None and offsets.ndim == 1 and type(data) is np.ndarray:
        found = segmented(np.ascontiguousarray(data), offsets.astype(np.int64, copy=False), FOLDS[reduce])
        if found is not None:
            return found
    out = np.empty((*offsets.shape[:-1], offsets.shape[-1] - 1, *data.shape[axis + 1 :]), data.dtype)
    for place, part in segments(offsets):
        given = data[part]
        n = len(given)
        if initial is not None:
            given = np.concatenate([np.full((1, *given.shape[1:]), initial, data.dtype), given])
        out[place] = ufunc.accumulate(given, 0)[-1] if len(given) else EMPTY[reduce]
        if reduce == "mean" and n:
            out[place] /= n
    return out


@operator("_segments", node="SegmentReduceBackward0", method=False, long="hosted")
def reduced(xp, data: Array, offsets: Array, reduce, initial):
    """data [*outer, N, *inner] folded to [*outer, S, *inner]."""
    return folded(data, offsets, reduce, initial)


def shared(grad, data, result, offsets, reduce, initial):
    if reduce in ("sum", "mean") and offsets.ndim == 1 and type(data) is np.ndarray and grad.dtype == data.dtype:
        places = offsets.astype(np.int64, copy=False)
        if (found := segments_spread(np.ascontiguousarray(grad), places, len(data), reduce == "mean")) is not None:
            return found
    out = np.zeros_like(data)
    for place, part in segments(offsets):
        given, g = data[part], grad[place]
        if reduce in ("max", "min"):
            chosen = (given == result[place]) | np.isnan(given)
            out[part] = np.where(chosen, g / np.maximum(chosen.sum(0), 1), 0)
        elif reduce == "prod":
            with np.errstate(all="ignore"):
                out[part] = g * result[place] / given
            alone = (given == 0) | np.isnan(given)  # what a quotient does not tell
            for i in np.argwhere(alone.any(tuple(range(1, given.ndim))))[:, 0]:
                others = np.delete(given, i, 0).prod(0) * (1 if initial is None else initial)
                out[part][i] = np.where(alone[i], g * others, out[part][i])
        else:
            out[part] = g / max(len(given), 1) if reduce == "mean" else g
    return out


@operator("_segments_spread", method=False, wide=True, long="hosted")
def spread(xp, grad: Array, data: Array, result: Array, offsets: Array, reduce, initial):
    """The gradient: to all of a sum's elements, shared among the elements that are the extreme."""
    return shared(grad, data, result, offsets, reduce, initial)


reduced.gradient(
    data=lambda t, g, data, result, offsets, reduce, initial: t._segments_spread(
        g, data, result, offsets, reduce, initial
    )
)


UNEVEN = "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe."


def bounds(data, lengths, offsets, axis, unsafe):
    """Where the segments begin and end, checked."""
    given = lengths if offsets is None else offsets
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    axis = wrap_dim(axis, data.ndim)
    what = "lengths" if offsets is None else "offsets"
    if axis != given.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {what} but got {axis}.")
    if given._array.dtype.char not in "ilq":
        raise not_implemented(f"_segment_reduce_{what}_cpu_kernel1", given._array)
    if offsets is not None:
        if not given.shape[axis]:
            sizes = [*given.shape[:-1], -1, *data.shape[axis + 1 :]]
            raise RuntimeError(f"Trying to create tensor with negative dimension -1: {sizes}")
        return given
    if not unsafe and not given.numel():
        raise RuntimeError(
            "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        )
    unsafe = unsafe or given.is_meta
    if type(given._array) is np.ndarray:
        lengths = given._array
        if not unsafe and (lengths < 0).any():
            raise RuntimeError("lengths contains negative value!")
        ends = np.zeros((*lengths.shape[:-1], lengths.shape[-1] + 1), np.int64)
        lengths.cumsum(axis, out=ends[..., 1:])
        if not unsafe and (ends[..., -1] != data.shape[axis]).any():
            raise RuntimeError(UNEVEN)
        return wrap(ends)
    if not unsafe and (given < 0).any():
        raise RuntimeError("lengths contains negative value!")
    if not unsafe and (given.sum(axis) != data.shape[axis]).any():
        raise RuntimeError(UNEVEN)
    ends = given.cumsum(axis)
    return cat.function([zeros_like(ends).narrow(axis, 0, 1), ends], axis)


@composite("segment_reduce _segment_reduce", method=False)
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """The dimension `axis` cut into segments of the given `lengths` (or at `offsets`), each reduced to one element."""
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    name = {"amax": "max", "amin": "min"}.get(reduce, reduce)
    if name not in UFUNCS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return reduced.function(data, bounds(data, lengths, offsets, axis, unsafe), name, initial)
