"""Loading: each process reads what overlaps with its parts, however many wrote them."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.warning import deprecated
from .api import CheckpointException, Together, storage_second
from .default_planner import DefaultLoadPlanner
from .filesystem import FileSystemReader, storage_of
from .stateful import Stateful, states

__all__ = ["CheckpointException", "load", "load_state_dict"]


@storage_second("storage_reader")
def load(
    state_dict: dict, *, checkpoint_id: Any = None, storage_reader: Any = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False,
) -> None:  # fmt: skip
    """Read a checkpoint into a state dict: into its tensors in place, each process its parts; other values are replaced.
    state_dict: what is wanted, with tensors of the sizes that were saved. checkpoint_id: the folder. storage_reader: a
    FileSystemReader or another StorageReader, instead. planner: what is read (DefaultLoadPlanner()).
    CheckpointException, on all processes, where one finds not what it wants, or of another size."""
    reader = storage_of(checkpoint_id, storage_reader, FileSystemReader)
    found = states({key: state_dict[key] for key in sorted(state_dict)})
    _read(found, reader, process_group, no_dist=no_dist, planner=planner)
    for key, value in [*state_dict.items()]:
        if isinstance(value, Stateful):
            value.load_state_dict(found[key])
        else:
            state_dict[key] = found[key]


def _read(
    state_dict: dict, storage_reader: Any, process_group: Any = None, coordinator_rank: int = 0, no_dist: bool = False,
    planner: Any = None,
) -> None:  # fmt: skip
    """The old name of `load`, which takes objects with a state as plain values. coordinator_rank: which process plans (0)."""
    together, reader = Together(process_group, no_dist, coordinator_rank), storage_reader
    planner = DefaultLoadPlanner() if planner is None else planner

    def local() -> Any:
        metadata = reader.read_metadata()
        planner.set_up_planner(state_dict, metadata, together.leads)
        reader.set_up_storage_reader(metadata, together.leads)
        return reader.prepare_local_plan(planner.create_local_plan())

    plans = together.all("plan", local)
    whole = together.one("plan", lambda: reader.prepare_global_plan(planner.create_global_plan(plans)))

    def read() -> None:
        reader.read_data(planner.finish_plan(whole[together.rank]), planner).wait()

    together.all("read", read)


load_state_dict = deprecated("torch.distributed.checkpoint.load_state_dict")(_read)
