"""Tensors that were cut from their history in place (``detach_``), which nodes may keep."""

from __future__ import annotations

from .fields import Version, tick


class DetachedInPlace(Version):
    """The version counter of a tensor that was cut from its history, which nodes keep that were made before."""

    begun = 0


def detached_in_place(cell: Version | None) -> DetachedInPlace:
    """The counter of a tensor from now on, given that until now."""
    made = DetachedInPlace()
    if cell is not None:
        made.count, made.stamps = cell.count, cell.stamps
    made.last = made.begun = tick()
    return made
