"""What lies where in a checkpoint, in PyTorch's form: pickled records, written and read without Python's pickle."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field, fields
from enum import Enum
from typing import Any

from ....engine.arrays.dtype import dtype
from ....engine.arrays.layout import contiguous_format, layout, memory_format, strided
from ....engine.arrays.state import state as settings
from ....engine.tensors.shape import Size
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import all_housed
from ...makers import Maker, UnpicklingError, makers
from ...pickled import Call, Global, Object, Reader, Writer
from ...serialization import NAMES, permissions
from ..settings import record

__all__ = [
    "BytesStorageMetadata", "ChunkStorageMetadata", "Metadata", "MetadataIndex", "StorageMeta", "TensorProperties",
    "TensorStorageMetadata",
]  # fmt: skip


@record()
class ChunkStorageMetadata:
    """A part of a tensor.
    offsets: where it begins. sizes: its sizes."""

    offsets: Size
    sizes: Size


@record()
class TensorProperties:
    """What a tensor has beside sizes and elements."""

    dtype: dtype = field(default_factory=lambda: settings.default_dtype)
    layout: layout = strided
    requires_grad: bool = False
    memory_format: memory_format = contiguous_format
    pin_memory: bool = False

    @staticmethod
    def create_from_tensor(tensor: Tensor) -> TensorProperties:
        """Those of a tensor.
        tensor: that."""
        return TensorProperties(tensor.dtype, tensor.layout, tensor.requires_grad, pin_memory=tensor.is_pinned())


@record()
class TensorStorageMetadata:
    """A tensor, in parts.
    properties: what it has beside elements. size: of the whole. chunks: the parts."""

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@record()
class BytesStorageMetadata:
    """Any other value."""


@record()
class StorageMeta:
    """Which checkpoint it is."""

    checkpoint_id: Any = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@record()
class Metadata:
    """A checkpoint.
    state_dict_metadata: its values by name. planner_data, storage_data: what planner and storage keep of them. storage_meta: which
    checkpoint it is. version: of the form."""

    state_dict_metadata: dict[str, Any]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@record(frozen=True, init=False)
class MetadataIndex:
    """A value's name; of a part of a tensor, where it begins. `index`: where it may be found in a list of parts."""

    fqn: str
    offset: Size | None = None
    index: int | None = field(default=None, compare=False)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None) -> None:
        self.__dict__.update(fqn=fqn, offset=None if offset is None else Size(offset), index=index)


all_housed(globals())


@record()
class _StorageInfo:
    """Where the bytes of a value lie."""

    __module__ = "torch.distributed.checkpoint.filesystem"
    relative_path: str
    offset: int
    length: int
    transform_descriptors: Any = None


HOME = "torch.distributed.checkpoint.metadata"
KINDS: dict[tuple[str, str], Any] = {}
"""The records that are written and read, and the enumerations in them, by PyTorch's names for them."""


def enter(*kinds: Any) -> None:
    """Let records of some kinds be written and read."""
    KINDS.update(((kind.__module__, kind.__name__), kind) for kind in kinds)


enter(
    ChunkStorageMetadata, TensorProperties, TensorStorageMetadata, BytesStorageMetadata, StorageMeta, Metadata, MetadataIndex,
    _StorageInfo,
)  # fmt: skip


def convert(value: Any) -> Any:
    """How a record is written."""
    kind = type(value)
    if isinstance(value, Size):
        return Call(Global("torch", "Size"), tuple(value))
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    name = Global(kind.__module__, kind.__name__)
    if KINDS.get((kind.__module__, kind.__name__)) is not kind:
        raise TypeError(f"a checkpoint's metadata holds no {kind.__name__}")
    if isinstance(value, Enum):
        return Call(name, value.value)
    state: Any = dict(value.__dict__)
    if kind is TensorProperties:
        laid = Call(Global("torch.serialization", "_get_layout"), str(value.layout))
        encoding = Call(Global(HOME, "_MEM_FORMAT_ENCODING"), 0)
        state = Global("torch", value.dtype.name), laid, value.requires_grad, encoding, value.pin_memory
    return Object(name, (), state)


def packed(value: Any) -> bytes:
    """The bytes of records, in plain containers or alone."""
    return Writer(convert).dump(value)


class Record(Maker):
    """The class of records of one kind, as far as reading needs it."""

    __slots__ = ()

    def _call(self, *parts: Any) -> Any:
        raise UnpicklingError("damaged file: a record of unknown form")


class Names(dict):
    """What the names in a file mean: records, and nothing else."""

    def __init__(self) -> None:
        functions: dict[tuple[str, str], Any] = {
            (HOME, "_MEM_FORMAT_ENCODING"): lambda number: number,
            ("torch.serialization", "_get_layout"): lambda name: strided,
            ("torch", "Size"): lambda sizes: Size(sizes),
        }
        for name, kind in KINDS.items():
            functions[name] = Maker(kind) if issubclass(kind, Enum) else Record(kind)
        for path in ("PosixPath", "WindowsPath", "PurePosixPath"):
            functions["pathlib", path] = lambda *parts: "/".join(parts)
        super().__init__(NAMES | makers(functions))

    def make(self, kind: Any, arguments: tuple) -> Any:
        if not isinstance(kind, Record) or arguments:
            raise UnpicklingError("damaged file: an instance of unknown form")
        return object.__new__(kind._made)

    def fill(self, target: Any, state: Any) -> bool:
        if KINDS.get((type(target).__module__, type(target).__name__)) is not type(target):
            return False
        if type(target) is TensorProperties and type(state) is tuple and len(state) == 5:
            state = dict(zip(("dtype", "layout", "requires_grad", "", "pin_memory"), state, strict=True))
        elif type(state) is tuple and len(state) == 2:
            state = state[1]
        if type(state) is not dict:
            raise UnpicklingError("damaged file: a record of unknown form")
        known = {each.name for each in fields(type(target))}
        target.__dict__.update((name, value) for name, value in state.items() if name in known)
        return True


def unpacked(data: bytes) -> Any:
    """Records that were written so."""

    def load(key: Any) -> Any:
        raise UnpicklingError("damaged file: a value that is kept elsewhere")

    return Reader(data, Names(), load).read()


def read(folder: str) -> Metadata:
    """The metadata of a checkpoint."""
    path = os.path.join(folder, ".metadata")
    found = unpacked(permissions().read_bytes(path))
    if not isinstance(found, Metadata):
        raise UnpicklingError(f"{path} is no metadata of a checkpoint")
    return found
