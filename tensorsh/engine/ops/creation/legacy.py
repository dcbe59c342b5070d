"""The constructors of old: ``torch.Tensor(2, 3)``, ``torch.FloatTensor([1, 2])``, ``x.new(...)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....sandbox.integers import whole
from ....sandbox.numpy_views import check_buffer
from ....sandbox.sealed import Sealed
from ...arrays.backend import shared
from ...arrays.device import CPU
from ...arrays.device import device as device_type
from ...arrays.dtype import TYPED, dtype, given_dtype
from ...arrays.errors import combination_error, cpp_name
from ...arrays.layout import strided, type_of
from ...arrays.state import state
from ...arrays.type_names import type_name
from ...arrays.warning import warn_once
from ...graph.fields import new, wrap
from ...loading import table
from ...operators.forms import heard
from ...tensors import sharing
from ...tensors.data import to_array
from ...tensors.resizing import hold
from ...tensors.sizes import ints, size_of
from ...tensors.storage import UntypedStorage
from ...tensors.tensor import Size, Tensor
from ...tensors.typed_storage import TypedStorage
from ...wording.overloads import refuse
from .conversion import exported
from .factories import made

CONSTRUCTOR = "constructor of the form torch.Tensor(tensor, device=device)", "torch.tensor(...) or "
METHOD = "new of the form tensor.new(tensor, device=device)", ""
"""The two forms of old that make a tensor of another, as an error tells them, and what is better."""


def construct(cls: type, d: dtype, args: tuple, kwargs: dict, name: str = "new", title: tuple = CONSTRUCTOR) -> Tensor:
    """A tensor of dtype `d`: without arguments empty; from integers a size; from a sequence its data; of a tensor an alias."""
    if "device" in kwargs and len(args) == 1 and isinstance(args[0], Tensor):
        form, instead = title
        raise RuntimeError(f"Legacy tensor {form} is not supported.  Use {instead}torch.as_tensor(...) instead.")
    check_device(kwargs.pop("device", None))
    t = new(cls)
    if "size" in kwargs:
        args = (*args, Size(ints(name, "size", kwargs.pop("size"))))
    if "storage" in kwargs and not args:
        args = (kwargs.pop("storage"),)
    if "data" in kwargs:
        args = (kwargs.pop("data"),)
    if kwargs:
        raise combination_error(name, *args, **kwargs)
    if not args:
        t._array = np.empty(0, d.numpy)
    elif len(args) == 1 and isinstance(args[0], (TypedStorage, UntypedStorage)):
        within(t, d, args[0])
    elif len(args) == 1 and (isinstance(args[0], bool) or not isinstance(args[0], (int, np.integer))):
        t._array = _from_one(args[0], d, name)
    elif all(isinstance(a, (int, np.integer)) or (isinstance(a, Tensor) and a._array.ndim == 0) for a in args):
        t._array = np.zeros(size_of(name, args), d.numpy)
    else:
        if isinstance(args[0], int):
            ints(name, "size", args)
        raise combination_error(name, *args)
    return t


def within(t: Tensor, d: dtype, storage: TypedStorage | UntypedStorage) -> None:
    """Lay a new tensor over all elements of a storage, whose memory they share."""
    if isinstance(storage, TypedStorage) and storage._dtype != d.numpy:
        raise RuntimeError(
            f"Expected a Storage of type {d.short} or an UntypedStorage, but got type {storage.dtype.short} for argument 1 'storage'"
        )
    t._array = np.empty(0, d.numpy)
    table.METHODS["set_"](t, storage)


def check_device(wanted: Any, here: str = "cpu") -> None:
    """Refuse another device than the tensor type's own."""
    kind = here if wanted is None else device_type(wanted).type
    if kind != here:
        raise RuntimeError(f"legacy constructor expects device type: {here} but device type: {kind} was passed")


def construct_sparse(d: dtype, args: tuple, kwargs: dict, title: str = "SparseTensor.new") -> Tensor:
    """A sparse tensor: without arguments empty; of indices and values, whose dtype counts, and a size; from sizes, of dtype `d`."""
    check_device(kwargs.pop("device", None))
    given = (*args, *[kwargs.pop(name) for name in ("indices", "values", "size") if name in kwargs])
    make = table.find_function("sparse_coo_tensor")
    parts = len(given) in (2, 3) and all(isinstance(each, Tensor) for each in given[:2])
    if kwargs or not parts and not isinstance(given[0] if given else 0, (int, np.integer, tuple)):
        raise combination_error("new", *args, **kwargs)
    if parts:
        return make(*given, check_invariants=bool(state.sparse_invariants))
    size = given[0] if len(given) == 1 and isinstance(given[0], tuple) else given
    if size is not given and not isinstance(size, Size):
        raise TypeError(
            f"{title}(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a strided tensor and "
            "convert it to sparse via to_sparse."
        )
    return make(ints("new", "size", size or (0,)), dtype=d)


def _from_one(data: Any, d: dtype, name: str) -> Any:
    if isinstance(data, Tensor):
        if data.dtype is not d:
            if data._array.ndim:
                raise TypeError(f"expected {options(d)} (got {options(data.dtype)})")
            return np.zeros(size_of(name, (data,)), d.numpy)
        return data._array
    if isinstance(data, Size):
        return np.zeros(size_of(name, data), d.numpy)
    if data is None or not hasattr(data, "__getitem__") or isinstance(data, (str, bytes, dict, type)):
        if isinstance(data, str):
            raise TypeError(f"new(): invalid data type '{type_name(data)}'")
        raise TypeError(f"{name}(): data must be a sequence (got {type_name(data)})")
    return to_array(data, d)


def options(d: dtype) -> str:
    """What PyTorch tells of a tensor that is of another dtype than is wanted."""
    return (
        f"TensorOptions(dtype={cpp_name(d)}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false "
        "(default), memory_format=(nullopt))"
    )


def legacy_constructor(cls: type, *args: Any, **kwargs: Any) -> Tensor:
    """``torch.Tensor(...)``, of the default dtype."""
    if cls is not Tensor and len(args) >= 1 and isinstance(args[0], Tensor):
        return Tensor.as_subclass(args[0], cls)
    if len(args) == 1 and isinstance(args[0], Tensor) and not kwargs:
        if hasattr(args[0]._array, "layout"):
            raise NotImplementedError("Cannot access storage of SparseTensorImpl")
        return args[0].view_as(args[0])
    return construct(cls, state.default_dtype, args, kwargs)


legacy_constructor.__name__, legacy_constructor.__qualname__ = "__new__", "Tensor.__new__"
Tensor.__new__ = staticmethod(legacy_constructor)  # type: ignore[method-assign, assignment]


class TypedMeta(Sealed):
    """``torch.FloatTensor`` and its like: called they make tensors, isinstance asks for the dtype; nobody inherits from them."""

    __module__, __qualname__ = "torch", "tensortype"

    element: dtype
    type_name: str

    def __new__(mcs, name: str, bases: tuple, parts: dict, **options: Any) -> Any:
        if bases:
            raise TypeError(f"type '{bases[0].type_name}' is not an acceptable base type")
        return super().__new__(mcs, name, bases, parts, **options)

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        return construct(Tensor, cls.element, args, kwargs)

    def __instancecheck__(cls, obj: Any) -> bool:
        return isinstance(obj, Tensor) and type_of(obj._array) == cls.type_name

    def __repr__(cls) -> str:
        return f"<class '{cls.type_name}'>"


def typed(kind: type[TypedMeta], module: str) -> dict[str, TypedMeta]:
    """The constructors of a module, by their names."""
    made = {}
    for name, d in TYPED.items():
        says = f"Constructor of old: a tensor of {d} from sizes or data."
        parts = {"element": d, "dtype": d, "type_name": f"{module}.{name}", "__module__": module, "__doc__": says}
        made[name] = kind(name, (), parts | {"is_sparse": False, "layout": strided, "is_cuda": module == "torch.cuda"})
    return made


table.FUNCTIONS |= typed(TypedMeta, "torch")


def new_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The constructor of this tensor's type, on its device."""
    if hasattr(self._array, "layout"):
        return construct_sparse(self.dtype, args, kwargs)
    refuse("Tensor.new", args, kwargs)
    made = construct(Tensor, self.dtype, args, kwargs, title=METHOD)
    return made if self.is_cpu else made.to(self.device)


new_.__name__ = "new"
table.METHODS["new"] = heard("Tensor.new", new_)


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of an array of another library.
    device: where it is to be. copy: whether it has memory of its own; without, only where another device is asked for.
    ValueError: another device without a copy. BufferError: a tensor that wants a gradient.

    >>> torch.from_dlpack(torch.arange(3), copy=True)
    tensor([0, 1, 2])
    """
    if hasattr(ext_tensor, "__dlpack_device__"):
        if isinstance(ext_tensor, Tensor) and ext_tensor.is_cpu:  # of any dtype, which numpy may not know
            array = exported(ext_tensor)
            sharing.check_own(array)
            found = wrap(hold(array).view())
        else:
            found = wrap(hold(shared(ext_tensor)))
        if device is not None and (place := device_type(device)) != found.device:
            if copy is False:
                raise ValueError(
                    f"cannot move DLPack tensor from device {ext_tensor.__dlpack_device__()} to {place} without copying. Set "
                    "copy=None or copy=True."
                )
            return found.to(place)
        return found.clone() if copy else found
    if device is not None or copy is not None:
        raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
    try:
        return wrap(hold(shared(_Capsule(ext_tensor))))
    except ValueError:
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have "
            "already constructed a tensor from it once."
        ) from None


class _Capsule:
    """What `to_dlpack` gave, in the form that arrays have: memory of the CPU."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


table.FUNCTIONS["from_dlpack"] = from_dlpack


def frombuffer(buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A one-dimensional tensor of the bytes of a buffer."""
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not memory.c_contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    check_buffer(memory)
    memory, count, offset = memory.cast("B"), whole(count), whole(offset)
    dtype = given_dtype(dtype, "frombuffer")
    size, each = len(memory), dtype.itemsize
    if not size or not count:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1"
        )
    if count > 0 and offset + count * each > size:
        raise ValueError(
            f"requested buffer length ({count} * {each} bytes) after offset ({offset} bytes) must not be greater than actual "
            f"buffer length ({size} bytes)"
        )
    if count < 0 and (size - offset) % each:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size ({each})"
        )
    found = np.frombuffer(memory, dtype.numpy, count, offset)
    if memory.readonly:
        warn_once(READ_ONLY)
        found = found.copy()
    return made(hold(found), CPU, requires_grad)


READ_ONLY = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to the "
    "underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its data or "
    "make it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program."
)
table.FUNCTIONS["frombuffer"] = frombuffer
