"""The cupy module, imported when a CUDA device is first asked for, and how many devices it finds."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

NO_CUDA = "Torch not compiled with CUDA enabled"
array_class: Any = None
"""The class of a GPU's arrays, once cupy is imported."""
INSTALL = 'install tensorsh with CUDA support: pip install "tensorsh[cuda13]" (or "tensorsh[cuda12]")'


@cache
def cupy() -> Any:
    """The cupy module where it is installed and finds a device; None elsewhere."""
    global array_class
    try:
        import cupy as module

        found = module if module.cuda.runtime.getDeviceCount() else None
        array_class = found and found.ndarray
        return found
    except Exception:  # an installation without driver or libraries fails in many ways
        return None


def device_count() -> int:
    module = cupy()
    return 0 if module is None else module.cuda.runtime.getDeviceCount()


def check_accelerator() -> None:
    """Raise PyTorch's error where there is no device that a number could mean."""
    if not device_count():
        error = RuntimeError("Cannot access accelerator device when none is available.")
        error.add_note(INSTALL)
        raise error


@cache
def accelerator() -> Any:
    """The room of what differs on a GPU. It stands above all others, and is imported by name when a program first asks for a
    device, as a family of operators is for its first name."""
    return import_module("tensorsh.engine.cuda")


@cache
def nowhere() -> Any:
    """The room of the meta device, imported by name when a program first asks for that device."""
    return import_module("tensorsh.engine.meta")
