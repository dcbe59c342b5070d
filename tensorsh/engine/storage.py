"""Memory under tensors: who owns it, where in it a tensor lies, and new arrays on old memory.

A tensor's storage is the buffer that owns its array's memory: numpy's chain of bases ends there. Strides and offsets are
counted in bytes here and in elements where a program sees them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..sealed import Sealed
from .tensor import wrap

ndarray = np.ndarray


def address(array: Any) -> int:
    """Where an array's first element lies."""
    if type(array) is ndarray:
        return array.__array_interface__["data"][0]
    return array.data.ptr


def owner(array: Any) -> Any:
    """The array that owns an array's memory."""
    base = array.base
    while base is not None:
        if type(base) is ndarray:
            array = base
        elif type(base).__name__ != "DummyArray":
            # What numpy.lib.stride_tricks puts between its result and the array is passed over.
            break
        base = base.base
    return array


def strided(array: Any, shape: tuple, strides: tuple, offset: int = 0) -> Any:
    """An array of any shape and strides on another's memory; `offset` counts from the other's first element."""
    if type(array) is not ndarray:
        return type(array)(shape, array.dtype, array.data + offset, strides)
    if offset >= 0:
        try:
            return ndarray(shape, array.dtype, array, offset, strides)
        except (TypeError, ValueError, BufferError):
            pass
    if 0 in shape:
        return np.empty(shape, array.dtype)
    if math.prod(shape) * array.itemsize >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    strides = tuple([s if n > 1 else min(s, 1 << 62) for n, s in zip(shape, strides, strict=True)])
    root = owner(array)
    offset += address(array) - address(root)
    if not root.flags.c_contiguous:
        # An owner whose dimensions numpy has laid out in another order.
        root = root.transpose(sorted(range(root.ndim), key=lambda i: -root.strides[i]))
    if root.flags.c_contiguous:
        return ndarray(shape, array.dtype, root, offset, strides)
    raise RuntimeError("the memory under this tensor cannot be viewed with other strides")


def extent(array: Any) -> tuple[int, int]:
    """First and one past the last address an array touches."""
    start = address(array)
    low = high = start
    if array.size:
        for n, s in zip(array.shape, array.strides, strict=True):
            if s < 0:
                low += (n - 1) * s
            else:
                high += (n - 1) * s
        high += array.itemsize
    return low, high


def reach(shape: tuple, strides: tuple, itemsize: int) -> int:
    """How many bytes lie between the first and the end of the last element."""
    if 0 in shape:
        return 0
    return sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + itemsize


def contiguous_strides(shape: tuple, itemsize: int = 1) -> tuple[int, ...]:
    """Strides of a shape in row order, empty dimensions counted as one."""
    strides = []
    step = itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= n or 1
    return tuple(reversed(strides))


def element_strides(array: Any) -> tuple[int, ...]:
    """An array's strides in elements. numpy gives none to empty arrays, PyTorch those of row order."""
    if not array.size:
        return contiguous_strides(array.shape)
    size = array.itemsize
    return tuple(s // size for s in array.strides)


def viewing_strides(array: Any, shape: tuple) -> tuple[int, ...] | None:
    """The strides (in bytes) that show an array in another shape; None where that needs a copy."""
    old_shape, old_strides = array.shape, array.strides
    if not array.size:
        return contiguous_strides(shape, array.itemsize)
    if not old_shape:
        return (array.itemsize,) * len(shape)
    strides = [0] * len(shape)
    at = len(shape) - 1
    step = old_strides[-1]
    old_count = new_count = 1
    for i in range(len(old_shape) - 1, -1, -1):
        old_count *= old_shape[i]
        # A run of dimensions that lie behind one another ends here.
        if i == 0 or (old_shape[i - 1] != 1 and old_strides[i - 1] != old_count * step):
            while at >= 0 and (new_count < old_count or shape[at] == 1):
                strides[at] = new_count * step
                new_count *= shape[at]
                at -= 1
            if new_count != old_count:
                return None
            if i > 0:
                step = old_strides[i - 1]
                old_count = new_count = 1
    return None if at != -1 else tuple(strides)


def storage_of(array: Any) -> tuple[Any, int]:
    """An array's owner and the array's offset in it in bytes."""
    root = owner(array)
    return root, address(array) - extent(root)[0]


class UntypedStorage(metaclass=Sealed):
    """The bytes under a tensor."""

    __module__ = "torch.storage"
    __slots__ = ("_owner",)

    def __init__(self, array: Any = 0) -> None:
        self._owner = owner(np.zeros(array, np.uint8) if isinstance(array, int) else array)

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
        root = self._owner
        if not root.flags.c_contiguous:
            root = root.transpose(sorted(range(root.ndim), key=lambda i: -root.strides[i]))
        return root.reshape(-1).view(np.uint8)

    def tolist(self) -> list[int]:
        return self._bytes().tolist()

    def __getitem__(self, index: Any) -> Any:
        return self._bytes()[index].tolist()

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
        if isinstance(array, int):
            from .state import state

            array = np.zeros(array, (dtype or state.default_dtype).numpy)
        self._untyped = UntypedStorage(array)
        self._dtype = array.dtype

    def _items(self) -> Any:
        return self._untyped._bytes().view(self._dtype)

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
        return self._items()[index].tolist()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._items()[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        self._items()[...] = value
        return self

    def __repr__(self) -> str:
        rows = "\n".join(f" {x}" for x in self.tolist())
        return f"{rows}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self.size()}]"


def check_bounds(array: Any, size: tuple, stride: tuple, offset: int) -> None:
    """Raise what PyTorch raises when sizes and strides do not fit in an array's storage; counted in elements."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    itemsize = array.itemsize
    low, high = extent(owner(array))
    if any(s >= 1 << 60 and n > 1 for n, s in zip(size, stride, strict=True)):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    needed = 0 if 0 in size else itemsize * (offset + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)))
    if needed > high - low:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {itemsize} "
            f"requiring a storage size of {needed} are out of bounds for storage of size {high - low}"
        )


def element_offset(array: Any) -> int:
    """Where in its storage an array starts, in elements."""
    if array.base is None:
        return 0
    return storage_of(array)[1] // array.itemsize
