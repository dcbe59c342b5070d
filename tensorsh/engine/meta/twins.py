"""The dtype and the order in memory of a result, asked of numpy itself on arrays of at most two elements along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.extents import contiguous_strides
from .array import MetaArray, ordered_strides

_known: dict[tuple, Any] = {}
"""Answers of numpy, by the function and what its arguments are."""


MOST = 10
"""Of arrays of more dimensions the order in memory is not asked for: a twin has two to their power elements."""


def twin(array: MetaArray) -> np.ndarray:
    """A small array with the dtype and the order in memory of one without elements."""
    order = sorted(range(array.ndim), key=lambda i: -abs(array.strides[i]))
    wide = array.ndim <= MOST
    shape = [2 if wide and array.shape[i] != 1 else 1 for i in order]
    made = np.ones(shape, array.dtype).transpose(sorted(range(array.ndim), key=order.__getitem__))
    if 0 in array.strides:
        thin = tuple([slice(0, 1) if s == 0 else slice(None) for s in array.strides])
        made = np.broadcast_to(made[thin], made.shape)
    return made


def twins(x: Any) -> Any:
    """An argument with small arrays for those without elements."""
    if isinstance(x, MetaArray):
        return twin(x)
    if isinstance(x, np.ndarray):
        return np.ones([2 if x.ndim <= MOST and n != 1 else 1 for n in x.shape], x.dtype)
    if type(x) in (list, tuple):
        return type(x)(map(twins, x))
    return x


def kind(x: Any) -> Any:
    """What of an argument decides about dtype and order."""
    if isinstance(x, (MetaArray, np.ndarray)):
        order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
        flat = tuple([2 if s == 0 else 1 if n == 1 else 0 for n, s in zip(x.shape, x.strides, strict=True)])
        return id(x.dtype) if x.dtype.metadata else x.dtype, tuple(order), flat
    if isinstance(x, (list, tuple)):
        return tuple(map(kind, x))
    if isinstance(x, (bool, float, complex, np.generic)):
        return type(x)
    if isinstance(x, dict):
        return tuple([(k, kind(v)) for k, v in x.items()])
    return x


def asked(function: Any, args: tuple, kwargs: dict) -> Any:
    """What numpy gives for the twins of the arguments: small arrays, whose dtype and strides count."""
    try:
        key = (function, kind(args), kind(kwargs))
        found = _known.get(key)
    except TypeError:
        key, found = None, None
    if found is None:
        with np.errstate(all="ignore"):
            found = function(*[twins(a) for a in args], **{k: twins(v) for k, v in kwargs.items()})
        if key is not None:
            if len(_known) > 2000:
                _known.clear()
            _known[key] = found
    return found


def shaped(shape: tuple, small: Any) -> MetaArray:
    """An array of a shape that is otherwise as a small one is: its dtype, the order of its dimensions in memory."""
    small = np.asarray(small)
    if small.ndim != len(shape) or small.strides == contiguous_strides(small.shape, small.itemsize):
        return MetaArray(shape, small.dtype)
    order = sorted(range(small.ndim), key=lambda i: -small.strides[i])
    return MetaArray(shape, small.dtype, None, ordered_strides(shape, order, small.dtype.itemsize))
