"""Saving: each process writes the parts that are its own, the first says what lies where."""

from __future__ import annotations

import io
import uuid
from typing import Any

import numpy as np

from ....engine.graph.fields import wrap
from ....engine.tensors.tensor import Tensor
from ... import serialization
from ...futures import Future
from ..objects import all_gather_object
from .folders import folder_of, made, written
from .items import name_of, part_of, processes, sizes_of, stored, walk
from .metadata import Record, Size, packed
from .planner import DefaultSavePlanner

__all__ = ["async_save", "save", "save_state_dict"]


def save(
    state_dict: dict, *, checkpoint_id: Any = None, storage_writer: Any = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Any:  # fmt: skip
    """Write a state dict to a folder, each process its parts of it.
    state_dict: nested dicts and lists of tensors, DTensors and plain values; objects with a state_dict() stand for that.
    checkpoint_id: the folder. storage_writer: a FileSystemWriter, instead. planner: what is written (DefaultSavePlanner()). process_group: the processes (None: all).
    Where processes have values of one name, those of the first that has them count."""
    folder = folder_of(checkpoint_id, storage_writer)
    rank, count = (0, 1) if no_dist else processes(process_group)
    planner = DefaultSavePlanner() if planner is None else planner
    planner.set_up_planner(stored(state_dict), None, rank == 0)
    items: list[tuple] = []  # name, path, offsets, sizes of the part, sizes of the whole, dtype
    values: list[Any] = []
    for path, value in walk(planner.state_dict):
        if isinstance(value, Tensor):
            low, array, first = part_of(value)
            if not first:
                continue
            items.append((name_of(path), path, low, tuple(array.shape), sizes_of(value), value.dtype.name))
        else:
            items.append((name_of(path), path, None, None, None, None))
        values.append(value)
    everything: list[Any] = [None] * count
    _gather(everything, items, process_group)
    taken: dict[tuple, int] = {}
    for number, theirs in enumerate(everything):
        for item in theirs:
            taken.setdefault((item[0], item[2]), number)
    if rank == 0:
        made(folder)
    _gather([None] * count, None, process_group)  # the folder is there
    data, places, file = io.BytesIO(), [], f"__{rank}_0.distcp"
    for item, value in zip(items, values, strict=True):
        if taken[item[0], item[2]] != rank:
            continue
        begin = data.tell()
        if isinstance(value, Tensor):
            array: Any = value._array if type(value._array) is np.ndarray else value.detach().cpu()._array
            value = wrap(array.copy(order="C"))
        serialization.save(value, data)
        places.append((item[0], item[2], file, begin, data.tell() - begin))
    if places:
        written(folder, file, data.getvalue())
    _gather(everything_written := [None] * count, places, process_group)
    about = _metadata(everything, everything_written, folder)
    if rank == 0:
        written(folder, ".metadata", packed(about))
    _gather([None] * count, None, process_group)
    return about


def _gather(found: list, value: Any, group: Any) -> None:
    if len(found) == 1:
        found[0] = value
    else:
        all_gather_object(found, value, group)


def _metadata(items: list, places: list, folder: str) -> Record:
    values: dict[str, Record] = {}
    paths: dict[str, tuple] = {}
    numbers: dict[tuple, int] = {}
    for name, path, low, sizes, whole, dtype in (item for theirs in items for item in theirs):
        paths.setdefault(name, path)
        if low is None:
            values.setdefault(name, Record("BytesStorageMetadata"))
            continue
        if name not in values:
            about = Record("TensorProperties", dtype=dtype)
            values[name] = Record("TensorStorageMetadata", properties=about, size=Size(whole), chunks=[])
        if (name, low) not in numbers:
            chunks = values[name].chunks
            numbers[name, low] = len(chunks)
            chunks.append(Record("ChunkStorageMetadata", offsets=Size(low), sizes=Size(sizes)))
    storage = {}
    for name, low, file, begin, length in (place for theirs in places for place in theirs):
        where = Record(
            "MetadataIndex", fqn=name, offset=None if low is None else Size(low), index=numbers.get((name, low))
        )
        storage[where] = Record(
            "_StorageInfo", relative_path=file, offset=begin, length=length, transform_descriptors=None
        )
    about = Record("StorageMeta", checkpoint_id=folder, save_id=str(uuid.uuid4()), load_id=None, modules=[])
    return Record(
        "Metadata",
        state_dict_metadata=values,
        planner_data=paths,
        storage_data=storage,
        storage_meta=about,
        version="1.0.0",
    )


def save_state_dict(
    state_dict: dict, storage_writer: Any, process_group: Any = None, coordinator_rank: int = 0, no_dist: bool = False,
    planner: Any = None,
) -> Any:  # fmt: skip
    """The old name of `save`. coordinator_rank: accepted (0)."""
    return save(
        state_dict, storage_writer=storage_writer, process_group=process_group, no_dist=no_dist, planner=planner
    )


class Saved(Future):
    """A Future of `async_save`, as those of Python's executors are asked."""

    __module__, __qualname__ = "concurrent.futures._base", "Future"

    def result(self, timeout: float | None = None) -> Any:
        """What was saved."""
        return self.wait()


Saved.__name__ = "Future"


def async_save(state_dict: dict, *, checkpoint_id: Any = None, storage_writer: Any = None, **options: Any) -> Any:
    """As `save`; a Future of it, which is done when this returns."""
    future: Any = Saved()
    known = {name: options.get(name) for name in ("planner", "process_group")}
    future.set_result(save(state_dict, checkpoint_id=checkpoint_id, storage_writer=storage_writer, **known))
    return future
