"""The error of a tensor that is larger than the memory that there is, in PyTorch's words.

numpy asks for the memory of an array in one piece before it computes anything, and raises an error of its own where the
system (or the limit of a run) refuses. That error, a MemoryError, is made a RuntimeError as well, which is what PyTorch
raises and what its programs catch."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...sandbox import long_calls
from ...sandbox.sealed import Sealed

WORDS = (
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
    "{size} bytes. Error code 12 (Cannot allocate memory)"
)


class OutOfMemoryError(RuntimeError, metaclass=Sealed):
    """The device has no memory left for a tensor."""

    __module__ = "torch"


def beyond(error: Exception) -> Exception:
    """An error, numpy's of an array that no memory of 64 bits holds as PyTorch's."""
    is_large = str(error).startswith(("array is too big", "iterator is too large", "maximum supported dimension"))
    return RuntimeError("Storage size calculation overflowed") if is_large else error


def is_of_tensor(error: MemoryError) -> bool:
    """Whether the array that could not be made was to be a tensor's: the engine asked for it."""
    asked = ""
    traceback: Any = error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        if name.partition(".")[0] != "numpy" and name != long_calls.__name__:
            asked = name
        traceback = traceback.tb_next
    return hasattr(error, "shape") and asked.startswith(("tensorsh.engine", "tensorsh.torch"))


def install() -> None:
    """Gives numpy's error PyTorch's words where it stands for a tensor. numpy holds on to the class, so it is changed."""
    kind: Any = getattr(getattr(getattr(np, "_core", None), "_exceptions", None), "_ArrayMemoryError", None)
    if kind is None or issubclass(kind, RuntimeError):
        return
    plain = kind.__str__

    def __str__(self: Any) -> str:
        return WORDS.format(size=prod(self.shape) * self.dtype.itemsize) if is_of_tensor(self) else plain(self)

    kind.__bases__ = (*kind.__bases__, RuntimeError)
    kind.__str__ = __str__


def shortage(error: MemoryError, bound: int | None = None) -> RuntimeError | MemoryError:
    """The plain RuntimeError that PyTorch raises in place of this error, if it was raised for a tensor; else the error. A bound
    in bytes is named."""
    is_tensor = is_of_tensor(error)
    if bound is None and not is_tensor:
        return error
    limit = None if bound is None else f"the limit is {bound} bytes (--max-memory)"
    text = "; ".join(part for part in (str(error), limit) if part)
    return (RuntimeError if is_tensor else MemoryError)(text).with_traceback(error.__traceback__)
