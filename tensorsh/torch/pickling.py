"""Python's own pickle for tensors, and ``torch.save`` and ``torch.load`` of any object: for plain Python alone.

In a process where ``torch`` stands for tensorsh and nothing is sandboxed, files hold what Python's pickle can hold, as
PyTorch's do: storages are kept apart, everything else is pickled by name. Sessions never come here.
"""

from __future__ import annotations

import copyreg
import io
import os
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np

from ..engine.arrays.deferred import memory_of
from ..engine.arrays.dtype import as_pairs
from ..engine.arrays.layout import layout
from ..engine.graph.fields import wrap
from ..engine.tensors.storage import UntypedStorage, bytes_of, classes, storage_on
from ..engine.tensors.tensor import Size, Tensor
from ..engine.tensors.typed_storage import TypedStorage, typed_on
from .archives import archive, is_path
from .file_options import unless_skipped
from .loaded import Storage, layout_of
from .older_files import Older, written
from .quantized_codes import CODES
from .rebuilding import (
    _rebuild_from_type_v2,
    _rebuild_meta_tensor_no_storage,
    _rebuild_on,
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_qtensor,
    _rebuild_sparse_tensor,
    _rebuild_storage,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    metadata_of,
    quantizer,
)
from .storage import LEGACY

__all__: list[str] = []

NATIVE = frozenset(each.dtype for each in LEGACY.values())
"""Dtypes that have a storage class; others are kept as bytes with their name."""


def reduced(self: Tensor, protocol: Any) -> tuple:
    """How a tensor is pickled: its storage, and where it lies there."""
    kind = type(self)
    unless_skipped(self)
    if kind.__name__ == "QuantizedTensor":
        return _quantized_parts(self)
    if self._is_parameter and kind.__module__ == "torch.nn.parameter":
        if hasattr(self, "materialize"):
            return (kind, (self.requires_grad,))
        plain = wrap(self._array)
        state = {k: v for k, v in vars(self).items()} if hasattr(self, "__dict__") else {}
        if not state:
            return (_rebuild_parameter, (plain, self.requires_grad, OrderedDict()))
        return (_rebuild_parameter_with_state, (plain, self.requires_grad, OrderedDict(), state))
    plain = self if kind is Tensor else wrap(self._array)
    made = _parts(plain, self.requires_grad)
    state = state_of(self)
    if kind is Tensor and not state:
        return made
    return (_rebuild_from_type_v2, (made[0], kind, made[1], state))


class CodedStorage(TypedStorage):
    """The storage of a quantized tensor's codes."""

    __module__, __qualname__ = "torch.storage", "TypedStorage"
    __slots__ = ()
    dtype = property(lambda self: self._kind)


def _quantized_parts(t: Any) -> tuple:
    """How a quantized tensor is pickled: the storage of its codes, and what says which values these stand for."""
    typed = typed_on(memory_of(t._array), t._array.dtype)
    typed.__class__, typed._kind = CodedStorage, t._kind
    place = (wrap(t._array).storage_offset(), tuple(t.size()), t.stride())
    return (_rebuild_qtensor, (typed, *place, quantizer(t), False, OrderedDict()))


def state_of(t: Tensor) -> Any:
    """The attributes of a tensor, and those in slots of its class; what its class says where it says something itself."""
    kind = type(t)
    if getattr(kind, "__getstate__", None) is not getattr(object, "__getstate__", None):
        return t.__getstate__()  # type: ignore[attr-defined]
    own = dict(vars(t)) if hasattr(t, "__dict__") else {}
    slots = () if kind is Tensor else copyreg._slotnames(kind)  # type: ignore[attr-defined]
    return (own, {name: getattr(t, name) for name in slots if hasattr(t, name)}) if slots else own


def _parts(t: Tensor, requires_grad: bool) -> tuple:
    if t.layout != wrap(np.zeros(0)).layout:
        t = t.detach()
        if str(t.layout) == "torch.sparse_coo":
            data = (t._indices(), t._values(), t.size(), t.is_coalesced())
        else:
            rows = str(t.layout) in ("torch.sparse_csr", "torch.sparse_bsr")
            indices = (t.crow_indices(), t.col_indices()) if rows else (t.ccol_indices(), t.row_indices())
            data = (*indices, t.values(), t.size())
        return (_rebuild_sparse_tensor, (t.layout, data))
    if t.is_meta:
        return (_rebuild_meta_tensor_no_storage, (t.dtype, tuple(t.size()), t.stride(), requires_grad))
    if str(t.device) != "cpu":
        device, t = str(t.device), t.detach().cpu()
        return (_rebuild_on, (t, device, requires_grad))
    name = t.dtype
    if name in NATIVE:
        typed = typed_on(memory_of(t._array), t._array.dtype)
        return (
            _rebuild_tensor_v2,
            (typed, t.storage_offset(), tuple(t.size()), t.stride(), requires_grad, OrderedDict(), *metadata_of(t)),
        )
    place: tuple = (t.storage_offset(), tuple(t.size()), t.stride())
    memory = memory_of(t._array)
    if name.is_complex:  # which lies here in twice the memory
        memory = as_pairs(memory)
        place = (0, tuple(t.size()), tuple([s // 4 for s in memory.strides[:-1]]))
    return (_rebuild_tensor_v3, (storage_on(memory), *place, requires_grad, OrderedDict(), name, *metadata_of(t)))


def reduced_storage(self: Any, protocol: Any) -> tuple:
    """How a storage is pickled by itself: its bytes."""
    typed = isinstance(self, TypedStorage)
    untyped = self._untyped_storage if typed else self
    return (_rebuild_storage, (bytes_of(untyped).tobytes(), TypedStorage.dtype.fget(self) if typed else None))


def from_file(cls: Any, filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
    """A storage on the memory of a file; what is written goes into the file with `shared`, and else nowhere."""
    how = "read-write" if shared else "read-only"
    try:
        with open(filename, "ab" if shared else "rb") as file:
            size = file.seek(0, os.SEEK_END)
            if shared and size < nbytes:
                file.truncate(nbytes)
    except OSError as error:
        raise RuntimeError(
            f"unable to open file <{os.fspath(filename)}> in {how} mode: {error.strerror} ({error.errno})"
        ) from None
    if not shared and size < nbytes:
        raise RuntimeError(
            f"file <{os.fspath(filename)}> size <{size}> is smaller than the required mapping size <{nbytes}>"
        )
    return storage_on(
        np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,)).view(np.ndarray), None, cls
    )


def _get_layout(name: str) -> Any:
    """A layout by its name."""
    return layout_of(name)


_get_layout.__module__ = "torch.serialization"


def install() -> None:
    """Let Python's pickle take tensors and storages, layouts and sizes as PyTorch's files have them, and storages lie in files."""
    copyreg.pickle(layout, lambda value: (_get_layout, (str(value),)))
    copyreg.pickle(Size, lambda value: (Size, (tuple(value),)))
    UntypedStorage.from_file = classmethod(from_file)  # type: ignore[attr-defined]
    classes.update(LEGACY)
    Tensor.__reduce_ex__ = reduced  # type: ignore[method-assign, assignment]
    TypedStorage.__reduce_ex__ = UntypedStorage.__reduce_ex__ = reduced_storage  # type: ignore[method-assign, assignment]


def dump(obj: Any, module: Any, protocol: int, older: bool = False) -> tuple[bytes, list[tuple[str, Any, int]]]:
    """An object in Python's pickle, and the storages in it: key, memory, bytes of an element."""
    pieces: dict[int, tuple[str, Any, str, int]] = {}
    kept: list = []

    class Pickler(module.Pickler):  # type: ignore[misc, name-defined]
        def persistent_id(self, value: Any) -> Any:
            if not isinstance(value, (TypedStorage, UntypedStorage)):
                return None
            typed = isinstance(value, TypedStorage)
            untyped = value._untyped_storage if typed else value
            owner = untyped._owner
            length = value.size() if typed else value.nbytes()
            kind = LEGACY[value.pickle_storage_type()] if typed else UntypedStorage
            if id(owner) not in pieces:
                pieces[id(owner)] = (str(len(pieces)), owner, "", length)
                kept.append((str(len(kept)), bytes_of(untyped), value.element_size()))
            elif typed and length and pieces[id(owner)][2] not in ("", kind.__name__):
                raise RuntimeError(
                    "Cannot save multiple tensors or storages that view the same data as different types"
                )
            if typed:
                pieces[id(owner)] = (pieces[id(owner)][0], owner, kind.__name__, length)
            return ("storage", kind, pieces[id(owner)][0], str(untyped.device), length, *((None,) if older else ()))

    buffer = io.BytesIO()
    Pickler(buffer, protocol=protocol).dump(obj)
    return buffer.getvalue(), kept


def save(obj: Any, f: Any, module: Any = None, protocol: int = 2, older: bool = False) -> None:
    """Write any object that Python's pickle takes; older: as before there were zip archives."""
    structure, pieces = dump(obj, module or pickle, protocol, older)
    name = os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive" if is_path(f) else "archive"
    parts = written(structure, pieces) if older else [archive(name, structure, [memory for _, memory, _ in pieces])]
    if is_path(f):
        with open(f, "wb") as file:
            file.writelines(parts)
    else:
        for part in parts:
            f.write(part)
        if hasattr(f, "flush"):
            f.flush()


def load(file: Any, module: Any = None, **options: Any) -> Any:
    """Any object of a file; `file` gives its records."""
    called = callable(file.map_location) and not isinstance(file.map_location, type)
    moved: dict[tuple, Any] = {}

    def persistent(key: Any) -> Any:
        kind = key[1]
        if key[0] == "module":  # with its source, in older files
            return kind
        dtype = getattr(kind, "dtype", None)
        found = file.storage((key[0], Storage(getattr(CODES.get(dtype, dtype), "name", None)), *key[2:]))
        if type(found) is not tuple and not called:
            return found
        name = str(key[2])
        if name not in moved:
            moved[name] = mapped(file, found, str(key[3]))
        return (
            moved[name]
            if getattr(kind, "dtype", None) is None
            else TypedStorage(wrap_storage=moved[name], dtype=kind.dtype)
        )

    class Unpickler((module or pickle).Unpickler):  # type: ignore[misc, name-defined]
        persistent_load = staticmethod(persistent)

        def find_class(self, place: str, name: str) -> Any:
            if place == "torch" and name in LEGACY:
                return LEGACY[name]
            return super().find_class(place, name)

    options.setdefault("encoding", "utf-8")
    if not isinstance(file, Older):
        return Unpickler(io.BytesIO(bytes(file.record("data.pkl"))), **options).load()

    def take(data: bytes, at: int) -> Any:
        source = io.BytesIO(data)
        source.seek(at)
        return Unpickler(source, **options).load()

    return file.read(take)


def mapped(file: Any, found: Any, location: str) -> UntypedStorage:
    """A storage of a file where `map_location` wants it."""
    if type(found) is tuple:
        return storage_on(wrap(found[1]).to(found[2])._array)
    memory = found._untyped_storage if isinstance(found, TypedStorage) else found
    return file.map_location(memory, location) or memory
