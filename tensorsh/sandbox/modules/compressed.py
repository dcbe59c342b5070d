"""gzip's files, through the session's gate. What takes long is done in pieces, between which interrupts are heard."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from functools import partial
from typing import Any

from ..integers import octets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment

PIECE = 1 << 22


def unpacked(data: bytes) -> bytes:
    """The contents of a gzip file's bytes."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return b"".join(iter(lambda: stream.read(PIECE), b""))


def packed(data: bytes, level: int = 9, mtime: float | None = None) -> bytes:
    """A gzip file's bytes with these contents."""
    made = io.BytesIO()
    with gzip.GzipFile("", "wb", level, made, mtime) as stream:
        for at in range(0, len(data), PIECE):
            stream.write(data[at : at + PIECE])
    return made.getvalue()


def functions(environment: Environment) -> dict[str, Any]:
    """The functions of the module."""
    place = environment.permissions.open_packed

    def open(
        filename: Any, mode: str = "rb", compresslevel: int = 9, encoding: Any = None, errors: Any = None,
        newline: Any = None,
    ) -> Any:  # fmt: skip
        """A gzip file that the program may read, or write, as bytes or (with "t" in the mode) as text."""
        if type(mode) is not str:
            raise TypeError(f"mode must be str, not {type(mode).__name__}")
        mode = mode if "t" in mode or "b" in mode else mode + "b"
        if "+" in mode:
            raise ValueError(f"Invalid mode: {mode!r}")
        pack = partial(packed, level=_level(compresslevel))
        if hasattr(type(filename), "read"):
            return _of_file(filename, mode, encoding, errors, newline)
        return place(unpacked, pack, filename, mode, encoding, errors, newline)

    def GzipFile(  # noqa: N802
        filename: Any = None, mode: Any = None, compresslevel: int = 9, fileobj: Any = None, mtime: Any = None
    ) -> Any:
        """A gzip file as bytes; of an open file what is left in it."""
        return open(filename if fileobj is None else fileobj, mode or "rb", compresslevel)

    def compress(data: Any, compresslevel: int = 9, *, mtime: Any = None) -> bytes:
        """Bytes as a gzip file has them."""
        return packed(octets(data), _level(compresslevel), None if mtime is None else float(mtime))

    def decompress(data: Any) -> bytes:
        """The bytes that a gzip file has."""
        return unpacked(octets(data))

    made: list[Callable] = [open, GzipFile, compress, decompress]
    return {each.__name__: each for each in made} | {"BadGzipFile": gzip.BadGzipFile}


def _of_file(file: Any, mode: str, encoding: Any, errors: Any, newline: Any) -> Any:
    if "r" not in mode:
        raise ValueError("gzip in tensorsh writes to a path; `gzip.compress` gives bytes for an open file")
    data = io.BytesIO(unpacked(octets(file.read())))
    if "b" in mode:
        return data
    return io.StringIO(io.TextIOWrapper(data, encoding or "utf-8", errors, newline).read())


def _level(level: Any) -> int:
    if type(level) is not int or not 0 <= level <= 9:
        raise ValueError("compresslevel must be between 0 and 9")
    return level
