"""The error of a device that has no memory left, in PyTorch's words."""

from __future__ import annotations

from typing import Any

from ..arrays.backend import cupy
from ..arrays.memory import OutOfMemoryError
from .pools import amounts

UNITS = ((30, "GiB"), (20, "MiB"), (10, "KiB"))


def size(count: int) -> str:
    """A number of bytes as PyTorch writes it."""
    for shift, unit in UNITS:
        if count >= 1 << shift:
            return f"{count / (1 << shift):.2f} {unit}"
    return f"{count} bytes"


class Shortage(OutOfMemoryError):
    """What CuPy's pool raises, with CuPy's arguments: the bytes asked for, those it holds, and its limit."""

    __module__, __qualname__ = "torch", "OutOfMemoryError"

    def __init__(self, wanted: int, total: int, limit: int = 0) -> None:
        module = cupy()
        free, capacity = module.cuda.runtime.memGetInfo()
        used, total = amounts()
        allowed = f" {size(limit)} allowed;" if limit else ""
        super().__init__(
            f"CUDA out of memory. Tried to allocate {size(wanted)}. GPU {module.cuda.runtime.getDevice()} has a total capacity of "
            f"{size(capacity)} of which {size(free)} is free.{allowed} Including non-PyTorch memory, this process has "
            f"{size(capacity - free)} memory in use. Of the allocated memory {size(used)} is allocated by PyTorch, and "
            f"{size(max(0, total - used))} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
            "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "
            "Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)"
        )


Shortage.__name__ = "OutOfMemoryError"


def install(module: Any) -> None:
    """Let CuPy's pool raise PyTorch's error: the pool looks its own up by name where it raises it."""
    module.cuda.memory.OutOfMemoryError = Shortage
