"""Files of datasets, read below the folders that the program may read: idx (MNIST), batches (CIFAR). Nothing in them is run."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import pickletools
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


class _Array:
    """An array in a pickle: its shape and its bytes, no array of numpy's before they are checked."""

    array: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, by_columns, data = state
        if dtype != "uint8" or type(data) not in (bytes, str) or by_columns:
            raise pickle.UnpicklingError("an array of other numbers than bytes")
        data = data.encode("latin1") if type(data) is str else data
        if any(type(each) is not int or each < 0 for each in shape):
            raise pickle.UnpicklingError(f"an array of shape {shape}")
        self.array = np.frombuffer(data, np.uint8).reshape(shape).copy()


class _Dtype(str):
    """The name of a dtype in a pickle."""

    def __new__(cls, name: Any, *rest: Any) -> _Dtype:
        return super().__new__(cls, "uint8" if name in ("u1", b"u1") else "another")

    def __setstate__(self, state: Any) -> None:
        pass


class _Made:
    """What a name in a pickle stands for: called, it makes a value, and nothing in the file changes it."""

    __slots__ = ("make",)

    def __init__(self, make: Any) -> None:
        self.make = make

    def __call__(self, *args: Any) -> Any:
        return self.make(*args)

    def __setstate__(self, state: Any) -> NoReturn:
        raise pickle.UnpicklingError("it changes what a name stands for")


LEFT_OUT = frozenset(
    "INST OBJ EXT1 EXT2 EXT4 PERSID BINPERSID NEWOBJ_EX BYTEARRAY8 NEXT_BUFFER READONLY_BUFFER".split()
)
"""Steps of a pickle that no batch has."""


def check_steps(data: bytes) -> None:
    """Refuse a pickle with steps that no batch has, or one that keeps a value under a number for which Python would first take room."""
    for step, argument, _ in pickletools.genops(data):
        if step.name in LEFT_OUT or step.name in ("PUT", "LONG_BINPUT") and not 0 <= argument <= len(data):
            raise pickle.UnpicklingError(f"it has a step {step.name} that no batch has")


class _Reader(pickle.Unpickler):
    """Reads dictionaries, lists, text, numbers and arrays of bytes; every other name is refused."""

    NAMES = {
        ("numpy.core.multiarray", "_reconstruct"): _Made(lambda *_: _Array()),
        ("numpy._core.multiarray", "_reconstruct"): _Made(lambda *_: _Array()),
        ("numpy", "ndarray"): None,
        ("numpy", "dtype"): _Made(_Dtype),
        ("_codecs", "encode"): _Made(lambda text, coding="latin1": str(text).encode("latin1")),
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
            data = stream.read()
        check_steps(data)
        found = _Reader(io.BytesIO(data), encoding="latin1").load()
    except (PermissionError, FileNotFoundError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(f"{path!r} is no batch of CIFAR's: {error}") from None
    if type(found) is not dict:
        raise ValueError(f"{path!r} is no batch of CIFAR's")
    told = {key.decode("latin1") if type(key) is bytes else key: value for key, value in found.items()}
    return {key: value.array if type(value) is _Array else value for key, value in told.items()}
