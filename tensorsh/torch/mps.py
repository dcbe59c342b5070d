"""``torch.mps``: Apple's GPUs, of which there are none here."""

from __future__ import annotations

from .absent_devices import functions

CALLED = {
    "current_allocated_memory": "getCurrentAllocatedMemory", "driver_allocated_memory": "getDriverAllocatedMemory",
    "empty_cache": "emptyCache", "get_rng_state": "getDefaultGenerator", "recommended_max_memory": "getRecommendedMaxMemory",
    "seed": "getDefaultGenerator", "set_per_process_memory_fraction": "setMemoryFraction", "set_rng_state": "getDefaultGenerator",
    "synchronize": "deviceSynchronize",
}  # fmt: skip
_found = functions(
    "mps",
    "is_available device_count manual_seed",
    {name: f"Cannot execute {called}() without MPS backend." for name, called in CALLED.items()},
    RuntimeError,
)
globals().update(_found)
__all__ = list(_found)
