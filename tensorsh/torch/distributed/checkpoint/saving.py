"""Saving: each process writes the parts that are its own, the first says what lies where."""

from __future__ import annotations

import io
import os
import threading
import uuid
from typing import Any

import numpy as np

from ....engine.graph.fields import wrap
from ....engine.tensors.tensor import Tensor
from ....sandbox import process
from ... import serialization
from ...futures import Future
from ...serialization import permissions
from ..groups import group_of, world
from ..objects import all_gather_object, gathered
from ..starting import apart
from .folders import folder_of
from .items import name_of, part_of, processes, sizes_of, stored, walk
from .loading import CheckpointException
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
    saving = Saving(state_dict, folder_of(checkpoint_id, storage_writer), planner, process_group, no_dist)
    saving.finish(process_group)
    return saving.about


class Saving:
    """A state as it was at a moment, as the bytes that this process writes, and what all write."""

    def __init__(self, state_dict: dict, folder: str, planner: Any, group: Any, no_dist: bool) -> None:
        self.rank, self.count = (0, 1) if no_dist else processes(group)
        self.folder, self.name, self.permissions = folder, f"__{self.rank}_0.distcp", permissions()
        planner = DefaultSavePlanner() if planner is None else planner
        planner.set_up_planner(stored(state_dict), None, self.rank == 0)
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
        everything: list[Any] = [None] * self.count
        _gather(everything, items, group)
        taken: dict[tuple, int] = {}
        for number, theirs in enumerate(everything):
            for item in theirs:
                taken.setdefault((item[0], item[2]), number)
        data, places = io.BytesIO(), []
        for item, value in zip(items, values, strict=True):
            if taken[item[0], item[2]] != self.rank:
                continue
            begin = data.tell()
            if isinstance(value, Tensor):
                array: Any = value._array if type(value._array) is np.ndarray else value.detach().cpu()._array
                value = wrap(array.copy(order="C"))
            serialization.save(value, data)
            places.append((item[0], item[2], self.name, begin, data.tell() - begin))
        self.data = data.getvalue()
        all_places: list[Any] = [None] * self.count
        _gather(all_places, places, group)
        self.about = _metadata(everything, all_places, folder)

    def finish(self, group: Any) -> None:
        """Write the files; at last the first process says what lies where, if all have written theirs."""
        for write in (self._make, self._write, self._describe):
            mine = b""
            try:
                write()
            except (RuntimeError, ValueError, OSError) as error:
                if self.count == 1:
                    raise
                mine = f"{type(error).__name__}\0{error}".encode()
            if self.count == 1:
                continue
            told = gathered(group_of(group), "save", np.frombuffer(mine, np.uint8))
            texts = {i: bytes(each).decode().split("\0", 1) for i, each in enumerate(told) if each.size}
            if texts:
                raise CheckpointException({i: (kind, text) for i, (kind, text) in texts.items()})

    def _make(self) -> None:
        if self.rank == 0:
            os.makedirs(self.permissions.check(self.folder, "write"), exist_ok=True)

    def _write(self) -> None:
        if self.data:
            self.permissions.write_bytes(os.path.join(self.folder, self.name), self.data)

    def _describe(self) -> None:
        if self.rank == 0:
            self.permissions.write_bytes(os.path.join(self.folder, ".metadata"), packed(self.about))


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

    def __init__(self, saving: Saving, group: Any) -> None:
        super().__init__()
        self._saving, self._group, self._failure = saving, group, None
        self._before = _threads[-1] if _threads else None
        self._thread = threading.Thread(target=self._work, name="checkpoint")
        self._cause = self._settled
        _threads[:] = [self._thread]
        world.beside.append(self._thread)
        self._thread.start()

    def _work(self) -> None:
        if self._before is not None:
            self._before.join()  # in the same order on all processes
        try:
            self._saving.finish(self._group)
        except BaseException as error:  # noqa: BLE001 - whoever asks gets it
            self._failure = error
        world.beside.remove(threading.current_thread())
        if process.plain:
            self._tell()

    def _tell(self) -> None:
        with _telling:
            if not super().done():
                self._finish(None if self._failure else self._saving.about, self._failure)

    def _settled(self) -> None:
        self._thread.join()
        self._tell()

    def done(self) -> bool:
        """Whether all is written, or an error is there."""
        if not super().done() and not self._thread.is_alive():
            self._tell()
        return super().done()

    def result(self, timeout: float | None = None) -> Any:
        """What was saved, once it is; TimeoutError after some seconds."""
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError
        return self.wait()

    def exception(self, timeout: float | None = None) -> Any:
        """The error that hindered it, None where none did."""
        try:
            self.result(timeout)
        except TimeoutError:
            raise
        except BaseException as error:  # noqa: BLE001 - it is what was asked for
            return error
        return None


Saved.__name__ = "Future"
_threads: list[threading.Thread] = []
_telling = threading.RLock()
_groups: dict[str, Any] = {}
"""The groups in whose name savings speak beside the programs, each for one of the program's."""


def async_save(
    state_dict: dict, *, checkpoint_id: Any = None, storage_writer: Any = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False, **options: Any,
) -> Any:  # fmt: skip
    """As `save`, but the state is copied and written while the program goes on. A Future of it: `result()` waits. Others: accepted.
    A program waits for it at its end, and before destroy_process_group."""
    saving = Saving(state_dict, folder_of(checkpoint_id, storage_writer), planner, process_group, no_dist)
    own = None
    if saving.count > 1:
        given = group_of(process_group)
        own = _groups.get(given._title)
        if own is None or world.groups.get(own._title) is not own or own._ranks != given._ranks:
            own = _groups[given._title] = apart(given)
    return Saved(saving, own)
