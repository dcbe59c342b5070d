"""The error of a tensor that is larger than the memory that there is, in PyTorch's words.

numpy asks for the memory of an array in one piece before it computes anything, and raises an error of its own where the
system (or the limit of a run) refuses.
"""

from __future__ import annotations

from math import prod
from typing import Any

WORDS = (
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
    "{size} bytes. Error code 12 (Cannot allocate memory)"
)


def shortage(error: MemoryError) -> RuntimeError | None:
    """What PyTorch raises in place of this error, if it was raised for a tensor."""
    shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or dtype is None:
        return None
    asked = ""
    traceback: Any = error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        if not name.startswith("numpy"):
            asked = name
        traceback = traceback.tb_next
    if not asked.startswith(("tensorsh.engine", "tensorsh.torch")):
        return None
    found = RuntimeError(WORDS.format(size=prod(shape) * dtype.itemsize))
    return found.with_traceback(error.__traceback__)
