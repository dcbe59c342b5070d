"""Storages: the memory under tensors, as bytes.

A storage is one object for all tensors that lie in its memory (`lots.py`). What reads or writes it does so by its owner, never by a
method, which a program may have put another in the place of."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import numpy as np

from ...sandbox.integers import whole
from ...sandbox.sealed import Dotted
from ..arrays.backend import NO_DATA
from ..arrays.cupy_module import check_accelerator, nowhere
from ..arrays.device import META, absent
from ..arrays.device import device as device_type
from ..arrays.dtype import BY_NAME
from ..arrays.dtype import dtype as dtype_type
from ..arrays.errors import combination_error
from ..arrays.extents import FAR, LONG, WORD, extent, in_bytes, owner
from ..arrays.memory import WORDS
from ..arrays.type_names import type_name
from ..graph.fields import wrap
from .lots import enter, inhabitants, known, lot_of, move, readers
from .resizing import held, hold, resized

classes: dict[str, Any] = {}
"""The storage classes of old by their names, where there are any."""
KINDS = (
    "double:float64 float:float32 half:float16 bfloat16:bfloat16 long:int64 int:int32 short:int16 char:int8 byte:uint8 "
    "bool:bool complex_double:complex128 complex_float:complex64 float8_e5m2:float8_e5m2 float8_e4m3fn:float8_e4m3fn "
    "float8_e5m2fnuz:float8_e5m2fnuz float8_e4m3fnuz:float8_e4m3fnuz"
)
"""The methods that give a storage of another dtype."""


def negative(size: int) -> RuntimeError:
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with negative "
        f"number: {size % WORD}"
    )


def blank(size: int, device: Any = None) -> Any:
    """So many bytes. RuntimeError: fewer than none, or more than there are."""
    if number(size) < 0:
        raise negative(size)
    where = None if device is None else device_type(device)
    if where == META:
        return nowhere().MetaArray((size,), np.dtype(np.uint8))
    try:
        made = np.zeros(size, np.uint8)
    except (MemoryError, ValueError):
        raise RuntimeError(WORDS.format(size=size)) from None
    return made if where is None or where.type == "cpu" else wrap(made).to(where)._array


def number(value: Any) -> int:
    """A number of bytes or a place among them, in 64 bits."""
    value = whole(value)
    if not -LONG <= value < LONG:
        raise ValueError("Overflow when unpacking long long")
    return value


def given_bytes(given: Any) -> Any:
    """The bytes that a storage is made of, from a sequence of integers."""
    if isinstance(given, UntypedStorage):
        return bytes_of(given).copy()
    if not isinstance(given, (list, tuple, range, str, bytes, bytearray, np.ndarray)):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type_name(given)}")
    items = list(given)
    for each in items:
        if not isinstance(each, int):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type_name(given)}), but one of the items "
                f"was of type {type_name(each)} instead of int"
            )
    return np.array([whole(each) % 256 for each in items], np.uint8)


def at(items: Any, index: Any, told: Any = None) -> Any:
    """What a storage has at a place."""
    index = number(index)
    size = len(items)
    place = index + size if index < 0 else index
    if not 0 <= place < size:
        raise IndexError(f"index {place if told is None else told} out of range for storage of size {size}")
    return items[place].tolist()


def bytes_of(storage: Any) -> Any:
    """The bytes of a storage, as an array."""
    root = storage._owner
    if absent(root):
        raise NotImplementedError("Not available for 'meta' device type")
    return in_bytes(root)


def elements(storage: Any, dtype: Any) -> Any:
    """The memory of a storage as elements, also where there are none; what is left over at the end is left out."""
    memory = in_bytes(storage._owner)
    return memory[: memory.size // dtype.itemsize * dtype.itemsize].view(dtype)


def nbytes_of(storage: Any) -> int:
    low, high = extent(storage._owner)
    return high - low


def storage_on(array: Any, tensor: Any = None, kind: Any = None) -> Any:
    """The storage of an array's memory, the same for all arrays that lie in it; `tensor` is one that does."""
    root = owner(array)
    lot = lot_of(root)
    found = lot.storage and lot.storage()
    if found is None:
        found = object.__new__(kind or UntypedStorage)
        found._owner = root if lot.memory is None else lot.memory
        found.__dict__, lot.attributes = lot.attributes, {}
        lot.storage = weakref.ref(found)
    if tensor is not None:
        enter(lot, tensor)
    return found


def part(memory: Any, start: int, end: int) -> Any:
    """Bytes of a memory as one of their own, which keeps the other alive."""
    return hold(np.frombuffer(memoryview(memory)[start:end], np.uint8)) if end > start else np.zeros(0, np.uint8)


def same_size(target: Any, source: Any) -> Any:
    """The bytes of a storage that are copied into those of another."""
    if not isinstance(source, UntypedStorage):
        source = getattr(source, "_untyped_storage", None) if hasattr(type(source), "_untyped_storage") else source
    if not isinstance(source, UntypedStorage):
        raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {type_name(source)}")
    if absent(source._owner) and not absent(target._owner):
        raise NotImplementedError(NO_DATA)
    mine, its = nbytes_of(target), nbytes_of(source)
    if mine != its:
        raise RuntimeError(f"size does not match, self was {mine} bytes but src was {its} bytes")
    return source


def resize_bytes(storage: Any, size: int) -> None:
    """Take another number of bytes, with all tensors known to lie there; one that needs more keeps the memory that it had."""
    root = storage._owner
    if size == nbytes_of(storage):
        return
    if absent(root):
        storage._owner = blank(size, META)
        return
    if id(root) in held:
        raise RuntimeError("Trying to resize storage that is not resizable")
    if size < 0:
        raise negative(size)
    if size >= FAR:
        raise RuntimeError(WORDS.format(size=size))
    lot = lot_of(root)
    try:
        memory = resized(root, size)
    except MemoryError:
        raise RuntimeError(WORDS.format(size=size)) from None
    move(root, memory, inhabitants(lot))
    storage._owner = memory


class Storage(metaclass=Dotted):
    """What the bytes under a tensor and its elements have in common."""

    __module__ = "torch.storage"
    __slots__ = ()
    is_cuda = property(lambda self: self.device.type == "cuda")
    is_hpu = is_sparse = is_sparse_csr = False
    device: Any
    untyped: Any
    size: Any
    tolist: Any
    to: Any
    element_size: Any
    _text: Any

    def get_device(self) -> int | None:
        return self.device.index

    def is_shared(self) -> bool:
        """Whether other processes may see what is written here."""
        from .segments import segment_of

        root = self.untyped()._owner
        return not absent(root) and (type(root) is not np.ndarray or not root.size or segment_of(root) is not None)

    def is_pinned(self, device: Any = "cuda") -> bool:
        return False

    def pin_memory(self, device: Any = "cuda") -> Any:
        """RuntimeError: there is no GPU that would read it."""
        check_accelerator()
        raise NotImplementedError("tensorsh pins a storage with its tensor: call x.pin_memory()")

    def resizable(self) -> bool:
        """Whether the memory may be exchanged for a larger one: nobody else holds it."""
        return id(self.untyped()._owner) not in held

    def resize_(self, size: Any) -> Any:
        """Take another number of bytes, or elements. RuntimeError: memory that others hold as well, or a size below 0."""
        if not isinstance(size, int):
            raise RuntimeError(f"resize_ expects an int, but got {type_name(size)}")
        resize_bytes(self.untyped(), number(number(size) * self.element_size()))
        return self

    _resize_ = resize_

    def share_memory_(self) -> Any:
        """The storage itself, moved to memory that processes share."""
        wrap(self.untyped()._owner).share_memory_()
        return self

    _share_fd_cpu_ = _share_filename_cpu_ = share_memory_
    filename = None

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        """A copy on a GPU."""
        return self.to(device=device_type("cuda") if device is None else device)

    def hpu(self, device: Any = None, non_blocking: bool = False) -> Any:
        """AssertionError: there is no such device."""
        raise AssertionError("HPU device module is not loaded")

    def _fix_weakref(self) -> None:
        """Nothing: a reference to an object stays one as long as the object is there."""

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + nbytes_of(self.untyped())

    def __repr__(self) -> str:
        rows = "..." if self.device.type == "meta" else "\n".join(f" {x}" for x in self.tolist())
        return f"{rows or ' '}\n[{self._text()} of size {self.size()}]"


class UntypedStorage(Storage):
    """The bytes under a tensor."""

    __module__ = "torch.storage"
    __slots__ = ("__dict__", "__weakref__", "_owner")
    _owner: Any
    _checkpoint_offset = None
    _fake_device = None

    def __new__(cls, *args: Any, device: Any = None, size: Any = None, **kwargs: Any) -> Any:
        given = args[0] if args else 0 if size is None else size
        if device is not None and not isinstance(device, (str, int, device_type)):
            kwargs["device"] = device
        if kwargs or len(args) > 1:
            raise combination_error("torch.UntypedStorage", *args, **kwargs)
        if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
            memory = blank(whole(given), device)
        else:
            memory = given_bytes(given)
            memory = memory if device is None or str(device) == "cpu" else wrap(memory).to(device)._array
        return storage_on(memory, None, cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __del__(self) -> None:
        """Leave the attributes to the next storage object of this memory, where somebody else holds it."""
        if self.__dict__ and sys.getrefcount(self._owner) > 2:
            lot = known(self._owner)
            if lot is not None:
                lot.attributes = self.__dict__

    @property
    def device(self) -> Any:
        return wrap(self._owner).device

    def data_ptr(self) -> int:
        return extent(self._owner)[0] if not absent(self._owner) and nbytes_of(self) else 0

    def nbytes(self) -> int:
        """How many bytes there are."""
        return nbytes_of(self)

    size = nbytes
    __len__ = nbytes
    _cdata = property(lambda self: lot_of(self._owner).number)

    def untyped(self) -> UntypedStorage:
        return self

    def element_size(self) -> int:
        return 1

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the class; with a storage class of old, a storage of that."""
        if dtype is None:
            return f"{type(self).__module__}.{type(self).__name__}"
        return getattr(self, dtype.dtype.short.lower())()

    def tolist(self) -> list[int]:
        return bytes_of(self).tolist()

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            if not hasattr(type(index), "__index__"):
                raise TypeError(f"can't index a torch.UntypedStorage with {type_name(index)}")
            return at(bytes_of(self), index)
        start, end = self._range(index)
        return storage_on(part(bytes_of(self), start, end))

    def _range(self, index: slice) -> tuple[int, int]:
        start, end, step = index.indices(nbytes_of(self))
        if step != 1:
            raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
        return start, end

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type_name(value)} instead")
        memory = bytes_of(self)
        if isinstance(index, slice):
            start, end = self._range(index)
            memory[start:end] = whole(value) % 256
            return
        if not hasattr(type(index), "__index__"):
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type_name(index)}")
        place = number(index)
        if not 0 <= place < len(memory):
            raise RuntimeError("out of bounds")
        memory[place] = whole(value) % 256

    def byteswap(self, dtype: Any) -> None:
        """Turn the bytes of each element around, of complex numbers those of each part."""
        if not isinstance(dtype, dtype_type):
            raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
        size = dtype.numpy.itemsize // (2 if dtype.numpy.kind == "c" else 1)
        if nbytes_of(self) % size:
            raise RuntimeError(f"the length of data is not a multiple of {size}")
        rows = bytes_of(self).reshape(-1, size)
        rows[...] = rows[:, ::-1].copy()

    def clone(self) -> Any:
        """A copy of the memory."""
        return storage_on(in_bytes(self._owner).copy(), None, type(self))

    __copy__ = clone

    def __deepcopy__(self, memo: dict) -> UntypedStorage:
        return copied_once(self._owner, memo)

    def new(self) -> UntypedStorage:
        """A storage of no bytes."""
        return UntypedStorage(0)

    def copy_(self, source: Any, non_blocking: bool = False) -> UntypedStorage:
        """Take over the bytes of another storage of the same size."""
        source = same_size(self, source)
        if not absent(self._owner):
            bytes_of(self)[...] = bytes_of(source)
        return self

    def fill_(self, value: Any) -> UntypedStorage:
        """Write one number into each byte."""
        if not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type_name(value)}")
        if not absent(self._owner):
            bytes_of(self)[...] = whole(value) % 256
        return self

    def cpu(self) -> UntypedStorage:
        return UntypedStorage.to(self, device="cpu")

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """The storage on a device: itself where it lies there."""
        where = device_type(device)
        if where == self.device:
            return self
        if absent(self._owner):
            raise NotImplementedError(NO_DATA)
        if where.type not in ("cpu", "cuda"):
            raise AssertionError(f"{where.type.upper()} device module is not loaded")
        return storage_on(wrap(in_bytes(self._owner)).to(where)._array)

    def mps(self) -> UntypedStorage:
        """RuntimeError: there is no such device."""
        raise RuntimeError("torch.UntypedStorage(): Storage device not recognized: mps")

    @classmethod
    def from_buffer(
        cls, buffer: Any, byte_order: Any = None, count: int = -1, offset: int = 0, *, dtype: Any = None
    ) -> Any:
        """A storage with a copy of the bytes of a buffer, which are elements of a dtype in an order of bytes."""
        if dtype is None:
            raise RuntimeError("argument 'dtype' cannot be None")
        if not isinstance(dtype, dtype_type):
            raise RuntimeError("argument 'dtype' must be of type torch.dtype")
        if byte_order is None and dtype not in (BY_NAME["uint8"], BY_NAME["int8"]):
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        return storage_on(buffered(buffer, byte_order or "native", count, offset, dtype), None, cls)

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> Any:
        """A storage on the memory of a file, in plain Python. RuntimeError: a script reads files with `torch.load` and `open`."""
        raise RuntimeError(
            "from_file maps a file into memory, which scripts may not: read it, torch.frombuffer(f.read(), ...)"
        )

    @classmethod
    def _new_shared(cls, size: int, *, device: Any = "cpu") -> Any:
        return cls(size, device=device).share_memory_()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._owner is self._owner

    def __hash__(self) -> int:
        return lot_of(self._owner).number

    def _text(self) -> str:
        return f"torch.storage.UntypedStorage(device={self.device})"


def buffered(buffer: Any, byte_order: str, count: int, offset: int, dtype: Any) -> Any:
    """A copy of the bytes of elements that lie in a buffer, in this machine's order."""
    if byte_order not in ("native", "little", "big"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    if isinstance(buffer, np.ndarray) and buffer.dtype.hasobject:
        raise TypeError("no memory of Python objects is shown as bytes")
    all_of_it = np.frombuffer(buffer, np.uint8) if memoryview(buffer).nbytes else np.zeros(0, np.uint8)
    size, offset, count = dtype.itemsize, whole(offset), whole(count)
    if count >= LONG:
        raise OverflowError("Python int too large to convert to C ssize_t")
    if not 0 <= offset <= len(all_of_it):
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({offset}) , but got {len(all_of_it)}"
        )
    found = all_of_it[offset:]
    if count < 0 and len(found) % size:
        raise ValueError(f"buffer size ({len(found)}) must be a multiple of element size ({size})")
    if count * size > len(found):
        raise ValueError(
            f"buffer has only {len(found)} elements after offset {offset}, but specified a size of {count}"
        )
    made = (found if count < 0 else found[: count * size]).copy()
    if dtype is BY_NAME["bool"]:
        return (made != 0).view(np.uint8)
    if byte_order not in ("native", sys.byteorder):
        step = size // (2 if dtype.is_complex else 1)
        made = np.ascontiguousarray(made.reshape(-1, step)[:, ::-1]).reshape(-1)
    return made


def read(storage: UntypedStorage, d: Any) -> Any:
    """A new array of the bytes as elements of a dtype."""
    bytes_of(storage)
    return elements(storage, d.numpy).copy()


readers[UntypedStorage] = read


def copied_once(root: Any, memo: dict) -> UntypedStorage:
    """A copy of the memory that an array owns, one for all that lie in it and are copied with one memo."""
    key = ("storage", id(root))
    found = memo.get(key) if type(memo) is dict else None
    if type(found) is UntypedStorage and nbytes_of(found) == in_bytes(root).size:
        return found
    made = storage_on(in_bytes(root).copy())
    if type(memo) is dict:
        memo[key] = made
    return made
