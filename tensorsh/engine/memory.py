"""The error of a tensor that is larger than the memory that there is, in PyTorch's words.

numpy asks for the memory of an array in one piece before it computes anything, and raises an error of its own where the
system (or the limit of a run) refuses. That error, a MemoryError, is made a RuntimeError as well, which is what PyTorch
raises and what its programs catch.
"""

from __future__ import annotations

import sys
from math import prod
from typing import Any

import numpy as np

WORDS = (
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
    "{size} bytes. Error code 12 (Cannot allocate memory)"
)


def _of_tensor() -> bool:
    """Whether the array that could not be made was to be a tensor's."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "numpy":
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__", "").startswith(("tensorsh.engine", "tensorsh.torch"))


def install() -> None:
    """Gives numpy's error PyTorch's words where it stands for a tensor. numpy holds on to the class, so it is changed."""
    kind: Any = getattr(getattr(np._core, "_exceptions", None), "_ArrayMemoryError", None)
    if kind is None or issubclass(kind, RuntimeError):
        return
    init, text = kind.__init__, kind.__str__

    def __init__(self: Any, shape: Any, dtype: Any) -> None:
        init(self, shape, dtype)
        self.size_of_tensor = prod(shape) * dtype.itemsize if _of_tensor() else None

    def __str__(self: Any) -> str:
        return text(self) if self.size_of_tensor is None else WORDS.format(size=self.size_of_tensor)

    kind.__bases__ = (*kind.__bases__, RuntimeError)
    kind.__init__, kind.__str__ = __init__, __str__


def shortage(error: MemoryError) -> RuntimeError | None:
    """The plain RuntimeError that PyTorch raises in place of this error, if it was raised for a tensor."""
    if getattr(error, "size_of_tensor", None) is None:
        return None
    return RuntimeError(str(error)).with_traceback(error.__traceback__)
