"""Planners: what of a state dict is written or read, under which names. A program derives its own to change that."""

from __future__ import annotations

import io
import math
from enum import Enum
from typing import Any

from ....engine.tensors.shape import Size
from ....sandbox.sealed import OpenSealed, all_housed
from ...nn.attention import SealedEnum
from ..settings import record
from .metadata import ChunkStorageMetadata, Metadata, MetadataIndex, TensorProperties, enter

__all__ = [
    "LoadItemType", "LoadPlan", "LoadPlanner", "ReadItem", "SavePlan", "SavePlanner", "TensorWriteData", "WriteItem", "WriteItemType",
]  # fmt: skip


class WriteItemType(Enum, metaclass=SealedEnum):
    """What an item to be written is: a tensor, a part of one, or bytes."""

    TENSOR, SHARD, BYTE_IO = 1, 2, 3


class LoadItemType(Enum, metaclass=SealedEnum):
    """What an item to be read is: a tensor or bytes."""

    TENSOR, BYTE_IO = 1, 2


@record(frozen=True)
class BytesIOWriteData:
    """How many bytes there are to be written."""

    nbytes: int


@record(frozen=True)
class TensorWriteData:
    """A part of a tensor that is to be written, and the sizes of the whole."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: Size


@record(frozen=True)
class WriteItem:
    """A value that is to be written.
    index: its name. type: its kind, a WriteItemType. bytes_io_data: the length of bytes. tensor_data: the part of a tensor."""

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """How many bytes its tensor takes; None where it is none."""
        about = self.tensor_data
        return None if about is None else math.prod(about.size) * about.properties.dtype.itemsize


@record(frozen=True)
class ReadItem:
    """A value that is to be read.
    type: its kind, a LoadItemType. dest_index, dest_offsets: where it goes. storage_index, storage_offsets: from where. lengths: the
    sizes of what is copied."""

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Size
    storage_index: MetadataIndex
    storage_offsets: Size
    lengths: Size


@record(frozen=True)
class SavePlan:
    """What a process writes.
    items: that. storage_data, planner_data: what storage and planner keep of it. usable: accepted."""

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@record()
class LoadPlan:
    """What a process reads.
    items: that. storage_data, planner_data: what storage and planner keep of it."""

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(metaclass=OpenSealed):
    """What a checkpoint is to hold. `save` calls its methods in their order: those of all processes, but `create_global_plan` of the
    first alone."""

    state_dict: Any = None

    def set_up_planner(self, state_dict: Any, storage_meta: Any = None, is_coordinator: bool = False) -> None:
        """Take what a call of `save` was given.
        state_dict: that. storage_meta: which checkpoint it is. is_coordinator: whether this process writes what lies where."""
        self.state_dict, self.is_coordinator = state_dict, is_coordinator

    def create_local_plan(self) -> SavePlan:
        """What this process could write."""
        raise NotImplementedError

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """What each process is to write, and what lies where.
        all_plans: what each could."""
        raise NotImplementedError

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """What this process writes.
        new_plan: what it is to."""
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Any:
        """The tensor, or the bytes in an io.BytesIO, of an item.
        write_item: the item."""
        raise NotImplementedError


class LoadPlanner(metaclass=OpenSealed):
    """What a checkpoint is read into. `load` calls its methods in their order."""

    state_dict: Any = None
    allow_partial_load = False

    def set_up_planner(self, state_dict: Any, metadata: Any = None, is_coordinator: bool = False) -> None:
        """Take what a call of `load` was given.
        state_dict: that. metadata: what lies where. is_coordinator: whether this is the first process."""
        self.state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """What this process wants."""
        raise NotImplementedError

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """What each process reads.
        global_plan: what each wants."""
        return global_plan

    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """What this process reads.
        central_plan: what it is to."""
        return central_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Take a value that is no tensor.
        read_item: its item. value: its bytes."""
        raise NotImplementedError

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Where the bytes of an item go.
        read_item: the item."""
        raise NotImplementedError

    def resolve_tensor(self, read_item: ReadItem) -> Any:
        """The tensor that an item is copied into.
        read_item: the item."""
        raise NotImplementedError

    def commit_tensor(self, read_item: ReadItem, tensor: Any) -> None:
        """Take note that an item was copied into a tensor.
        read_item: the item. tensor: that."""


all_housed(globals())
enter(WriteItemType, LoadItemType, BytesIOWriteData, TensorWriteData, WriteItem, ReadItem, SavePlan, LoadPlan)
