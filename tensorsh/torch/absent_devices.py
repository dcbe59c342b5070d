"""What programs say to kinds of devices that are not there, as all programs that seed or clear every kind do: what PyTorch without
them answers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from typing import Any

ANSWERS: dict[str, tuple[Any, str]] = {
    "is_available": (False, "Whether there is such a device: no."),
    "device_count": (0, "The number of devices: none."),
    "is_initialized": (False, "Whether such devices are in use: no."),
    "is_bf16_supported": (False, "Whether they compute in bfloat16: there is none."),
    "is_tf32_supported": (False, "Whether they compute in TF32: there is none."),
    "memory_allocated": (0, "Bytes in use: none."),
    "memory_reserved": (0, "Bytes held: none."),
    "max_memory_allocated": (0, "Most bytes in use so far: none."),
    "max_memory_reserved": (0, "Most bytes held so far: none."),
    "get_rng_state_all": ([], "The states of all devices' generators: there is none."),
    "get_arch_list": ([], "What kernels are compiled for: nothing."),
    "memory_stats": (OrderedDict(), "What is known of the memory: nothing."),
}
IDLE = (
    "manual_seed manual_seed_all seed seed_all empty_cache set_rng_state_all set_stream reset_peak_memory_stats".split()
)
"""What says something to all devices there are, and so does nothing."""


def answering(name: str, value: Any, doc: str) -> Callable:
    def answer(*args: Any, **kwargs: Any) -> Any:
        return copy(value)

    answer.__name__ = answer.__qualname__ = name
    answer.__doc__ = doc
    return answer


def refusing(name: str, kind: type[Exception], words: str, device: str) -> Callable:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise kind(words)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"{kind.__name__}: there is no device of this kind, which `torch.{device}.is_available` says."
    return refuse


def functions(device: str, answered: str, refused: dict[str, str], kind: type[Exception]) -> dict[str, Callable]:
    """The functions of a kind of device. answered: names of `ANSWERS` and `IDLE`; refused: what others say, by their names, as
    errors of a kind."""
    found: dict[str, Callable] = {}
    for name in answered.split():
        value, doc = (None, "Nothing, for there is no such device.") if name in IDLE else ANSWERS[name]
        found[name] = answering(name, value, doc)
    return found | {name: refusing(name, kind, words, device) for name, words in refused.items()}
