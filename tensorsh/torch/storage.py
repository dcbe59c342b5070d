"""``torch.storage``: the memory under tensors, and the classes of old, one for each dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays.dtype import BY_NAME, dtype, numpy_of
from ..engine.tensors.storage import UntypedStorage, buffered
from ..engine.tensors.typed_storage import TypedStorage, typed_on
from ..sandbox.sealed import Sealed
from .quantized_codes import CODES

__all__ = ["TypedStorage", "UntypedStorage"]

_always_warns = False


def _get_always_warn_typed_storage_removal() -> bool:
    return _always_warns


def _set_always_warn_typed_storage_removal(always_warn: bool) -> None:
    global _always_warns
    if not isinstance(always_warn, bool):
        raise AssertionError(f"expected bool, got {type(always_warn)}")
    _always_warns = always_warn


def _reset_warn_typed_storage_removal() -> None:
    """The warning comes with each use."""


class _LegacyStorageMeta(Sealed):
    """The class of the storage classes of old: called they make typed storages, isinstance asks for the dtype."""

    dtype: dtype

    def __call__(
        cls, *args: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None, _internal: bool = False
    ) -> TypedStorage:
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        wrong = (
            f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n"
            " * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)"
        )
        for name, value in (("device", device), ("dtype", dtype)):
            if value is not None:
                raise RuntimeError(f"{wrong}\nKeyword argument '{name}' cannot be specified")
        if wrap_storage is None:
            if len(args) > 1:
                raise RuntimeError(f"{wrong}\nToo many positional arguments")
            if args and not isinstance(args[0], (int, list, tuple, np.integer)):
                raise TypeError(f"{wrong}\nArgument type not recognized: {type(args[0])}")
            return TypedStorage(*args, dtype=cls.dtype)
        if args:
            raise RuntimeError(f"{wrong}\nNo positional arguments should be given when using 'wrap_storage'")
        if not isinstance(wrap_storage, UntypedStorage):
            raise TypeError(f"{wrong}\nArgument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
        return TypedStorage(wrap_storage=wrap_storage, dtype=cls.dtype)

    def from_buffer(cls, buffer: Any, byte_order: str = "native", count: int = -1, offset: int = 0) -> TypedStorage:
        """A storage with the elements that a buffer has, in the order of bytes that is named."""
        if byte_order not in ("native", "little", "big"):
            raise ValueError(f"Invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        return typed_on(buffered(buffer, byte_order, count, offset, cls.dtype), numpy_of(cls.dtype))

    def from_file(cls, filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        """A storage on the memory of a file, in plain Python."""
        untyped = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=untyped, dtype=cls.dtype)

    def __instancecheck__(cls, obj: Any) -> bool:
        return isinstance(obj, TypedStorage) and (cls is _LegacyStorage or obj.dtype is cls.dtype)


class _LegacyStorage(metaclass=_LegacyStorageMeta):
    """The base of the storage classes of old."""

    __module__ = "torch.storage"
    dtype: Any
    is_cuda = is_sparse = False


def _legacy(name: str, module: str = "torch") -> Any:
    made = {each.name: each for each in CODES}.get(name) or BY_NAME[name]
    return _LegacyStorageMeta(
        made.short + "Storage",
        (_LegacyStorage,),
        {
            "dtype": made,
            "_dtype": made,
            "__module__": module,
            "__doc__": f"Elements of {made}: new ones, or those of the bytes `wrap_storage`.",
        },
    )


(
    BoolStorage, ByteStorage, CharStorage, ShortStorage, IntStorage, LongStorage, HalfStorage, BFloat16Storage, FloatStorage,
    DoubleStorage, ComplexFloatStorage, ComplexDoubleStorage, QUInt8Storage, QInt8Storage, QInt32Storage,
) = map(
    _legacy, "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 quint8 qint8 qint32".split()
)  # fmt: skip
Storage = FloatStorage
_storage_classes = {
    UntypedStorage, BoolStorage, ByteStorage, CharStorage, ShortStorage, IntStorage, LongStorage, HalfStorage,
    BFloat16Storage, FloatStorage, DoubleStorage, ComplexFloatStorage, ComplexDoubleStorage, QUInt8Storage, QInt8Storage,
    QInt32Storage, TypedStorage,
}  # fmt: skip

LEGACY = {each.__name__: each for each in _storage_classes if isinstance(each, _LegacyStorageMeta)}
"""The storage classes of old by their names."""


def _dtype_to_storage_type_map() -> dict:
    """The name of the storage class of each dtype."""
    return {each.dtype: name for name, each in LEGACY.items()}
