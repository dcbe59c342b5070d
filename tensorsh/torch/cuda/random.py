"""``torch.cuda.random``: the CUDA generators, one for each device."""

from __future__ import annotations

from typing import Any

from ...engine.arrays import backend
from ...engine.arrays.device import device as device_type
from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from ..settings import _bytes, seed_devices
from .places import index_of, module

__all__ = [
    "manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed", "get_rng_state", "set_rng_state",
    "get_rng_state_all", "set_rng_state_all",
]  # fmt: skip


def generator(device: Any = None) -> Any:
    module()
    if isinstance(device, str) and device == "cuda":
        device = None
    return backend.generator_of(device_type("cuda", index_of(device)))


def manual_seed(seed: int) -> None:
    """Seed the numbers of the current device; without one, those it would draw if there were one."""
    if backend.cupy() is None:
        seed_devices(int(seed))
    else:
        generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed the numbers of all devices."""
    seed_devices(int(seed))


def seed() -> None:
    """Seed the numbers of the current device by chance."""
    if backend.cupy() is not None:
        generator().seed()


def seed_all() -> None:
    """Seed the numbers of all devices by chance."""
    if backend.cupy() is not None:
        seed_devices(generator().seed())


def initial_seed() -> int:
    """The seed that the current device's numbers started from."""
    return generator().initial_seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """Seed and offset of a device's generator: a uint8 tensor of 16 elements, on the CPU."""
    return wrap(generator(device).get_state())


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Put a device's generator back into a state."""
    if backend.cupy() is not None:
        generator(device).set_state(_bytes(new_state))


def get_rng_state_all() -> list[Tensor]:
    """The states of all devices' generators."""
    return [get_rng_state(device_type("cuda", i)) for i in range(backend.device_count())]


def set_rng_state_all(new_states: Any) -> None:
    """Put all devices' generators back into states. new_states: those that `get_rng_state_all` gave."""
    for i, each in enumerate(new_states):
        set_rng_state(each, device_type("cuda", i))
