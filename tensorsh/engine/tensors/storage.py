"""Storages: the memory under tensors, as bytes and as elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.integers import whole
from ...sandbox.sealed import Sealed
from ..arrays.backend import NO_DATA
from ..arrays.cupy_module import nowhere
from ..arrays.device import absent
from ..arrays.dtype import BY_NAME
from ..arrays.dtype import dtype as dtype_type
from ..arrays.errors import type_name
from ..arrays.extents import extent, in_bytes, owner
from ..arrays.state import state
from ..graph.fields import wrap
from .resizing import held

WRONG = """\
TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)"""


classes: dict[str, Any] = {}
"""The storage classes of old by their names, where there are any."""


def is_array(given: Any) -> bool:
    """Whether somebody gives memory: numpy's numbers have a base, too."""
    return hasattr(given, "base") and not isinstance(given, np.generic)


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
    element_size: Any
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
        """Whether the memory may be exchanged for a larger one: nobody else holds it."""
        return id(self.untyped()._owner) not in held

    def resize_(self, size: int) -> Any:
        """Take another number of bytes, or elements. NotImplementedError: memory that tensors lie in; these can be resized."""
        untyped = self.untyped()
        if size != self.size():
            if not absent(untyped._owner):
                raise NotImplementedError("tensorsh resizes a storage with its tensor: call x.resize_()")
            untyped._owner = untyped._owner.__class__((size * self.element_size(),), np.dtype(np.uint8))
        return self

    _resize_ = resize_

    def share_memory_(self) -> Any:
        """RuntimeError: memory of a device. NotImplementedError: of the CPU, where tensors are shared."""
        if absent(self.untyped()._owner):
            raise RuntimeError("_share_fd_: only available on CPU")
        raise NotImplementedError("tensorsh shares a storage with its tensor: call x.share_memory_()")

    _share_fd_cpu_ = _share_filename_cpu_ = share_memory_
    filename = None

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.untyped().nbytes()

    def __repr__(self) -> str:
        rows = "..." if self.device.type == "meta" else "\n".join(f" {x}" for x in self.tolist())
        return f"{rows}\n[{self._text()} of size {self.size()}]"


class UntypedStorage(Storage):
    """The bytes under a tensor."""

    __module__ = "torch.storage"
    __slots__ = ("_owner",)

    def __init__(self, array: Any = 0, *, device: Any = None) -> None:
        if device is not None and str(device) == "meta":
            array = nowhere().MetaArray((whole(array) if isinstance(array, int) else len(array),), np.dtype(np.uint8))
        self._owner = owner(array if is_array(array) else memory_of(array))

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

    def byteswap(self, dtype: Any) -> None:
        """Turn the bytes of each element around, of complex numbers those of each part."""
        size = dtype.numpy.itemsize // (2 if dtype.numpy.kind == "c" else 1)
        if self.nbytes() % size:
            raise RuntimeError(f"the length of data is not a multiple of {size}")
        rows = self._bytes().reshape(-1, size)
        rows[...] = rows[:, ::-1].copy()

    def clone(self) -> UntypedStorage:
        """A copy of the memory."""
        return UntypedStorage(in_bytes(self._owner).copy())

    __copy__ = clone

    def __deepcopy__(self, memo: dict) -> UntypedStorage:
        return copied_once(self._owner, memo)

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


def copied_once(root: Any, memo: dict) -> UntypedStorage:
    """A copy of the memory that an array owns, one for all that lie in it and are copied with one memo."""
    key = ("storage", id(root))
    found = memo.get(key) if type(memo) is dict else None
    if type(found) is UntypedStorage and found.nbytes() == in_bytes(root).size:
        return found
    made = UntypedStorage(in_bytes(root).copy())
    if type(memo) is dict:
        memo[key] = made
    return made


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
        if is_array(given):
            self._dtype, self._untyped_storage = given.dtype, UntypedStorage(given)
            return
        self._dtype = (dtype or state.default_dtype).numpy
        if device is not None and str(device) == "meta":
            many = whole(given) if isinstance(given, (int, np.integer)) else len(given)
            array = nowhere().MetaArray((many,), self._dtype)
        elif isinstance(given, (int, np.integer)):
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
        source.cpu()
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

    def __deepcopy__(self, memo: dict) -> TypedStorage:
        made = TypedStorage(0, dtype=self.dtype, _internal=True)
        made._untyped_storage = copied_once(self._untyped_storage._owner, memo)
        return made

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
