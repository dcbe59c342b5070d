"""``torch.cuda.memory``: what tensors hold of a device's memory, from cupy's pool.

The pool keeps no maximum. It is followed from when a program first asks for it, or resets it: until then nothing is paid.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ...engine.arrays import backend, device_guard
from ...engine.arrays.cupy_module import accelerator
from ...engine.arrays.memory import OutOfMemoryError  # noqa: F401  a name of this module
from .places import index_of, module

__all__ = [
    "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_cached",
    "max_memory_cached", "reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_accumulated_memory_stats", "empty_cache", "mem_get_info", "memory_summary", "memory_stats",
    "set_per_process_memory_fraction",
]  # fmt: skip


_peaks: dict[int, list[int]] = {}
"""For each device the most that was allocated and reserved since it is followed."""
_followers: list[Any] = []


def _pool(device: Any = None) -> tuple[int, int]:
    """Allocated and reserved bytes."""
    found = backend.cupy()
    if found is None:
        return 0, 0
    with found.cuda.Device(index_of(device)):
        return accelerator().pools.amounts()


def _noted(device: Any) -> list[int]:
    """The peaks of a device, brought up to date; from now on it is followed."""
    if backend.cupy() is None:
        return [0, 0]
    index = index_of(device)
    if not _followers:
        _follow()
    now = _pool(index)
    found = _peaks.setdefault(index, list(now))
    found[:] = map(max, found, now)
    return found


def _follow() -> None:
    """Look at the pool at each allocation."""

    class Peak(module().cuda.MemoryHook):
        name = "tensorsh"

        def malloc_postprocess(self, device_id: int, **_: Any) -> None:
            if device_id in _peaks:
                found, now = _peaks[device_id], _pool(device_id)
                found[:] = map(max, found, now)

    hook = Peak()
    hook.__enter__()
    _followers.append(hook)


def memory_allocated(device: Any = None) -> int:
    """Bytes held by tensors on the device."""
    return _pool(device)[0]


def memory_reserved(device: Any = None) -> int:
    """Bytes the pool has taken from the device."""
    return _pool(device)[1]


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes held by tensors since the first question, or since ``reset_peak_memory_stats``."""
    return _noted(device)[0]


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that the pool has taken from the device (None: the current one)."""
    return _noted(device)[1]


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    """Follow the most memory from here on."""
    if backend.cupy() is not None:
        _peaks[index_of(device)] = [0, 0]
        _noted(device)


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Nothing: sums over time are not kept for a device."""
    return None


def empty_cache() -> None:
    """Give unused memory of the pool back to the device."""
    found = backend.cupy()
    if found is not None:
        for index in range(backend.device_count()) if device_guard.several else (-1,):
            with device_guard.on(index):
                accelerator().pools.current().memory.free_all_blocks()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free and total bytes of the device."""
    found = module()
    with found.cuda.Device(index_of(device)):
        return found.cuda.runtime.memGetInfo()


def memory_stats(device: Any = None) -> OrderedDict:
    """What is known of the pool, under PyTorch's names."""
    if backend.cupy() is None:
        return OrderedDict()
    (used, held), (most, most_held) = _pool(device), _noted(device)
    return OrderedDict(
        {
            "allocated_bytes.all.current": used, "allocated_bytes.all.peak": most, "reserved_bytes.all.current": held,
            "reserved_bytes.all.peak": most_held,
        }
    )  # fmt: skip


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """The figures of the pool as a small table."""
    index = 0 if backend.cupy() is None else index_of(device)
    rows = [("Metric", "Cur Usage", "Peak Usage")]
    for name, now, most in zip(("Allocated memory", "Reserved memory"), _pool(device), _noted(device), strict=True):
        rows.append((name, f"{now / 1024:.1f} KiB", f"{most / 1024:.1f} KiB"))
    body = "\n".join(f"| {a:<18} | {b:>14} | {c:>14} |" for a, b, c in rows)
    return f"PyTorch CUDA memory summary, device ID {index}\n{body}"


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Let the pool take no more than a part of the device's memory."""
    found = module()
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    with found.cuda.Device(index_of(device)):
        accelerator().pools.current().memory.set_limit(fraction=fraction)
