"""``torch.mtia``: Meta's accelerators, of which there are none here."""

from __future__ import annotations

from .absent_devices import functions

CALLED = {
    "current_device": "getCurrentDevice", "current_stream": "getCurrentDevice", "empty_cache": "emptyCache",
    "get_device_capability": "getCurrentDevice", "set_device": "setCurrentDevice", "synchronize": "getCurrentDevice",
}  # fmt: skip
_found = functions(
    "mtia",
    "is_available device_count is_initialized manual_seed manual_seed_all seed seed_all set_rng_state_all set_stream "
    "get_rng_state_all memory_allocated max_memory_allocated reset_peak_memory_stats",
    {name: f"Cannot execute {called}() without MTIA backend." for name, called in CALLED.items()},
    RuntimeError,
)
globals().update(_found)
__all__ = list(_found)
