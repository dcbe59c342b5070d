"""The order of long arrays of structures, by their fields: numpy compares structures with its lock held, and fields without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

MANY = 1 << 18
"""Structures that are sorted in a moment."""
SIMPLE = "?biufcmM"
"""Kinds of fields that numpy brings in order without its lock."""
ORDERS = ("argpartition", "argsort", "partition", "searchsorted", "sort")


def is_long(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """Whether a method of numpy's arrays brings many structures in order."""
    a = arguments[0] if arguments else None
    return type(a) is np.ndarray and a.dtype.kind == "V" and a.size >= MANY and function.__name__ in ORDERS


def in_order(
    call: Callable[..., Any], function: Callable[..., Any], a: Any, *arguments: Any, order: Any = None, **options: Any
) -> Any:
    """What `sort`, `argsort`, `partition` or `argpartition` does, where `call` calls numpy.

    Raises:
        TypeError: The structures have other fields than numbers, or are searched.
    """
    name = function.__name__
    fields = a.dtype.fields or {}
    kinds = [dtype.kind if dtype.shape == () else "V" for dtype, *_ in fields.values()]
    if name == "searchsorted":
        raise TypeError(f"searchsorted() takes fewer than {MANY} structures in tensorsh: search one of their fields")
    if not fields or any(kind not in SIMPLE for kind in kinds):
        raise TypeError(
            f"{name}() takes fewer than {MANY} structures with fields that are no numbers in tensorsh: sort one of the fields"
        )
    first = [order] if isinstance(order, str) else list(order or ())
    asked = dict.fromkeys([*first, *a.dtype.names])
    if not set(asked) <= set(fields):
        return function(a[:0], order=order)  # which refuses it
    places = arguments[1:] if "partition" in name else arguments
    axis = options.get("axis", places[0] if places else -1)
    if axis is None:
        a, axis = a.ravel(), -1
    indices = call(np.lexsort, [a[field] for field in reversed(asked)], axis)
    if name[:3] == "arg":
        return indices
    a[...] = np.take_along_axis(a, indices, axis)
    return None
