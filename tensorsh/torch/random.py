"""``torch.random``: the generator's state as a context."""

from __future__ import annotations

from typing import Any

from ..engine.state import state
from ..sealed import Sealed
from .settings import get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state", "thread_safe_generator"]


class fork_rng(metaclass=Sealed):
    """What is drawn inside the block does not change the numbers after it."""

    def __init__(self, devices: Any = None, enabled: bool = True, device_type: str = "cuda") -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        self.before = state.generator.get_state()

    def __exit__(self, *exception: object) -> None:
        if self.enabled:
            state.generator.set_state(self.before)


def thread_safe_generator() -> None:
    """A thread's own generator where a DataLoader has threads: never here, so the session's own serves."""
    return None
