"""Subscripts of arrays without elements: basic ones by strides, those by arrays by their shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import MetaArray, common
from .refusals import refusal


def subscripted(array: MetaArray, key: Any) -> MetaArray:
    """``array[key]``: a view where numpy gives one, else a new array."""
    keys = list(key) if isinstance(key, tuple) else [key]
    keys = [np.asarray(k) if isinstance(k, list) else k for k in keys]
    used = sum(rank(k) for k in keys)
    if used > array.ndim:
        raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {used} were indexed")
    if not any(k is Ellipsis for k in keys):
        keys.append(Ellipsis)
    shape: list[int] = []
    strides: list[int] = []
    offset = at = 0
    arrays: list[tuple[int, tuple]] = []
    for k in keys:
        if k is None:
            shape.append(1)
            strides.append(0)
        elif k is Ellipsis:
            many = array.ndim - used
            shape += array.shape[at : at + many]
            strides += array.strides[at : at + many]
            at += many
        elif isinstance(k, slice):
            start, stop, step = k.indices(array.shape[at])
            count = len(range(start, stop, step))
            offset += start * array.strides[at] if count else 0
            shape.append(count)
            strides.append(array.strides[at] * step)
            at += 1
        elif isinstance(k, (bool, np.bool_)) or getattr(k, "dtype", None) == np.bool_:
            found = masked(array, k, at)
            arrays.append((len(shape), found))
            at += rank(k)
        elif hasattr(k, "shape") and k.shape != ():
            arrays.append((len(shape), k.shape))
            at += 1
        elif isinstance(k, MetaArray):  # a number that is not known
            arrays.append((len(shape), ()))
            at += 1
        else:
            n, i = array.shape[at], int(k)
            if not -n <= i < n:
                raise IndexError(f"index {i} is out of bounds for axis {at} with size {n}")
            offset += i % n * array.strides[at]
            at += 1
    if not arrays:
        return array._shown(tuple(shape), tuple(strides), offset)
    spread = common(*[s for _, s in arrays])
    places = [p for p, _ in arrays]
    first = places[0] if together(keys) else 0
    return MetaArray((*shape[:first], *spread, *shape[first:]), array.dtype)


def rank(k: Any) -> int:
    """How many dimensions a part of a subscript takes."""
    if k is None or k is Ellipsis or isinstance(k, (bool, np.bool_)):
        return 0
    if getattr(k, "dtype", None) == np.bool_:
        return k.ndim
    return 1


def together(keys: list) -> bool:
    """Whether the arrays and numbers of a subscript stand side by side, so that the result has their dimensions there."""
    kinds = [not (k is None or k is Ellipsis or isinstance(k, slice)) for k in keys]
    first, last = kinds.index(True), len(kinds) - 1 - kinds[::-1].index(True)
    return all(kinds[first : last + 1])


def masked(array: MetaArray, mask: Any, at: int) -> tuple:
    """The shape of the places that a mask names, which only a mask with elements tells."""
    if isinstance(mask, MetaArray):
        raise refusal("nonzero")
    for i, n in enumerate(np.shape(mask)):
        if n != array.shape[at + i]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {at + i}; size of axis is {array.shape[at + i]} but size of corresponding boolean axis is {n}"
            )
    return (int(np.count_nonzero(mask)),)
