"""Where a storage lies, as files say it: names of ``torch.serialization`` that loaders of other libraries use. Plain Python's alone."""

from __future__ import annotations

from typing import Any

from .cuda import is_available
from .loaded import NO_GPU


def location_tag(storage: Any) -> str:
    """The words for the place of a storage: ``cpu``, ``cuda:0``, ``meta``."""
    return str(storage.device)


def default_restore_location(storage: Any, location: str) -> Any:
    """A storage at the place that a file named. RuntimeError: a GPU that is not there, an unknown place."""
    if location == "cpu":
        return storage
    if location.startswith("cuda"):
        if not is_available():
            raise RuntimeError(NO_GPU)
        return storage.cuda()
    if location == "meta":
        return type(storage)(storage.nbytes(), device="meta")
    raise RuntimeError(f"don't know how to restore data location of {storage.type()} (tagged with {location})")


def normalize_storage_type(storage_type: Any) -> Any:
    """The class of a storage, as ``torch`` names it."""
    from .root import torch

    return getattr(torch, storage_type.__name__)
