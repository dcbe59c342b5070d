"""``torch.utils._device``: the context of a default device."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.device import device as device_type
from ...engine.operators.torch_function import TorchFunctionMode
from ._contextlib import context_decorator

CURRENT_DEVICE = None


class DeviceContext(TorchFunctionMode):
    """A mode in which new tensors come to a device."""

    def __init__(self, device: Any) -> None:
        self.device = device_type(device)

    def __enter__(self) -> Any:
        self.device.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.device.__exit__(*error)

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def device_decorator(device: Any, func: Any) -> Any:
    """A function that runs in the context of a device."""
    return set_device(device)(func)


def set_device(device: Any) -> Any:
    """A decorator: the function runs in the context of a device."""
    return lambda func: context_decorator(lambda: device_type(device), func)
