"""What lies where in a checkpoint, in PyTorch's form: pickled records, written and read without Python's pickle."""

from __future__ import annotations

import os
from typing import Any

from ....engine.tensors.shape import Size as TorchSize
from ....sandbox.sealed import Sealed
from ...pickled import Call, Global, Object, Reader, UnpicklingError, Writer
from ...serialization import NAMES, permissions

HOME = "torch.distributed.checkpoint.metadata"
KINDS = {
    "Metadata": HOME, "TensorStorageMetadata": HOME, "BytesStorageMetadata": HOME, "TensorProperties": HOME,
    "ChunkStorageMetadata": HOME, "MetadataIndex": HOME, "StorageMeta": HOME, "_StorageInfo": "torch.distributed.checkpoint.filesystem",
}  # fmt: skip


class Record(metaclass=Sealed):
    """A record: named values of one kind."""

    __module__ = HOME
    offset = index = None  # not written where there is none

    def __init__(self, kind: str, **values: Any) -> None:
        self.__dict__.update(values)
        self.kind = kind

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items() if name != "kind")
        return f"{self.kind}({values})"


class Size(tuple):
    """The sizes of a tensor, written as PyTorch's."""


def convert(value: Any) -> Any:
    """How a record is written."""
    if isinstance(value, Size):
        return Call(Global("torch", "Size"), tuple(value))
    if value.kind == "TensorProperties":
        layout = Call(Global("torch.serialization", "_get_layout"), "torch.strided")
        state: Any = (Global("torch", value.dtype), layout, False, Call(Global(HOME, "_MEM_FORMAT_ENCODING"), 0), False)
    else:
        state = {name: each for name, each in value.__dict__.items() if name != "kind"}
    return Object(Global(KINDS[value.kind], value.kind), (), state)


def packed(metadata: Record) -> bytes:
    """The bytes of the file."""
    return Writer(convert).dump(metadata)


class Kind:
    """The class of records of one kind, as far as reading needs it."""

    def __init__(self, name: str) -> None:
        self.name = name


class Names(dict):
    """What the names in the file mean: records, and nothing else."""

    def __init__(self) -> None:
        super().__init__(NAMES)
        self.update({(home, name): Kind(name) for name, home in KINDS.items()})
        self[HOME, "_MEM_FORMAT_ENCODING"] = lambda number: number
        for kind in ("PosixPath", "WindowsPath", "PurePosixPath"):
            self["pathlib", kind] = lambda *parts: "/".join(parts)
        self["torch.serialization", "_get_layout"] = lambda name: name
        self["torch", "Size"] = lambda sizes: TorchSize(sizes)

    def make(self, kind: Any, arguments: tuple) -> Record:
        if not isinstance(kind, Kind) or arguments:
            raise UnpicklingError("damaged file: an instance of unknown form")
        return Record(kind.name)

    def fill(self, target: Any, state: Any) -> bool:
        if type(target) is not Record:
            return False
        if target.kind == "TensorProperties":
            target.__dict__["dtype"] = state[0]
        elif type(state) is tuple and len(state) == 2 and type(state[1]) is dict:
            target.__dict__.update(state[1])
        elif type(state) is dict and all(type(name) is str and name[:2] != "__" for name in state):
            target.__dict__.update(state, kind=target.kind)
        else:
            raise UnpicklingError("damaged file: a record of unknown form")
        return True


def read(folder: str) -> Record:
    """The metadata of a checkpoint."""

    def load(key: Any) -> Any:
        raise UnpicklingError("damaged file: a value that is kept elsewhere")

    path = os.path.join(folder, ".metadata")
    found = Reader(permissions().read_bytes(path), Names(), load).read()
    if not isinstance(found, Record) or found.kind != "Metadata":
        raise UnpicklingError(f"{path} is no metadata of a checkpoint")
    return found
