"""``torch.distributed.checkpoint.storage``: what writes and reads the items of plans. A program derives its own to keep checkpoints
elsewhere than in folders."""

from __future__ import annotations

from typing import Any

from ....sandbox.sealed import OpenSealed, all_housed
from ...futures import Future
from ..settings import record
from .metadata import Metadata, MetadataIndex, StorageMeta, enter
from .planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner

__all__ = ["StorageReader", "StorageWriter", "WriteResult"]


@record(frozen=True)
class WriteResult:
    """An item that was written: how many bytes, and where."""

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class _Storage(metaclass=OpenSealed):
    """What writers and readers have in common."""

    def reset(self, checkpoint_id: Any = None) -> None:
        """Begin another checkpoint.
        checkpoint_id: which."""
        raise NotImplementedError

    def prepare_local_plan(self, plan: Any) -> Any:
        """The plan of this process, as the storage wants it.
        plan: as the planner made it."""
        return plan

    def prepare_global_plan(self, plans: list) -> list:
        """The plans of all processes, as the storage wants them; of the first process alone.
        plans: as the planner made them."""
        return plans

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        """Whether checkpoints of a name can be kept here.
        checkpoint_id: the name."""
        raise NotImplementedError


class StorageWriter(_Storage):
    """Where a checkpoint is written. `save` calls its methods in their order."""

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Take what a call of `save` was given.
        is_coordinator: whether this process writes what lies where."""
        raise NotImplementedError

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future:
        """Write the items of a plan; a Future of their WriteResults.
        plan: that. planner: which has the values, `planner.resolve_data(item)`."""
        raise NotImplementedError

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write what lies where; of the first process alone, once all have written theirs.
        metadata: the values. results: what each process has written."""
        raise NotImplementedError

    def storage_meta(self) -> StorageMeta | None:
        """Which checkpoint it is."""
        return None


class StorageReader(_Storage):
    """Where a checkpoint is read. `load` calls its methods in their order."""

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """What lies where."""
        raise NotImplementedError

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Take what a call of `load` was given.
        metadata: what lies where. is_coordinator: whether this is the first process."""
        raise NotImplementedError

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future:
        """Read the items of a plan; a Future of None.
        plan: that. planner: which takes the values, by `load_bytes`, or into what `resolve_tensor` gives."""
        raise NotImplementedError


all_housed(globals())
enter(WriteResult)
