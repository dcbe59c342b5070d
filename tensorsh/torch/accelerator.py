"""``torch.accelerator``: whichever device there is besides the CPU, which is CUDA's or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.arrays.device import device
from ..sandbox.sealed import Sealed
from . import cuda
from .cuda import device_count, is_available

__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count", "device_index",
    "empty_cache", "empty_host_cache", "get_device_capability", "get_memory_info", "is_available", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
    "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
]  # fmt: skip


def check() -> None:
    """PyTorch's error where there is no accelerator."""
    if not is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")


def current_accelerator(check_available: bool = False) -> device | None:
    """The kind of device programs should use; None for the CPU."""
    return device("cuda") if is_available() else None


def of_cuda(name: str) -> Callable:
    """The function of ``torch.cuda`` with a name, of the current device or another, once there is a device."""

    def ask(device: Any = None, /) -> Any:
        check()
        return getattr(cuda, name)(device)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = getattr(cuda, name).__doc__
    return ask


(
    current_stream, synchronize, max_memory_allocated, max_memory_reserved, memory_allocated, memory_reserved, memory_stats,
    reset_accumulated_memory_stats, reset_peak_memory_stats,
) = map(of_cuda, (
    "current_stream", "synchronize", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "memory_stats", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
))  # fmt: skip


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """Free and total bytes of a device."""
    check()
    return cuda.mem_get_info(device_index)


def get_device_capability(device: Any = None, /) -> dict[str, Any]:
    """The dtypes that a device computes with, under `supported_dtypes`."""
    from ..engine.arrays.dtype import DTYPES

    check()
    return {"supported_dtypes": {each for each in DTYPES if not each.name.startswith(("float8", "float4"))}}


def current_device_index() -> int:
    """The number of the device that new tensors of the accelerator are made on."""
    check()
    return cuda.current_device()


def set_device_index(device: Any, /) -> None:
    """Make a device the current one; None leaves it as it is."""
    check()
    if device is not None:
        cuda.set_device(device)


current_device_idx, set_device_idx = current_device_index, set_device_index


def set_stream(stream: Any) -> None:
    """Make a stream the current one."""
    check()
    cuda.set_stream(stream)


def empty_cache() -> None:
    """Give unused memory back to the device."""
    check()
    cuda.empty_cache()


def empty_host_cache() -> None:
    """Nothing but the check for a device: no memory of the host is kept for copies."""
    check()


class device_index(metaclass=Sealed):
    """A context in which a device of the accelerator is the current one; None leaves it as it is."""

    __module__ = "torch.accelerator"

    def __init__(self, device: int | None, /) -> None:
        self._index = device

    def __enter__(self) -> None:
        if self._index is None:
            return
        check()
        self._context = cuda.device(self._index)
        self._context.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self._index is not None:
            self._context.__exit__(*error)
