"""Where a device's memory comes from, and what keeps the memory that a captured graph goes on using.

A graph reads and writes by address what it was captured with, also after a program has let go of it. So memory that was handed
out before a capture is never handed out again while the graph lives: whatever is made later comes from another pool."""

from __future__ import annotations

import weakref
from typing import Any

from ..arrays.backend import cupy


class Pool:
    """One of CuPy's pools. Its free blocks go back to the device with it."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        _pools.append(weakref.ref(self, _pools.remove))

    def __del__(self) -> None:
        self.memory.free_all_blocks()


_pools: list[weakref.ref[Pool]] = []
"""All pools that there are."""
_current: list[Pool] = []
"""The pool that new arrays come from."""


def current() -> Pool:
    """The pool that new arrays come from: CuPy's own, until a graph is captured."""
    if not _current:
        _current.append(Pool(cupy().get_default_memory_pool()))
    return _current[0]


def pools() -> list[Pool]:
    """All pools that there are, the current one among them."""
    current()
    return [found for each in list(_pools) if (found := each()) is not None]


def kept() -> list[Pool]:
    """The pools of all memory that there is, for a graph to hold. From here on arrays come from a new one."""
    current().memory.free_all_blocks()
    held = pools()
    module = cupy()
    _current[:] = [Pool(module.cuda.MemoryPool())]
    module.cuda.set_allocator(_current[0].memory.malloc)
    return held


def amounts() -> tuple[int, int]:
    """The bytes in use and the bytes taken, on the current device."""
    found = [pool.memory for pool in pools()]
    return sum(m.used_bytes() for m in found), sum(m.total_bytes() for m in found)
