"""``torch.distributed.checkpoint.filesystem``: a checkpoint's folder: `.metadata`, which says what lies where, and a file of each
process that wrote some."""

from __future__ import annotations

import io
import os
import uuid
from dataclasses import replace
from typing import Any

import numpy as np

from ....engine.graph.fields import wrap
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import OpenSealed, all_housed
from ... import serialization
from ...futures import Future
from ...serialization import permissions
from .default_planner import narrowed
from .metadata import Metadata, StorageMeta, _StorageInfo, packed, read
from .planner import LoadItemType, LoadPlan, SavePlan
from .storage import StorageReader, StorageWriter, WriteResult

__all__ = ["FileSystemReader", "FileSystemWriter"]


def given(value: Any) -> Future:
    """A Future that has its value."""
    made = Future()
    made.set_result(value)
    return made


class _Folder(metaclass=OpenSealed):
    """What writers and readers of folders have in common."""

    def __init__(self, path: Any, *options: Any, **more: Any) -> None:
        self.reset(path)

    def reset(self, checkpoint_id: Any = None) -> None:
        if checkpoint_id is not None:
            self.path = os.fspath(checkpoint_id)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        return isinstance(checkpoint_id, (str, os.PathLike)) and "://" not in os.fspath(checkpoint_id)

    checkpoint_id = property(lambda self: self.path, doc="The folder.")


class FileSystemWriter(_Folder, StorageWriter):
    """A folder to write a checkpoint to.
    path: the folder, which is made. Others: accepted."""

    def reset(self, checkpoint_id: Any = None) -> None:
        super().reset(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def storage_meta(self) -> StorageMeta:
        return StorageMeta(self.path, self.save_id)

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        if not isinstance(self, FileSystemWriter):  # but a program's object, which would show them
            raise TypeError(f"a 'FileSystemWriter' object is expected, not '{type(self).__name__}'")
        self._permissions = permissions()

    def prepare_global_plan(self, plans: list) -> list:
        return [replace(plan, storage_data=f"__{number}_0.distcp") for number, plan in enumerate(plans)]

    def write_data(self, plan: SavePlan, planner: Any) -> Future:
        return given(self._write(*self._resolve(plan, planner)))

    def _resolve(self, plan: SavePlan, planner: Any) -> tuple[str, bytes, list]:
        """The file of a plan, its bytes, and where in them the items lie."""
        data, places = io.BytesIO(), []
        for item in plan.items:
            begin, value = data.tell(), planner.resolve_data(item)
            if isinstance(value, Tensor):
                array: Any = value._array if type(value._array) is np.ndarray else value.detach().cpu()._array
                serialization.save(wrap(array.copy(order="C")), data)
            else:
                data.write(value.getbuffer())
            length = data.tell() - begin
            places.append(WriteResult(item.index, length, _StorageInfo(plan.storage_data, begin, length)))
        return plan.storage_data, data.getvalue(), places

    def _write(self, name: str, data: bytes, places: list) -> list:
        os.makedirs(self._permissions.check(self.path, "write"), exist_ok=True)
        if data:
            self._permissions.write_bytes(os.path.join(self.path, os.path.basename(name)), data)
        return places

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        metadata.storage_data = {each.index: each.storage_data for theirs in results for each in theirs}
        metadata.storage_meta, metadata.version = self.storage_meta(), "1.0.0"
        self._permissions.write_bytes(os.path.join(self.path, ".metadata"), packed(metadata))


class FileSystemReader(_Folder, StorageReader):
    """A folder to read a checkpoint from.
    path: the folder."""

    def reset(self, checkpoint_id: Any = None) -> None:
        super().reset(checkpoint_id)
        self.load_id = str(uuid.uuid4())
        self.storage_data: dict = {}

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        found = read(self.path)
        if isinstance(found.storage_meta, StorageMeta):
            found.storage_meta.load_id = self.load_id
        return found

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        self.storage_data = metadata.storage_data

    def read_data(self, plan: LoadPlan, planner: Any) -> Future:
        files: dict[str, bytes] = {}
        for item in plan.items:
            place = self.storage_data[item.storage_index]
            name = os.path.basename(place.relative_path)
            if name not in files:
                files[name] = permissions().read_bytes(os.path.join(self.path, name))
            data = io.BytesIO(files[name][place.offset : place.offset + place.length])
            if item.type == LoadItemType.BYTE_IO:
                planner.load_bytes(item, data)
                continue
            found = narrowed(serialization.load(data), item.storage_offsets, item.lengths)
            with no_grad():
                target = planner.resolve_tensor(item).detach()
                if target.shape != found.shape:
                    raise AssertionError(f"req {item.storage_index} mismatch sizes {target.size()} vs {found.size()}")
                target.copy_(found)
            planner.commit_tensor(item, target)
        return given(None)


all_housed(globals())


def storage_of(checkpoint_id: Any, storage: Any, kind: Any) -> Any:
    """The storage that a call names."""
    if storage is None and not checkpoint_id:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    storage = kind(checkpoint_id) if storage is None else storage
    if checkpoint_id is not None:
        storage.reset(checkpoint_id)
    return storage
