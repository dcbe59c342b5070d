"""Storages: the memory under tensors, as bytes and as elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.integers import whole
from ...sandbox.sealed import Sealed
from ..arrays.backend import NO_DATA
from ..arrays.device import absent
from ..arrays.dtype import BY_NAME
from ..arrays.dtype import dtype as dtype_type
from ..arrays.errors import type_name
from ..arrays.extents import extent, in_bytes, owner
from ..arrays.state import state
from ..graph.fields import wrap

WRONG = """\
TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)"""


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


class Storage(metaclass=Sealed):
    """What the bytes under a tensor and its elements have in common."""

    __slots__ = ()
    is_cuda = property(lambda self: self.device.type == "cuda")
    device: Any
    untyped: Any
    size: Any
    clone: Any
    tolist: Any
    _text: Any

    def get_device(self) -> int:
        return -1 if self.device.index is None else self.device.index

    def is_shared(self) -> bool:
        """Whether other processes may see what is written here."""
        from .segments import segment_of

        root = self.untyped()._owner
        return not absent(root) and (type(root) is not np.ndarray or not root.size or segment_of(root) is not None)

    def is_pinned(self, device: Any = "cuda") -> bool:
        return False

    def resizable(self) -> bool:
        return True

    def __deepcopy__(self, memo: dict) -> Any:
        return memo.setdefault(id(self), self.clone())

    def __repr__(self) -> str:
        rows = "..." if self.device.type == "meta" else "\n".join(f" {x}" for x in self.tolist())
        return f"{rows}\n[{self._text()} of size {self.size()}]"


class UntypedStorage(Storage):
    """The bytes under a tensor."""

    __module__ = "torch.storage"
    __slots__ = ("_owner",)

    def __init__(self, array: Any = 0, *, device: Any = None) -> None:
        self._owner = owner(array if hasattr(array, "base") else memory_of(array))

    @property
    def device(self) -> Any:
        return wrap(self._owner).device

    def data_ptr(self) -> int:
        return 0 if absent(self._owner) else extent(self._owner)[0]

    def nbytes(self) -> int:
        low, high = extent(self._owner)
        return high - low

    size = nbytes
    __len__ = nbytes
    _cdata = property(lambda self: id(self._owner))

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def untyped(self) -> UntypedStorage:
        return self

    def element_size(self) -> int:
        return 1

    def _bytes(self) -> Any:
        if absent(self._owner):
            raise NotImplementedError("Not available for 'meta' device type")
        return in_bytes(self._owner)

    def memory(self, dtype: Any) -> Any:
        """The memory as elements, also where there are none."""
        memory = in_bytes(self._owner)
        return memory[: memory.size // dtype.itemsize * dtype.itemsize].view(dtype)

    def _as(self, dtype: Any) -> Any:
        """The bytes as elements; what is left over at the end is left out."""
        self._bytes()
        return self.memory(dtype)

    def tolist(self) -> list[int]:
        return self._bytes().tolist()

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return at(self._bytes(), index)
        if index.step not in (None, 1):
            raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
        made = UntypedStorage()
        made._owner = self._bytes()[index]
        return made

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes()[index] = value

    def clone(self) -> UntypedStorage:
        """A copy of the memory."""
        return UntypedStorage(in_bytes(self._owner).copy())

    def copy_(self, source: Any, non_blocking: bool = False) -> UntypedStorage:
        """Take over the bytes of another storage of the same size."""
        self._bytes()[...] = source._bytes()
        return self

    def fill_(self, value: Any) -> UntypedStorage:
        self._bytes()[...] = value
        return self

    def cpu(self) -> UntypedStorage:
        if absent(self._owner):
            raise NotImplementedError(NO_DATA)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._owner is self._owner

    def __hash__(self) -> int:
        return id(self._owner)

    def _text(self) -> str:
        return f"torch.storage.UntypedStorage(device={self.device})"


class TypedStorage(Storage):
    """The elements under a tensor, in the order of memory."""

    __module__ = "torch.storage"
    __slots__ = ("_untyped_storage", "_dtype")
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
        if hasattr(given, "base"):  # an array
            self._dtype, self._untyped_storage = given.dtype, UntypedStorage(given)
            return
        self._dtype = (dtype or state.default_dtype).numpy
        if isinstance(given, (int, np.integer)):
            array = np.zeros(whole(given), self._dtype)
        elif isinstance(given, (list, tuple)):
            array = np.array(given, self._dtype)
        else:
            raise TypeError(f"{WRONG}\nArgument type not recognized: {type(given)}")
        self._untyped_storage = UntypedStorage(array)

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

    def memory(self, dtype: Any) -> Any:
        return self._untyped_storage.memory(dtype)

    def _items(self) -> Any:
        return self._untyped_storage._as(self._dtype)

    @property
    def dtype(self) -> Any:
        return wrap(np.empty(0, self._dtype)).dtype

    @property
    def device(self) -> Any:
        return self._untyped_storage.device

    is_sparse = False

    def untyped(self) -> UntypedStorage:
        return self._untyped_storage

    def data_ptr(self) -> int:
        return self._untyped_storage.data_ptr()

    def nbytes(self) -> int:
        return self._untyped_storage.nbytes()

    def size(self) -> int:
        return self._untyped_storage.nbytes() // self._dtype.itemsize

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
        return at(self._items(), index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(value, (TypedStorage, UntypedStorage)):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        self._items()[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        self[:] = value
        return self

    def copy_(self, source: Any, non_blocking: Any = None) -> TypedStorage:
        """Take over the elements, or the bytes, of another storage of the same size."""
        if isinstance(source, TypedStorage):
            self._items()[...] = source._items()
        else:
            self._untyped_storage._bytes()[...] = source._bytes()
        return self

    def clone(self) -> TypedStorage:
        """A copy of the memory."""
        made = TypedStorage(0, dtype=self.dtype, _internal=True)
        made._untyped_storage = self._untyped_storage.clone()
        return made

    __copy__ = clone

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the storage's class; with a dtype, a storage of that."""
        if dtype is None:
            return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"
        return self._to(dtype if isinstance(dtype, dtype_type) else dtype.dtype)

    def _to(self, dtype: Any) -> TypedStorage:
        return TypedStorage(self._items().astype(dtype.numpy))

    def cpu(self) -> TypedStorage:
        self._untyped_storage.cpu()
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedStorage) and self._untyped_storage == other._untyped_storage

    def __hash__(self) -> int:
        return hash(self._untyped_storage)

    def _text(self) -> str:
        return f"torch.storage.TypedStorage(dtype={self.dtype}, device={self.device})"


def _conversion(name: str) -> Any:
    def convert(self: TypedStorage) -> TypedStorage:
        return self._to(BY_NAME[name])

    convert.__doc__ = f"The elements as {name}."
    return convert


for _name in (
    "double:float64 float:float32 half:float16 bfloat16:bfloat16 long:int64 int:int32 short:int16 char:int8 byte:uint8 "
    "bool:bool complex_double:complex128 complex_float:complex64"
).split():
    setattr(TypedStorage, _name.partition(":")[0], _conversion(_name.partition(":")[2]))
