"""numpy's readers and writers of files, through the session's gate.

numpy gets bytes or lines, never a path, so that its own opening of files and addresses is out of play. Nothing is
unpickled, and the sizes that a file states are compared with what it holds before memory is taken.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..files import path_text
from ..integers import plain
from ..kinds import Final, make
from ..numpy_guards import MOST_REPEATED, TOO_REPEATED, plainly
from ..numpy_views import has_characters, without_gaps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files import Permissions

_PICKLED = "Object arrays cannot be {} when allow_pickle=False"


class NpzFile(metaclass=Final):
    """The arrays of a `.npz` file by name, each read when it is asked for."""

    __slots__ = ("_archive", "_members", "files")

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self._members:
            raise KeyError(f"{key} is not a file in the archive")
        return read_npy(self._archive.read(self._members[key]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __contains__(self, key: object) -> bool:
        return key in self._members

    def keys(self) -> list[str]:
        return list(self.files)

    def values(self) -> list[np.ndarray]:
        return [self[key] for key in self.files]

    def items(self) -> list[tuple[str, np.ndarray]]:
        return [(key, self[key]) for key in self.files]

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self._members else default

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"NpzFile with keys: {', '.join(self.files)}"


def read_npz(data: bytes) -> NpzFile:
    """The archive of a `.npz` file's bytes."""
    import zipfile

    archive = zipfile.ZipFile(io.BytesIO(data))
    members = {name.removesuffix(".npy"): name for name in archive.namelist()}
    return make(NpzFile, _archive=archive, _members=members, files=list(members))


def read_npy(data: bytes) -> np.ndarray:
    """The array of a `.npy` file's bytes."""
    from numpy.lib import format as npy

    source = io.BytesIO(data)
    version = npy.read_magic(source)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"we only support format version (1,0), (2,0), and (3,0), not {version}")
    start = 10 if version == (1, 0) else 12
    check_header(data[start : start + int.from_bytes(data[8:start], "little")])
    # Version 3 is version 2 in UTF-8, which only matters for names of fields.
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(source)
    if dtype.hasobject:
        raise ValueError(_PICKLED.format("loaded"))
    if any(size < 0 for size in shape) or math.prod(shape) * dtype.itemsize > len(data) - source.tell():
        raise ValueError(f"cannot read an array of shape {shape} from {len(data)} bytes")
    source.seek(0)
    found = npy.read_array(source, allow_pickle=False)
    if found.size > MOST_REPEATED and not found.itemsize:
        raise ValueError(TOO_REPEATED)
    if not has_characters(found):
        raise ValueError("cannot read an array of text that is not made of characters")
    return without_gaps(found)


MOST_HEADER = 10000
"""Characters of the longest header that numpy reads."""


def check_header(header: bytes) -> None:
    """Looks at what a header calls a dtype before numpy does."""
    from ast import literal_eval

    if len(header) <= MOST_HEADER:
        try:
            described = literal_eval(
                re.sub(r"(?<=\d)L", "", header.decode("latin-1"))
            )  # as Python 2 wrote whole numbers
        except (SyntaxError, ValueError):
            raise ValueError("cannot read the header of the array") from None
        plain(described)


def _is_stream(file: Any) -> bool:
    return isinstance(file, io.BytesIO | io.StringIO)


def _checked(value: Any) -> np.ndarray:
    """An array that can be saved: one of numbers or characters."""
    array = np.asanyarray(value)
    if array.dtype.hasobject:
        raise ValueError(_PICKLED.format("saved"))
    return array


def _write(permissions: Permissions, file: Any, data: bytes, suffix: str = "") -> None:
    """Writes to a stream of the script's, or to a file whose name ends so."""
    if isinstance(file, io.BytesIO):
        file.write(data)
        return
    name = path_text(file)
    permissions.write_bytes(name if name.endswith(suffix) else name + suffix, data)


def _lines(permissions: Permissions, file: Any, encoding: str | None) -> Any:
    """The lines of a text file, or those that the script has already."""
    if isinstance(file, str) or hasattr(type(file), "__fspath__"):
        name = path_text(file)
        data = _unpacked(name, permissions.read_bytes(name))
        return io.StringIO(data.decode(encoding if encoding not in (None, "bytes") else "utf-8"))
    if isinstance(file, io.BytesIO):
        return (line.decode(encoding or "latin1") for line in file)
    if not _is_stream(file) and not hasattr(type(file), "__iter__"):
        raise TypeError("fname must be a path, a file or a sequence of lines")
    return (line for line in file)


def numpy_files(permissions: Permissions) -> dict[str, Any]:
    """load, save, savez, savez_compressed, loadtxt, genfromtxt, savetxt for one session."""

    def load(file: Any, mmap_mode: Any = None, allow_pickle: bool = False, **options: Any) -> Any:
        """An array from a .npy file, or the arrays of a .npz file. Nothing is unpickled."""
        if mmap_mode is not None:
            raise ValueError("np.load: mmap_mode is not available")
        data = file.read() if isinstance(file, io.BytesIO) else permissions.read_bytes(file)
        if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            return read_npz(data)
        if data[:6] != b"\x93NUMPY":
            if not data:
                raise EOFError("No data left in file")
            raise ValueError("the file is neither .npy nor .npz, and tensorsh does not load pickled data")
        return read_npy(data)

    def save(file: Any, arr: Any, allow_pickle: bool = False, fix_imports: Any = None) -> None:
        """Writes one array to a .npy file."""
        buffer = io.BytesIO()
        np.save(buffer, _checked(arr), allow_pickle=False)
        _write(permissions, file, buffer.getvalue(), ".npy")

    def archive(writer: Any, file: Any, arrays: tuple[Any, ...], named: dict[str, Any]) -> None:
        buffer = io.BytesIO()
        writer(buffer, *map(_checked, arrays), **{name: _checked(array) for name, array in named.items()})
        _write(permissions, file, buffer.getvalue(), ".npz")

    def savez(file: Any, *args: Any, **kwds: Any) -> None:
        """Writes several arrays to a .npz file."""
        archive(np.savez, file, args, kwds)

    def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
        """Writes several arrays to a compressed .npz file."""
        archive(np.savez_compressed, file, args, kwds)

    def loadtxt(fname: Any, *args: Any, encoding: str | None = None, **options: Any) -> np.ndarray:
        """An array from a text file, one row a line."""
        try:
            return plainly(np.loadtxt)(_lines(permissions, fname, encoding), *args, **options)
        except ValueError as error:  # numpy says so of whatever ends a converter, also of an interrupt
            if error.__cause__ is None or isinstance(error.__cause__, Exception):
                raise
            raise error.__cause__ from None

    def genfromtxt(fname: Any, *args: Any, encoding: str | None = None, **options: Any) -> np.ndarray:
        """An array from a text file, with missing values handled."""
        return plainly(np.genfromtxt)(_lines(permissions, fname, encoding), *args, **options)

    def savetxt(fname: Any, X: Any, *args: Any, encoding: str | None = None, **options: Any) -> None:  # noqa: N803
        """Writes an array to a text file, one row a line."""
        buffer = io.StringIO()
        np.savetxt(buffer, _checked(X), *args, **options)
        text = buffer.getvalue()
        if isinstance(fname, io.StringIO):
            fname.write(text)
        else:
            data = text.encode(encoding or "latin1")
            _write(permissions, fname, data if _is_stream(fname) else _packed(path_text(fname), data))

    found = (load, save, savez, savez_compressed, loadtxt, genfromtxt, savetxt)
    for function in found:
        function.__module__, function.__qualname__ = "numpy", function.__name__
    return {function.__name__: function for function in found}


def _unpacked(name: str, data: bytes) -> bytes:
    if name.endswith(".gz"):
        import gzip

        return gzip.decompress(data)
    if name.endswith(".bz2"):
        import bz2

        return bz2.decompress(data)
    if name.endswith((".xz", ".lzma")):
        import lzma

        return lzma.decompress(data)
    return data


def _packed(name: str, data: bytes) -> bytes:
    if name.endswith(".gz"):
        import gzip

        return gzip.compress(data)
    return data
