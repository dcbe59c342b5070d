"""The module behind ``torch.cuda``, and devices by what programs call them."""

from __future__ import annotations

from typing import Any

from ...engine.arrays import backend
from ...engine.arrays.device import device as device_type


def module() -> Any:
    """cupy; PyTorch's error where there is no device."""
    backend.check_device(device_type("cuda"))
    return backend.cupy()


def index_of(device: Any) -> int:
    """A device's number; None is the current one."""
    found = module()
    if device is None:
        return found.cuda.runtime.getDevice()
    wanted = device_type(device)
    if wanted.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {wanted}")
    return backend.check_device(wanted).index or 0


def current_device() -> int:
    """The number of the device that new CUDA tensors are made on."""
    return module().cuda.runtime.getDevice()
