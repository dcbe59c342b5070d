"""``torch.utils.dlpack``: memory handed over between libraries."""

from __future__ import annotations

from typing import Any

from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule with the tensor's memory, which `from_dlpack` takes once."""
    return tensor.__dlpack__(max_version=(1, 0))  # which says that the memory may be written


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array, or of a capsule.

    device: where it is to be. copy: whether it has memory of its own; without, only where another device is asked for."""
    return find_function("from_dlpack")(ext_tensor, device=device, copy=copy)
