"""Files of datasets, read below the folders that the program may read: idx (MNIST), batches (CIFAR). Nothing in them is run."""

from __future__ import annotations

import gzip
import io
import os
import pickle
from typing import Any, NoReturn

import numpy as np

from ..torch.root import torch
from ..torch.serialization import permissions

DTYPES = {8: "uint8", 9: "int8", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""The third byte of an idx file -> the numbers in it."""
LARGEST = 1 << 34


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
            shape = [int.from_bytes(stream.read(4), "big") for _ in range(head[3])]
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


class _Array:
    """An array in a pickle: its shape and its bytes, no array of numpy's before they are checked."""

    array: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, by_columns, data = state
        if dtype != "uint8" or type(data) not in (bytes, str) or by_columns:
            raise pickle.UnpicklingError("an array of other numbers than bytes")
        data = data.encode("latin1") if type(data) is str else data
        self.array = np.frombuffer(data, np.uint8).reshape([int(each) for each in shape]).copy()


class _Dtype(str):
    """The name of a dtype in a pickle."""

    def __new__(cls, name: Any, *rest: Any) -> _Dtype:
        return super().__new__(cls, "uint8" if name in ("u1", b"u1") else "another")

    def __setstate__(self, state: Any) -> None:
        pass


class _Reader(pickle.Unpickler):
    """Reads dictionaries, lists, text, numbers and arrays of bytes; every other name is refused."""

    NAMES = {
        ("numpy.core.multiarray", "_reconstruct"): lambda *_: _Array(),
        ("numpy._core.multiarray", "_reconstruct"): lambda *_: _Array(),
        ("numpy", "ndarray"): None,
        ("numpy", "dtype"): _Dtype,
        ("_codecs", "encode"): lambda text, coding="latin1": str(text).encode("latin1"),
    }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.NAMES:
            raise pickle.UnpicklingError(f"it names {module}.{name}")
        return self.NAMES[module, name]

    def persistent_load(self, pid: Any) -> NoReturn:
        raise pickle.UnpicklingError("it names something outside of the file")


def read_batch(path: str) -> dict[str, Any]:
    """The dictionary in a batch of CIFAR's, with its array as `data`.

    Raises:
        ValueError: The file is no batch, or holds more than a batch does.
    """
    try:
        with content(path) as stream:
            found = _Reader(stream, encoding="latin1").load()
    except (PermissionError, FileNotFoundError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(f"{path!r} is no batch of CIFAR's: {error}") from None
    if type(found) is not dict:
        raise ValueError(f"{path!r} is no batch of CIFAR's")
    told = {key.decode("latin1") if type(key) is bytes else key: value for key, value in found.items()}
    return {key: value.array if type(value) is _Array else value for key, value in told.items()}
