"""``torch.mtia``: Meta's accelerators, of which there are none here."""

from __future__ import annotations

__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """The number of devices: none."""
    return 0


def is_available() -> bool:
    """Whether there is a device: no."""
    return False
