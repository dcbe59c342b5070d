"""Loading: each process reads what overlaps with its parts, however many wrote them."""

from __future__ import annotations

import io
import os
from typing import Any

from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import OpenSealed
from ... import serialization
from ...serialization import permissions
from ..objects import all_gather_object
from .folders import folder_of
from .items import name_of, part_of, processes, sizes_of, stored, walk
from .metadata import read
from .planner import DefaultLoadPlanner

__all__ = ["CheckpointException", "load", "load_state_dict"]


class CheckpointException(BaseException, metaclass=OpenSealed):
    """What hindered processes from reading a checkpoint.
    failures: the name and text of the error of each."""

    __module__ = "torch.distributed.checkpoint.api"

    def __init__(self, failures: dict[int, tuple[str, str]]) -> None:
        lines = [f"CheckpointException ranks:{failures.keys()}"]
        for rank, (kind, text) in failures.items():
            lines.append(f"Traceback (most recent call last): (RANK {rank})\n{kind}: {text}")
        super().__init__("\n".join(lines) + "\n")


def load(
    state_dict: dict, *, checkpoint_id: Any = None, storage_reader: Any = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False,
) -> None:  # fmt: skip
    """Read a checkpoint into a state dict: into its tensors in place, each process its parts; other values are replaced.
    state_dict: what is wanted, with tensors of the sizes that were saved. checkpoint_id: the folder. storage_reader: a
    FileSystemReader, instead. planner: what is read (DefaultLoadPlanner()).
    CheckpointException, on all processes, where one finds not what it wants, or of another size."""
    folder = folder_of(checkpoint_id, storage_reader)
    rank, count = (0, 1) if no_dist else processes(process_group)
    failures: list[Any] = [None] * count
    try:
        _load(state_dict, folder, DefaultLoadPlanner() if planner is None else planner, rank)
    except (RuntimeError, ValueError, OSError) as error:
        failures[rank] = type(error).__name__, str(error)
    if count > 1:
        all_gather_object(failures, failures[rank], group=process_group)
    failed = {rank: found for rank, found in enumerate(failures) if found is not None}
    if failed:
        raise CheckpointException(failed)


def _load(state_dict: dict, folder: str, planner: Any, rank: int) -> None:
    """Read what this process wants."""
    metadata = read(folder)
    planner.set_up_planner(stored(state_dict), metadata, rank == 0)
    files: dict[str, bytes] = {}
    places: dict[tuple, Any] = {
        (index.fqn, None if index.offset is None else tuple(index.offset)): info
        for index, info in metadata.storage_data.items()
    }

    def opened(name: str, low: tuple | None) -> Any:
        info = places[name, low]
        if info.relative_path not in files:
            file = os.path.basename(info.relative_path)
            files[info.relative_path] = permissions().read_bytes(os.path.join(folder, file))
        data = files[info.relative_path][info.offset : info.offset + info.length]
        return serialization.load(io.BytesIO(data))

    wanted = planner.state_dict
    for path, value in list(walk(wanted)):
        name = name_of(path)
        about = metadata.state_dict_metadata.get(name)
        if about is None:
            if planner.allow_partial_load:
                continue
            raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
        if not isinstance(value, Tensor):
            if about.kind == "BytesStorageMetadata":
                _put(wanted, path, opened(name, None))
            continue
        if tuple(about.size) != sizes_of(value):
            raise ValueError(
                f"Size mismatch between saved torch.Size({list(about.size)}) and current: torch.Size({list(sizes_of(value))}) for {name}"
            )
        with no_grad():
            _fill(value, about, lambda low, name=name: opened(name, low))
    for key, value in state_dict.items():
        if key not in wanted:
            continue
        if wanted[key] is not value and hasattr(value, "load_state_dict"):
            value.load_state_dict(wanted[key])
        else:
            state_dict[key] = wanted[key]


def _fill(target: Any, about: Any, opened: Any) -> None:
    """Copy into a part what overlaps with it."""
    start, array, _ = part_of(target)
    for chunk in about.chunks:
        low, sizes = tuple(chunk.offsets), tuple(chunk.sizes)
        here, there = [], []
        for a, n, b, m in zip(start, array.shape, low, sizes, strict=True):
            first, last = max(a, b), min(a + n, b + m)
            if first >= last and n and m:
                break
            here.append(slice(first - a, last - a))
            there.append(slice(first - b, last - b))
        else:
            if array.size:
                array[tuple(here)] = opened(low)._array[tuple(there)]
    target._bump()


def _put(state_dict: Any, path: tuple, value: Any) -> None:
    """Put a value at a path in nested dicts and lists."""
    for step in path[:-1]:
        state_dict = state_dict[step] if step in state_dict or isinstance(state_dict, list) else state_dict[int(step)]
    last = path[-1]
    if isinstance(state_dict, dict) and last not in state_dict:
        last = next(key for key in state_dict if str(key) == last)
    if not isinstance(state_dict, tuple):
        state_dict[last] = value


def load_state_dict(
    state_dict: dict, storage_reader: Any, process_group: Any = None, coordinator_rank: int = 0, no_dist: bool = False,
    planner: Any = None,
) -> None:  # fmt: skip
    """The old name of `load`. coordinator_rank: accepted (0)."""
    load(state_dict, storage_reader=storage_reader, process_group=process_group, no_dist=no_dist, planner=planner)
