"""Files of datasets, read below the folders that the program may read: idx (MNIST), batches (CIFAR). Nothing in them is run."""

from __future__ import annotations

import gzip
import io
import os
from typing import Any, NoReturn

import numpy as np

from ..torch.makers import UnpicklingError, makers
from ..torch.pickled import Reader
from ..torch.pickled_arrays import Arrays
from ..torch.root import torch
from ..torch.serialization import NAMES, permissions

DTYPES = {8: "uint8", 9: "int8", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""The third byte of an idx file -> the numbers in it."""
LARGEST = 1 << 34
LARGEST_BATCH = 1 << 30


def missing(name: str, files: list[str], folder: str) -> RuntimeError:
    """The error of files that are not there."""
    return RuntimeError(
        f"{name} is not there: tensorsh downloads nothing, so put {', '.join(files)} into {folder!r}, unpacked or as they come"
    )


def readable(root: Any, folder: str) -> None:
    """Raises the PermissionError of a data set's folder, which is what a person allows, where files below it may not be read."""
    if not permissions().allows(folder):
        permissions().check(root)


def place(folder: str, name: str) -> str | None:
    """The file of a name in a folder, also packed as `.gz`; None where there is neither.

    Raises:
        PermissionError: The program may not read there.
    """
    path = os.path.join(folder, name)
    resolved = permissions().check(path)
    if os.path.isfile(resolved):
        return path
    return path + ".gz" if os.path.isfile(permissions().check(path + ".gz")) else None


def content(path: str) -> Any:
    """A file as a stream of bytes, unpacked where it is packed."""
    stream = io.BytesIO(permissions().read_bytes(path))
    return gzip.GzipFile(fileobj=stream) if path.endswith(".gz") else stream


def unpacked(path: str) -> bytes:
    """All that is in a file of no more than a gigabyte.

    Raises:
        ValueError: It is packed, and holds more.
    """
    with content(path) as stream:
        data = stream.read(LARGEST_BATCH + 1)
    if len(data) > LARGEST_BATCH:
        raise ValueError(f"{path!r} holds more than {LARGEST_BATCH} bytes")
    return data


def read_idx(path: str) -> Any:
    """The tensor in an idx file, of any number of dimensions.

    Raises:
        ValueError: The file is no idx file, or is damaged.
    """
    try:
        with content(path) as stream:
            head = stream.read(4)
            if len(head) < 4 or head[:2] != b"\0\0" or head[2] not in DTYPES or not 1 <= head[3] <= 8:
                raise ValueError(f"{path!r} is no idx file")
            sizes = stream.read(4 * head[3])
            if len(sizes) < 4 * head[3]:
                raise ValueError(f"{path!r} is damaged: it ends in its head")
            shape = [int.from_bytes(sizes[at : at + 4], "big") for at in range(0, len(sizes), 4)]
            dtype, size = np.dtype(DTYPES[head[2]]), 1
            for each in shape:
                size *= each
            if size * dtype.itemsize > LARGEST:
                raise ValueError(f"{path!r} says that it holds {size} numbers")
            data = stream.read(size * dtype.itemsize + 1)
    except (EOFError, OSError, gzip.zlib.error) as error:  # type: ignore[attr-defined]
        if isinstance(error, PermissionError | FileNotFoundError):
            raise
        raise ValueError(f"{path!r} is damaged: {error}") from None
    if len(data) != size * dtype.itemsize:
        raise ValueError(f"{path!r} is damaged: it holds {len(data)} bytes, and not {size * dtype.itemsize}")
    array = np.frombuffer(data, dtype).reshape(shape)
    return torch.from_numpy(array.astype(dtype.newbyteorder("="), copy=True))


class _Names(dict):
    """What a batch may name: arrays, and bytes that were written as text."""

    classes = None

    def __init__(self) -> None:
        arrays = Arrays()
        super().__init__(makers(arrays.names | {("_codecs", "encode"): NAMES["_codecs", "encode"]}))
        self.fill = arrays.fill


def _no_key(key: Any) -> NoReturn:
    raise UnpicklingError("it names something outside of the file")


def read_batch(path: str) -> dict[str, Any]:
    """The dictionary in a batch of CIFAR's, with its array as `data`.

    Raises:
        ValueError: The file is no batch, or holds more than a batch does.
    """
    try:
        found = Reader(unpacked(path), _Names(), _no_key, "latin1").read()
    except (PermissionError, FileNotFoundError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(f"{path!r} is no batch of CIFAR's: {error}") from None
    if type(found) is not dict:
        raise ValueError(f"{path!r} is no batch of CIFAR's")
    return {plain(key): value for key, value in found.items()}


def plain(text: Any) -> Any:
    """A text that Python 2 wrote, or whatever else it is."""
    return text.decode("latin1") if type(text) is bytes else text
