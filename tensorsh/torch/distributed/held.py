"""The memory of tensors while a call goes on, and the bytes that all ranks of a group give each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from .groups import ProcessGroup
from .transport import finished


class Held:
    """The memory of a tensor for the time of a call, however the tensor may change while it goes on."""

    __slots__ = ("tensor", "array", "size", "dtype")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor, self.array = tensor, tensor._array
        if hasattr(self.array, "layout"):
            raise RuntimeError("collectives take dense tensors; call to_dense() first")
        self.size, self.dtype = self.array.size, self.array.dtype

    def flat(self) -> np.ndarray:
        """The elements in a row: the memory itself where that is in order, else a copy."""
        array = self.array
        return np.ascontiguousarray(array if type(array) is np.ndarray else wrap(array).cpu()._array).reshape(-1)

    def octets(self) -> np.ndarray:
        """The bytes of the elements in a row."""
        return octets(self.flat())

    def put(self, values: np.ndarray) -> None:
        """Writes elements, or their bytes, in a row, where they are not there already."""
        array, values = self.array, values.view(self.dtype)
        if type(array) is not np.ndarray:
            wrap(array).copy_(wrap(values.reshape(array.shape)))  # from the processor's memory to the device's
        elif not np.may_share_memory(array, values):
            array[...] = values.reshape(array.shape)
        self.tensor._bump()


def octets(array: np.ndarray) -> np.ndarray:
    """The bytes of a flat array."""
    return array.view(np.uint8)


def told(t: Tensor) -> str:
    """What a header tells of a tensor besides its shape."""
    return t.dtype.name if type(t._array) is np.ndarray else f"{t.dtype.name}, TensorDeviceTypes={t.device.type}"


def gather_bytes(group: ProcessGroup, mine: np.ndarray) -> Any:
    """The steps that gather as many bytes of each process: a row for each."""
    rows = np.empty((group.size(), mine.size), np.uint8)
    if group.size() == 1:
        rows[0] = mine
    elif mine.size:
        yield from finished(group._comm.Iallgather(mine, rows))
    return rows
