"""A checkpoint's folder: `.metadata`, which says what lies where, and a file of each process that wrote some."""

from __future__ import annotations

import os
from typing import Any

from ....sandbox.sealed import OpenSealed


class FileSystemWriter(metaclass=OpenSealed):
    """A folder to write a checkpoint to.
    path: the folder, which is made. Others: accepted."""

    __module__ = "torch.distributed.checkpoint.filesystem"

    def __init__(self, path: Any, *options: Any, **more: Any) -> None:
        self.path = os.fspath(path)


class FileSystemReader(metaclass=OpenSealed):
    """A folder to read a checkpoint from.
    path: the folder."""

    __module__ = "torch.distributed.checkpoint.filesystem"

    def __init__(self, path: Any, *options: Any, **more: Any) -> None:
        self.path = os.fspath(path)

    def read_metadata(self) -> Any:
        """What lies where."""
        from .metadata import read

        return read(self.path)


def folder_of(checkpoint_id: Any, storage: Any) -> str:
    """The folder that a call names."""
    path = storage.path if storage is not None else checkpoint_id
    if path is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    return os.fspath(path)
