"""Tensors in memory that processes share: a storage is moved there with all tensors known to lie in it."""

from __future__ import annotations

from typing import Any

from ...sandbox import process
from ..arrays.device import absent
from ..arrays.extents import extent, in_bytes, owner
from .lots import family, move
from .resizing import hold
from .segments import created, is_open, segment_of


def lent(array: Any) -> Any:
    """A tensor's array as numpy gets it: one of its own on the memory. Of memory that other processes write into it is a copy that
    cannot be written, for numpy trusts that nobody changes the numbers it computes with; in plain Python it is the memory itself."""
    if not process.plain and is_open(owner(array)):
        array = array.copy()
        array.flags.writeable = False
        return array
    return hold(array).view()


def check_own(array: Any) -> None:
    """Refuse to lend memory that other processes write into."""
    if is_open(owner(array)):
        raise BufferError("a tensor in memory that processes share lends it to nobody: export a copy, x.clone()")


def can_be_sent(root: Any) -> bool:
    """Whether an array owns a segment that other processes may have, too."""
    known = segment_of(root)
    return known is not None and known.fd is not None and not known.alone


def copied(root: Any) -> Any:
    """A segment with the bytes of the memory that an array owns."""
    low, high = extent(root)
    memory = created(high - low)
    if high > low:
        memory[: high - low] = in_bytes(root)
    return memory


def share(tensor: Any) -> Any:
    """Move a tensor's storage into a segment, unless it lies in one that can be sent; the segment's array."""
    if absent(tensor._array):
        raise RuntimeError("_share_fd_: only available on CPU")
    root = owner(tensor._array)
    if not can_be_sent(root):
        move(root, hold(copied(root)), family(tensor))
    return owner(tensor._array)
