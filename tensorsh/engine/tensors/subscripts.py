"""The items of ``x[...]``: what may stand there, made ready for numpy, and PyTorch's words for what may not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...sandbox.long_calls import HUGE, places
from ..arrays.backend import device_of
from ..arrays.bounds import refuse
from ..arrays.cupy_module import nowhere
from ..arrays.device import absent
from ..arrays.type_names import type_name
from ..arrays.warning import warn
from ..graph.fields import wrap
from ..numerics.extremes import extremes
from .data import to_array
from .tensor import Tensor

ndarray = np.ndarray
SHORT = 32
"""Rows of less elements are taken from a copy of all rows in less time than one by one."""
FULL = slice(None)
INDICES = (np.dtype(np.int64), np.dtype(np.int32))
MASKS = (np.dtype(np.bool_), np.dtype(np.uint8))
INDEX_KINDS = (*INDICES, np.dtype(np.bool_))


def outside(index: Any, wrong: Any, dim: int, n: int) -> IndexError:
    if not n:
        return IndexError("index is out of bounds for dimension with size 0")
    return IndexError(f"index {index[wrong].reshape(-1)[0]} is out of bounds for dimension {dim} with size {n}")


def only_tensor(index: tuple) -> int | None:
    """The place of the only index tensor among full slices, as in ``x[:, i]``."""
    *before, last = index
    for i in before:
        if type(i) is not slice or i != FULL:
            return None
    if type(last) is Tensor and last._array.ndim and last._array.dtype.kind == "i" and last._array.dtype in INDEX_KINDS:
        return len(before)
    return None


def in_places(index: tuple) -> tuple | None:
    """The arrays of an index of integer tensors alone, as in ``x[i, j]``; None for others."""
    found = []
    for i in index:
        if type(i) is not Tensor:
            return None
        a = i._array
        if type(a) is not ndarray or not a.ndim or a.dtype not in INDICES or a.size >= HUGE:
            return None
        found.append(a)
    return tuple(found)


def elements(xp: Any, array: Any, where: Any) -> Any:
    """The elements at an index as numpy takes it, in row order."""
    result = array[where]
    if type(result) is not ndarray and xp is np:
        return np.asarray(result)
    if not result.flags.c_contiguous:
        return xp.ascontiguousarray(result)
    if xp is np and 1 in result.shape:  # numpy leaves odd strides there
        return result.reshape(-1).reshape(result.shape)
    return result


def rows_at(array: Any, where: Any) -> Any:
    """``array.take(where, 0)``, which makes a copy of all rows where their elements do not lie side by side."""
    if array.flags.c_contiguous or array.ndim < 2 or array.shape[-1] < SHORT or array.strides[-1] > 16:
        return array.take(where, 0)
    if array.size * where.size >= HUGE * len(array):
        return array.take(where, 0)
    return elements(np, array, where)


def check_slice(index: slice) -> None:
    step = index.step
    if step is not None and type(step) is not int:
        refused_slice(index)
    if step is not None and step <= 0:
        if step == 0:
            raise ValueError("slice step cannot be zero")
        raise ValueError("step must be greater than zero")


def refused_slice(index: slice) -> Exception:
    """Why numpy takes no such slice: the first of its ends that is no integer, or a tensor that it has no dimension of."""
    for part in (index.step, index.start, index.stop):
        if part is not None:
            if not hasattr(part, "__index__"):
                raise TypeError("slice indices must be integers or None or have an __index__ method")
            part.__index__()
    return IndexError("slice() cannot be applied to a 0-dim tensor.")


def whole(i: slice, n: int) -> bool:
    """Whether a slice visibly takes everything; counted from the end it is a step of its own."""
    return not i.start and (i.stop is None or i.stop >= n) and (i.step is None or i.step == 1)


def indices_of(index: Any) -> list:
    """An index as a list of what is asked of each dimension."""
    if type(index) is tuple:
        return list(index)
    if isinstance(index, list) and treated_as_tuple(index):
        warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
            "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
            "which will result either in an error or a different result"
        )
        return list(index)
    if type(index) is str and index and len(index) < 32:  # a sequence of sequences, to PyTorch
        return list(index)
    return [index]


def treated_as_tuple(index: list) -> bool:
    """Whether a list means several indices, as it did before it meant one index tensor."""
    if len(index) >= 32:
        return False
    return any(i is None or i is Ellipsis or isinstance(i, (slice, list, tuple, range, Tensor, ndarray)) for i in index)


def dimensions(i: Any) -> int:
    """How many dimensions an item of an index takes, before it is looked at closely."""
    if i is None or i is Ellipsis or i is True or i is False:
        return 0
    return i._array.ndim if isinstance(i, Tensor) and i._array.dtype in MASKS else 1


def as_index(i: Any) -> Any:
    """One item of an index: a number, slice, None, ``...``, True, False, or a tensor of long, int or bool."""
    kind = type(i)
    if kind is int or i is None or i is Ellipsis or kind is slice or kind is bool:
        if kind is int and not -(1 << 63) <= i < 1 << 63:
            raise ValueError("Overflow when unpacking long long")
        return i
    if isinstance(i, np.integer):
        return int(i)
    if isinstance(i, np.bool_):
        return bool(i)
    if isinstance(i, Tensor):
        array = i._array
    elif isinstance(i, (ndarray, list, tuple, range)):
        array = np.asarray(i) if not isinstance(i, (list, tuple)) else from_sequence(i)
        i = wrap(array)
    elif isinstance(i, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(i)}'")
    else:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type_name(i)})"
        )
    if not array.ndim:
        if array.dtype.kind in "iu" and array.dtype != np.uint8:
            return int(array)
        if array.dtype.kind == "b" or array.dtype == np.uint8:
            return bool(array)
    return usable(i)


def from_sequence(items: Any) -> Any:
    """An index tensor from nested sequences; numbers that are no integers are cut."""
    first = items
    while type(first) in (list, tuple) and first:
        first = first[0]
    if isinstance(first, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(first)}'")
    array = to_array(items, None)
    return array if array.dtype.kind in "bi" and array.size else array.astype(np.int64)


def usable(i: Tensor) -> Tensor:
    """An index tensor of a dtype that numpy takes in the same sense."""
    dtype = i._array.dtype
    if dtype in INDEX_KINDS:
        return i
    if dtype == np.uint8:
        warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
        return wrap(i._array.astype(np.bool_))
    raise IndexError("tensors used as indices must be long, int, byte or bool tensors")


def check_place(index: Any, array: Any) -> None:
    """Refuse an index of another device, but for the CPU's, which go with any."""
    place = device_of(array)
    if device_of(index) != place:
        raise RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor ({place})")


def advanced(array: Any, found: list, ready: Callable[[list], None] = lambda indices: None) -> list:
    """Index tensors, one for each dimension (None: all of it), checked, as the list that the operators take. `ready` is
    called with it before any number in it is compared with its dimension.

    A mask of several dimensions stands for that many; ``...`` may fill their places."""
    indices: list = []
    shape = array.shape
    dim = 0
    shapes: list = []
    bounds: list = []
    for i in found:
        if i is Ellipsis:
            continue
        if i is None:
            indices.append(slice(None))
            dim += 1
            continue
        i = usable(i)
        where = i._array
        if type(where) is not np.ndarray:
            check_place(where, array)
        if where.dtype.kind == "b":
            if dim + where.ndim > len(shape):
                raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
            for k, n in enumerate(where.shape):
                if n != shape[dim + k]:
                    raise IndexError(
                        f"The shape of the mask {list(where.shape)} at index {k} does not match the shape of the indexed "
                        f"tensor {list(shape)} at index {dim + k}"
                    )
            if len(found) > 1:
                if absent(where):
                    raise nowhere().refusal("nonzero")
                parts = places(where)
                shapes.extend([p.shape for p in parts])
                indices.extend(wrap(p) for p in parts)
            else:
                indices.append(i)
            dim += where.ndim
            continue
        if dim >= len(shape):
            got = f" (got {len(found)})" if shape else ""
            raise IndexError(f"too many indices for tensor of dimension {len(shape)}{got}")
        bounds.append((where, shape[dim], len(shapes)))
        shapes.append(where.shape)
        indices.append(i)
        dim += 1
    if len(shapes) > 1:
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            listed = ", ".join(str(list(s)) for s in shapes)
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
            ) from None
    ready(indices)
    for where, n, at in bounds:
        if not where.size:
            continue
        if type(where) is ndarray:
            low, high = extremes(where) if where.size > 1 else (where.item(),) * 2
            if low >= -n and high < n:
                continue
        wrong = (where < -n) | (where >= n)
        refuse(wrong, partial(outside, where, wrong, at, n))
    return indices


def check_basic(shape: tuple, index: Any) -> None:
    if type(index) is not tuple:
        index = () if index is Ellipsis else (index,)
    for at, i in enumerate(index):
        if type(i) is slice:
            if i.step is not None:
                check_slice(i)
        elif not -shape[at] <= i < shape[at]:
            as_index(i)
            raise IndexError(f"index {i} is out of bounds for dimension {at} with size {shape[at]}")
