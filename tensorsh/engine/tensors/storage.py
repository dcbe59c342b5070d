"""Storages: the memory under tensors, as bytes and as elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.integers import whole
from ...sandbox.sealed import Sealed
from ..arrays.errors import type_name
from ..arrays.extents import extent, in_bytes, owner
from ..arrays.state import state
from ..graph.fields import wrap


def memory_of(given: Any) -> Any:
    """The bytes that a storage is made of: so many zeros, or those of a list."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return np.zeros(whole(given), np.uint8)
    if not isinstance(given, (list, tuple)):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type_name(given)}")
    return np.array([whole(each) % 256 for each in given], np.uint8)


def at(items: Any, index: Any) -> Any:
    """What a storage has at a place, or in a slice."""
    if not isinstance(index, slice):
        index = whole(index)
        if not -len(items) <= index < len(items):
            raise IndexError(f"index {index} out of range for storage of size {len(items)}")
    return items[index].tolist()


class UntypedStorage(metaclass=Sealed):
    """The bytes under a tensor."""

    __module__ = "torch.storage"
    __slots__ = ("_owner",)

    def __init__(self, array: Any = 0) -> None:
        self._owner = owner(array if hasattr(array, "base") else memory_of(array))

    @property
    def device(self) -> Any:
        return wrap(self._owner).device

    def data_ptr(self) -> int:
        return extent(self._owner)[0]

    def nbytes(self) -> int:
        low, high = extent(self._owner)
        return high - low

    size = nbytes
    __len__ = nbytes

    def element_size(self) -> int:
        return 1

    def _bytes(self) -> Any:
        return in_bytes(self._owner)

    def _as(self, dtype: Any) -> Any:
        """The bytes as elements; what is left over at the end is left out."""
        memory = self._bytes()
        return memory[: memory.size // dtype.itemsize * dtype.itemsize].view(dtype)

    def tolist(self) -> list[int]:
        return self._bytes().tolist()

    def __getitem__(self, index: Any) -> Any:
        return at(self._bytes(), index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._owner is self._owner

    def __hash__(self) -> int:
        return id(self._owner)

    def __repr__(self) -> str:
        rows = "\n".join(f" {x}" for x in self.tolist())
        return f"{rows}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


class TypedStorage(metaclass=Sealed):
    """The elements under a tensor, in the order of memory."""

    __module__ = "torch.storage"
    __slots__ = ("_untyped", "_dtype")

    def __init__(self, array: Any = 0, *, dtype: Any = None) -> None:
        if isinstance(array, (int, np.integer)):
            array = np.zeros(whole(array), (dtype or state.default_dtype).numpy)
        self._untyped = UntypedStorage(array)
        self._dtype = array.dtype

    def _items(self) -> Any:
        return self._untyped._as(self._dtype)

    @property
    def dtype(self) -> Any:
        return wrap(np.empty(0, self._dtype)).dtype

    @property
    def device(self) -> Any:
        return self._untyped.device

    def untyped(self) -> UntypedStorage:
        return self._untyped

    def data_ptr(self) -> int:
        return self._untyped.data_ptr()

    def nbytes(self) -> int:
        return self._untyped.nbytes()

    def size(self) -> int:
        return self._untyped.nbytes() // self._dtype.itemsize

    __len__ = size

    def element_size(self) -> int:
        return self._dtype.itemsize

    def tolist(self) -> list:
        return self._items().tolist()

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        return at(self._items(), index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._items()[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        self._items()[...] = value
        return self

    def __repr__(self) -> str:
        rows = "\n".join(f" {x}" for x in self.tolist())
        return f"{rows}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self.size()}]"
