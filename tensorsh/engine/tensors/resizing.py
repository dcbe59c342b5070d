"""Resizing of storages: a tensor takes another shape in place, and its memory grows with all tensors known to lie in it.

Memory that numpy or another library sees as well cannot grow: `hold` remembers it for as long as it lives."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..arrays.blank import assigned
from ..arrays.extents import address, contiguous_strides, count, extent, in_bytes, owner, span, strided
from ..arrays.state import state
from .lots import family, move

held: dict[int, weakref.ref] = {}
"""The owners of memory that cannot grow, by their addresses as objects."""


class Hold(weakref.ref):
    """What forgets an owner that is gone."""

    __slots__ = ("key",)
    key: int


def forget(gone: Any) -> None:
    held.pop(gone.key, None)


def hold(array: Any) -> Any:
    """An array whose storage stays as large as it is from now on."""
    root = owner(array)
    key = id(root)
    if key not in held:
        held[key] = kept = Hold(root, forget)
        kept.key = key
    return array


def resized(root: Any, needed: int) -> Any:
    """A memory of other size with the bytes of that of an owner, what is new blank. RuntimeError: others hold the owner's, too."""
    if id(root) in held:
        raise RuntimeError("Trying to resize storage that is not resizable")
    low, high = extent(root)
    memory = np.zeros_like(root, np.uint8, "C", shape=(needed,))  # on the root's device
    kept = min(high - low, needed)
    memory[:kept] = in_bytes(root)[:kept]
    return memory


def grow(tensor: Any, needed: int) -> None:
    """Move a storage to a larger one, old bytes kept and new ones blank, with all tensors known to lie in it."""
    root = owner(tensor._array)
    low, high = extent(root)
    memory = resized(root, needed)
    if state.deterministic:
        size = tensor._array.itemsize
        fresh = memory[-(-(high - low) // size) * size : needed // size * size]
        assigned(fresh.view(tensor._array.dtype))
    move(root, memory, family(tensor))


def resize(tensor: Any, shape: tuple) -> None:
    """Take another shape in row order from the first element on; a storage too small is replaced."""
    count(shape)
    itemsize = tensor._array.itemsize
    extra = span(shape, None, itemsize)
    low, high = extent(owner(tensor._array))
    needed = address(tensor._array) - low + extra
    if needed > high - low and extra:
        grow(tensor, needed)
    tensor._array = strided(tensor._array, shape, tuple([s * itemsize for s in contiguous_strides(shape)]))
