"""``torch.xpu``: Intel's GPUs, of which there are none here."""

from __future__ import annotations

from .absent_devices import functions

_found = functions(
    "xpu",
    "is_available device_count is_initialized is_bf16_supported is_tf32_supported manual_seed manual_seed_all seed seed_all "
    "empty_cache set_rng_state_all set_stream get_rng_state_all get_arch_list memory_allocated memory_reserved "
    "max_memory_allocated max_memory_reserved memory_stats",
    dict.fromkeys(
        "init current_device current_stream get_device_capability get_device_name get_device_properties get_rng_state "
        "initial_seed mem_get_info set_device synchronize".split(),
        "Torch not compiled with XPU enabled",
    ),
    AssertionError,
)
globals().update(_found)
__all__ = list(_found)
