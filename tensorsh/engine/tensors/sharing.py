"""Tensors in memory that processes share: a storage is moved there with all tensors known to lie in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.extents import address, extent, in_bytes, owner, strided
from .resizing import family, hold
from .segments import created, segment_of


def is_shared(tensor: Any) -> bool:
    """Whether other processes may see what is written into a tensor."""
    array = tensor._array
    return type(array) is not np.ndarray or not array.size or segment_of(owner(array)) is not None


def share(tensor: Any) -> Any:
    """Move a tensor's storage into a segment, unless it lies in one that can be sent; the segment's array."""
    root = owner(tensor._array)
    known = segment_of(root)
    if known is not None and known.fd is not None:
        return root
    low, high = extent(root)
    memory = hold(created(high - low))
    if high > low:
        memory[: high - low] = in_bytes(root)
    for member in family(tensor):
        array = member._array
        if owner(array) is root:
            member._array = strided(memory, array.shape, array.strides, address(array) - low, array.dtype)
    return owner(tensor._array)
