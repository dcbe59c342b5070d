"""``torch.accelerator``: whichever device there is besides the CPU."""

from __future__ import annotations

from ..engine.device import device
from .cuda import current_device, device_count, is_available, synchronize

__all__ = [
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "device_count",
    "is_available",
    "synchronize",
]


def current_accelerator(check_available: bool = False) -> device | None:
    """The kind of device programs should use; None for the CPU."""
    return device("cuda") if is_available() else None


current_device_index = current_device_idx = current_device
