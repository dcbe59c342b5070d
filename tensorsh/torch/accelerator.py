"""``torch.accelerator``: whichever device there is besides the CPU."""

from __future__ import annotations

from typing import Any

from ..engine.arrays.device import device
from ..sandbox.sealed import Sealed
from .cuda import current_device, device_count, is_available, synchronize
from .cuda import device as chosen

__all__ = [
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "device_count",
    "device_index",
    "is_available",
    "synchronize",
]


def current_accelerator(check_available: bool = False) -> device | None:
    """The kind of device programs should use; None for the CPU."""
    return device("cuda") if is_available() else None


current_device_index = current_device_idx = current_device


class device_index(metaclass=Sealed):
    """A context in which a device of the accelerator is the current one; None leaves it as it is."""

    __module__ = "torch.accelerator"

    def __init__(self, device: int | None, /) -> None:
        self._index = device

    def __enter__(self) -> None:
        if self._index is None:
            return
        if not is_available():
            raise RuntimeError("Cannot access accelerator device when none is available.")
        self._context = chosen(self._index)
        self._context.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self._index is not None:
            self._context.__exit__(*error)
