"""Where a tensor's memory lies: shared by processes, pinned for a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import pinned
from ...arrays.cupy_module import check_accelerator
from ...arrays.device import absent
from ...arrays.extents import owner
from ...graph.fields import wrap
from ...operators.hooks import stay
from ...operators.registration import method
from ...tensors import sharing
from ...tensors.storage import storage_on
from ...tensors.tensor import Tensor


@method
def is_shared(self: Tensor) -> bool:
    """Whether the memory is one that processes share."""
    return storage_on(self._array).is_shared()


@method
def share_memory_(self: Tensor) -> Tensor:
    """The tensor itself, its storage moved to memory that processes share."""
    if isinstance(self._array, np.ndarray) or absent(self._array):
        stay("memory")
        sharing.share(self)
    return self


@method
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in memory that a GPU reads without the CPU's help; the tensor itself where it lies there."""
    if absent(self._array):
        raise RuntimeError(f"cannot pin 'Meta{self.dtype.short}Type' only dense CPU tensors can be pinned")
    check_accelerator()
    if not isinstance(self._array, np.ndarray):
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    return self if is_pinned(self) else wrap(pinned(self._array))


@method
def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether its memory is pinned."""
    base = getattr(owner(self._array), "base", None)
    return getattr(base, "obj", base).__class__.__name__ == "PinnedMemoryPointer"
