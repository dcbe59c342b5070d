"""``torch.random``: the generator's state as a context."""

from __future__ import annotations

from typing import Any

from ..engine.arrays.state import state
from ..sandbox.sealed import Sealed
from .settings import drawing, get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state", "thread_safe_generator"]


def all_states() -> dict:
    """The states of the CPU's generator and of those of devices that numbers were drawn from."""
    return {None: drawing().get_state()} | {i: g.get_state() for i, g in state.device_generators.items()}


def put_back(states: dict) -> None:
    """The generators as `all_states` found them."""
    for index, found in states.items():
        (drawing() if index is None else state.device_generators[index]).set_state(found)


class fork_rng(metaclass=Sealed):
    """What is drawn inside the block does not change the numbers after it."""

    def __init__(self, devices: Any = None, enabled: bool = True, device_type: str = "cuda") -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        self.before = all_states()

    def __exit__(self, *exception: object) -> None:
        if self.enabled:
            put_back(self.before)


def thread_safe_generator() -> None:
    """A thread's own generator where a DataLoader has threads: never here, so the session's own serves."""
    return None
