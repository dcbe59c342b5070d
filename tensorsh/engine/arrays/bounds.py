"""Checks of values (indices, probabilities): at once on the CPU, and on a GPU when the program next reads from it.

To ask a GPU whether an index is in range is to wait for all that it was given before. As in PyTorch the kernel runs on
(cupy wraps such an index), and the error comes where a value is next read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .cupy_module import accelerator
from .device import absent
from .dtype import of
from .errors import length

MOST = 64
"""Questions that may be open; more are joined to one on the device."""
ASSERTED = "CUDA error: device-side assert triggered"
_open: list[Any] = []
_flagged: list[Any] = []
"""What tells whether a kernel set a flag, if one was asked to."""


def refuse(wrong: Any, error: Callable[[], Exception]) -> None:
    """Raise `error()` if any element of the mask `wrong` is set."""
    if isinstance(wrong, (np.ndarray, np.generic)):
        if np.count_nonzero(wrong):
            raise error()
        return
    if absent(wrong):  # the meta device has no values
        return
    joined = wrong.any()
    _open.append(joined)
    if len(_open) > MOST:
        place = joined.device.id
        here = [flag for flag in _open if flag.device.id == place]
        for flag in here[:-1]:
            joined = joined | flag
        _open[:] = [*(flag for flag in _open if flag.device.id != place), joined]


def outside(index: Any, least: int, end: int) -> bool:
    """Whether an index lies on a device, which is then asked whether all its numbers are from `least` to below `end`."""
    if isinstance(index, np.ndarray):
        return False
    if absent(index):
        return True
    accelerator().outside(index, least, end)
    return True


def settle() -> None:
    """Answer the open questions, where a device's values are read or waited for."""
    if _flagged:
        answered = _flagged[0]
        _flagged.clear()
        if answered():
            _open.clear()
            raise RuntimeError(ASSERTED)
    if _open:
        asked = _open[:]
        _open.clear()
        if any([bool(flag.get()) for flag in asked]):
            raise RuntimeError(ASSERTED)


def check_slices(name: str, input: Any, dim: int, index: Any, source: Any) -> None:
    """An index along a dimension, and as many slices of a source."""
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: {of(index).short} and "
            f"size: {list(index.shape)}"
        )
    if index.dtype != np.int64 and index.dtype != np.int32:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {of(index).short}")
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"{name}(): self ({of(input).short}) and source ({of(source).short}) must have the same scalar type"
        )
    if dim and dim >= source.ndim:
        raise RuntimeError(f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}")
    if index.size != (source.shape[dim] if source.ndim else 1):
        raise RuntimeError(
            f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): "
            f"({length(source.shape, dim)}), for dim: {dim}"
        )
    a, b = input.shape, source.shape
    if a and b:
        a, b = a[:dim] + a[dim + 1 :], b[:dim] + b[dim + 1 :]
    if a != b:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input.shape)} source.shape = {list(source.shape)}"
        )
