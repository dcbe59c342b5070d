"""Typed storages: the memory under tensors, as elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.integers import whole
from ..arrays.device import device as device_type
from ..arrays.dtype import BY_NAME, numpy_of
from ..arrays.dtype import dtype as dtype_type
from ..arrays.dtype import of as dtype_of
from ..arrays.extents import in_bytes
from ..arrays.state import state
from ..arrays.type_names import type_name
from ..graph.fields import wrap
from .data import to_array
from .lots import readers
from .storage import (
    KINDS,
    Storage,
    UntypedStorage,
    at,
    blank,
    bytes_of,
    copied_once,
    elements,
    nbytes_of,
    same_size,
    storage_on,
)

WRONG = """\
TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)"""


class TypedStorage(Storage):
    """The elements under a tensor, in the order of memory."""

    __module__ = "torch.storage"
    __slots__ = ("__dict__", "__weakref__", "_dtype", "_untyped_storage")
    _cdata = property(lambda self: self._untyped_storage._cdata)

    def __init__(
        self, *args: Any, device: Any = None, dtype: Any = None, wrap_storage: Any = None, _internal: bool = False
    ) -> None:
        if wrap_storage is not None:
            self._wrap(args, device, dtype, wrap_storage)
            return
        if len(args) > 1:
            raise RuntimeError(f"{WRONG}\nToo many positional arguments")
        given: Any = args[0] if args else 0
        kind = state.default_dtype if dtype is None else dtype
        if not isinstance(kind, dtype_type):
            raise TypeError(f"tensor(): argument 'dtype' must be torch.dtype, not {type_name(kind)}")
        self._dtype = kind.numpy
        if isinstance(given, (int, np.integer)):
            memory = blank(whole(given) * self._dtype.itemsize, device)
        elif isinstance(given, (list, tuple)):
            memory = to_array(list(given), kind)
            if device is not None:
                memory = wrap(memory).to(device)._array
        else:
            raise TypeError(f"{WRONG}\nArgument type not recognized: {type(given)}")
        self._untyped_storage = storage_on(memory)

    def _wrap(self, args: tuple, device: Any, dtype: Any, storage: Any) -> None:
        if args:
            raise RuntimeError(f"{WRONG}\nNo positional arguments should be given when using 'wrap_storage'")
        if dtype is None:
            raise RuntimeError(f"{WRONG}\nArgument 'dtype' must be specified")
        if not isinstance(dtype, dtype_type):
            raise TypeError(f"{WRONG}\nArgument 'dtype' must be torch.dtype, not {type(dtype)}")
        if device is not None:
            raise RuntimeError(f"{WRONG}\nArgument 'device' should not be specified when 'wrap_storage' is given")
        if not isinstance(storage, UntypedStorage):
            raise TypeError(f"{WRONG}\nArgument 'wrap_storage' must be UntypedStorage, but got {type(storage)}")
        self._untyped_storage, self._dtype = storage, dtype.numpy

    def _items(self) -> Any:
        bytes_of(self._untyped_storage)
        return elements(self._untyped_storage, self._dtype)

    @property
    def dtype(self) -> Any:
        return wrap(np.empty(0, self._dtype)).dtype

    @property
    def device(self) -> Any:
        return self._untyped_storage.device

    def untyped(self) -> UntypedStorage:
        return self._untyped_storage

    def data_ptr(self) -> int:
        return self._untyped_storage.data_ptr()

    def nbytes(self) -> int:
        return nbytes_of(self._untyped_storage)

    def size(self) -> int:
        return nbytes_of(self._untyped_storage) // self._dtype.itemsize

    _size = size
    __len__ = size

    def element_size(self) -> int:
        return self._dtype.itemsize

    def pickle_storage_type(self) -> str:
        """The name of the storage class in files."""
        return self.dtype.short + "Storage"

    _pickle_storage_type = pickle_storage_type

    def tolist(self) -> list:
        return self._items().tolist()

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if type(index) is not int:
            raise TypeError(f"can't index a {type(self)} with {type(index)}")
        return at(self._items(), index, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(value, (TypedStorage, UntypedStorage)):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        wrap(self._items())[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        self[:] = value
        return self

    def copy_(self, source: Any, non_blocking: Any = None) -> TypedStorage:
        """Take over the bytes of another storage of the same size."""
        bytes_of(self._untyped_storage)[...] = bytes_of(same_size(self._untyped_storage, source))
        return self

    def clone(self) -> TypedStorage:
        """A copy of the memory."""
        return typed_on(in_bytes(self._untyped_storage._owner).copy(), self._dtype)

    __copy__ = clone

    def __deepcopy__(self, memo: dict) -> TypedStorage:
        return typed_on(copied_once(self._untyped_storage._owner, memo)._owner, self._dtype)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the storage's class; with a dtype, a storage of that."""
        if dtype is None:
            return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"
        return self._to(dtype if isinstance(dtype, dtype_type) else dtype.dtype)

    def _to(self, dtype: Any) -> TypedStorage:
        kind = numpy_of(dtype)
        made = wrap(self._items()).to(dtype)._array
        return typed_on(made.copy() if made.base is not None or self._dtype == kind else made, kind)

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """The storage on a device: itself where it lies there."""
        if device_type(device) == self.device:
            return self
        return TypedStorage(wrap_storage=UntypedStorage.to(self._untyped_storage, device=device), dtype=self.dtype)

    def cpu(self) -> TypedStorage:
        return self.to(device="cpu")

    def _write_file(self, *args: Any) -> None:
        self.cpu()
        raise NotImplementedError("tensorsh writes no storages: save the tensor with torch.save")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedStorage) and self._untyped_storage == other._untyped_storage

    def __hash__(self) -> int:
        return hash(self._untyped_storage)

    def resize_(self, size: int) -> None:  # type: ignore[override]
        self._resize_(size)

    _is_shared, _share_memory_, _setitem = Storage.is_shared, Storage.share_memory_, __setitem__
    _element_size, _deepcopy, _data_ptr, _nbytes, _getitem = element_size, __deepcopy__, data_ptr, nbytes, __getitem__

    def _text(self) -> str:
        return f"torch.storage.TypedStorage(dtype={self.dtype}, device={self.device})"


def typed_on(array: Any, dtype: Any, tensor: Any = None) -> TypedStorage:
    """A storage of elements of a dtype on an array's memory."""
    made = object.__new__(TypedStorage)
    made._dtype, made._untyped_storage = dtype, storage_on(array, tensor)
    return made


def read(storage: TypedStorage, d: Any) -> Any:
    """A new array of the elements, which must be of a dtype."""
    if storage._dtype != d.numpy:
        raise RuntimeError(
            f"Expected a Storage of type {d.short} or an UntypedStorage, but got {dtype_of(elements(storage._untyped_storage, storage._dtype)).short}"
        )
    bytes_of(storage._untyped_storage)
    return elements(storage._untyped_storage, d.numpy).copy()


readers[TypedStorage] = read


def _conversion(name: str) -> Any:
    def convert(self: Any) -> TypedStorage:
        typed = self if isinstance(self, TypedStorage) else typed_on(self._owner, np.dtype(np.uint8))
        return TypedStorage._to(typed, BY_NAME[name])

    convert.__doc__ = f"The elements as {name}."
    return convert


for _name in KINDS.split():
    for _class in (TypedStorage, UntypedStorage):
        setattr(_class, _name.partition(":")[0], _conversion(_name.partition(":")[2]))
