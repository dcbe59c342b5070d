"""Finding: places in sorted sequences, membership."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import module_of, same_device
from ...arrays.cupy_module import accelerator
from ...arrays.deferred import resolved
from ...arrays.device import absent
from ...arrays.dtype import COMPLEX, of
from ...arrays.errors import combination_error, not_implemented
from ...arrays.promotion import result_type
from ...arrays.state import state
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...operators.declare import composite
from ...operators.results import store_out
from ...tensors.tensor import Tensor


def sortable(a):
    """Half types as float32, for numpy's searches."""
    return a.astype(np.float32) if a.dtype.kind == "V" or a.dtype == np.float16 else a


places_in = kernel("places_in", unsuited)
LONG = 4096
"""For each value that many elements take as long to be looked through as halving them takes."""


def halved(sequence, value, right):
    """The place of one value."""
    low, high = 0, sequence.size
    while low < high:
        middle = (low + high) // 2
        found = sequence.item(middle)
        if found > value if right else found >= value:
            high = middle
        else:
            low = middle + 1
    return low


def places(sequence, values, right):
    """Where values go in a sorted sequence, NaN last; in one that is not sorted, or has NaN, where halving it ends. Sequences of more
    dimensions are for the values beside them."""
    if (found := places_in(sequence, values, bool(right))) is not None:
        return found
    if sequence.ndim > 1:
        found = np.empty(values.shape, np.int64)
        for at in np.ndindex(sequence.shape[:-1]):
            found[at] = places(sequence[at], values[at], right)
        return found
    if sequence.size > LONG * values.size and values.size:
        return np.array([halved(sequence, value, right) for value in values.ravel().tolist()]).reshape(values.shape)
    if (sequence[1:] >= sequence[:-1]).all() and not (sequence[-1:] != sequence[-1:]).any():
        return np.searchsorted(sequence, values, "right" if right else "left")
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, sequence.size)
    while (low < high).any():
        middle = (low + high) // 2
        found = sequence[np.minimum(middle, sequence.size - 1)]
        before = ~(found > values if right else found >= values) & (low < high)
        low, high = np.where(before, middle + 1, low), np.where(before | (low >= high), high, middle)
    return low


def on_device(name, sequence, values, right):
    """The same for arrays of a device."""
    given = {"sorted_sequence": sequence, "input": values}
    if name == "bucketize":
        given = {"input": values, "boundaries": sequence}
    same_device(name, **{k: a for k, a in given.items() if a.ndim or type(a) is not np.ndarray})
    xp = module_of([sequence, values])
    if absent(values) or absent(sequence):
        return xp.empty(values.shape, np.int64)
    if type(values) is np.ndarray:  # a number
        sequence = sequence.astype(result_type([sequence, values.item()]).numpy)
    return accelerator().sorting.searched(xp, sequence, xp.asarray(values, sequence.dtype), right)


def alike(sequence, values):
    """The two operands as arrays of one dtype."""
    a = resolved(sequence._array)
    v = resolved(values._array) if isinstance(values, Tensor) else np.asarray(values)
    if a.dtype is v.dtype and a.dtype.char in "fdl":
        return a, v
    if a.dtype != v.dtype and isinstance(values, Tensor):
        target = result_type([a, v]).numpy
        a, v = a.astype(target), v.astype(target)
    if a.dtype.kind == v.dtype.kind == "b" and v.size:
        raise not_implemented("searchsorted_out_cpu", a)
    return sortable(a), sortable(v)


def slow_layouts(boundaries: Tensor, input: Any) -> None:
    """Say once that tensors with gaps are copied first."""
    for what, each in (("input value", input), ("boundary", boundaries)):
        if isinstance(each, Tensor) and type(each._array) is np.ndarray and not each._array.flags.c_contiguous:
            if what not in state.warned or state.__dict__.get("warn_always"):
                state.warned.add(what)
                warn(
                    f"torch.searchsorted(): {what} tensor is non-contiguous, this will lower the performance due to extra data "
                    f"copy when converting non-contiguous tensor to contiguous, please use contiguous {what} tensor if possible. "
                    "This message will only appear once per program."
                )


@composite("searchsorted", method=False)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """For each value, the index in the sorted innermost dimension before which it goes ("right": after its equals)."""
    name = "torch.searchsorted()"
    if not isinstance(sorted_sequence, Tensor):
        raise combination_error("searchsorted", sorted_sequence, input)
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"{name}: side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(f"{name}: side and right can't be set to opposites, got side of left while right was True")
    right = right or side == "right"
    sequence = sorted_sequence
    slow_layouts(sequence, input)
    if sorter is not None:
        if sorter._array.shape != sequence._array.shape:
            raise RuntimeError(
                f"{name}: boundary and sorter must have the same size, but got boundary tensor {list(sequence.shape)}and got "
                f"sorter tensor {list(sorter.shape)}"
            )
        if sorter._array.dtype != np.int64:
            raise RuntimeError(f"{name}: sorter must be a tensor of long dtype but got dtype {sorter.dtype.short}")
        if (
            sorter._array.size
            and not absent(sorter._array)
            and not (sorter._array.min() >= 0 and sorter._array.max() < sequence._array.shape[-1])
        ):
            raise RuntimeError(f"{name}: sorter index out of range")
    if sequence.ndim == 0 and isinstance(input, Tensor):
        raise RuntimeError(f"{name}: boundaries tensor should have positive dimension, but got 0 dimension")
    if sequence.ndim != 1:
        if not isinstance(input, Tensor):
            raise RuntimeError(
                f"{name}: input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
                f"tensor dim({sequence.ndim}) and input value's dim(0) numel(1)"
            )
        if sequence._array.shape[:-1] != input._array.shape[:-1]:
            raise RuntimeError(
                f"{name}: boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
                f"value tensor must match, but we got boundaries tensor {list(sequence.shape)} and input value tensor "
                f"{list(input.shape)}"
            )
    if sorter is not None:
        sequence = wrap(np.take_along_axis(sequence._array, sorter._array, -1))
    a, v = alike(sequence, input)
    if type(a) is not np.ndarray or type(v) is not np.ndarray:
        found = on_device("searchsorted", a, v, right)
    else:
        found = places(a, v, right)
    return delivered(found, out_int32, out)


def delivered(found, out_int32, out):
    result = wrap(found.astype(np.int32) if out_int32 else found)
    if out is None:
        return result
    store_out(out, result._array)
    return out


@composite("bucketize", method=False)
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """The number of the interval between sorted `boundaries` in which each value lies."""
    if not isinstance(boundaries, Tensor):
        raise combination_error("bucketize", input, boundaries)
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    slow_layouts(boundaries, input)
    a, v = alike(boundaries, input)
    if type(a) is not np.ndarray or type(v) is not np.ndarray:
        return delivered(on_device("bucketize", a, v, right), out_int32, out)
    return delivered(places(a, v, right), out_int32, out)


def among(a, b):
    """Which of the elements are among others, by their places in these; None where there is no kernel, or numpy has a shorter way."""
    if not b.size or a.dtype.kind != "f" and a.size > LONG:
        return None
    ordered = np.sort(b, None)
    at = places_in(ordered, a, False)
    return None if at is None else np.asarray(ordered.take(np.minimum(at, b.size - 1)) == a)


@composite("isin", method=False)
def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """For each element, whether it is among `test_elements`."""
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise combination_error("isin", elements, test_elements)
    arrays = [x._array if isinstance(x, Tensor) else x for x in (elements, test_elements)]
    for a in arrays:
        if isinstance(a, (np.ndarray, bool, complex)) and (kind := of(np.asarray(a))).category in (COMPLEX, 0):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {kind.short}")
    target = result_type(arrays).numpy
    if all(type(x) is np.ndarray or not hasattr(x, "dtype") for x in arrays):
        a, b = (sortable(np.asarray(x).astype(target, copy=False)) for x in arrays)
        found = among(a, b)
        found = np.asarray(np.isin(a, b)) if found is None else found
        found = wrap(np.logical_not(found, out=found) if invert else found)
    else:
        same_device("isin", elements=arrays[0], test_elements=arrays[1])
        xp = module_of(arrays)
        a, b = (sortable(xp.asarray(x, target)) for x in arrays)
        found = wrap(xp.isin(a, b, invert=bool(invert)))
    if out is None:
        return found
    store_out(out, found._array)
    return out
