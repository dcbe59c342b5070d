"""What programs say of files for good, and ask of them: private and rare names of ``torch.serialization``."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..engine.arrays.warning import warn

__all__: list[str] = []

DEFAULT_PROTOCOL, PROTOCOL_VERSION, LONG_SIZE, INT_SIZE, SHORT_SIZE, STORAGE_KEY_SEPARATOR = 2, 1001, 4, 4, 2, ","


class SourceChangeWarning(Warning):
    """A module's source is not what it was when the file was written; files hold no sources."""


class LoadEndianness(Enum):
    """The order of bytes in files that do not say it."""

    NATIVE, LITTLE, BIG = 1, 2, 3


_endianness: list[Any] = [None]


def get_default_load_endianness() -> Any:
    """The order of bytes that files are read in where they do not say it; None: the machine's."""
    return _endianness[0]


def set_default_load_endianness(endianness: Any) -> None:
    """Say in which order of bytes files are read that do not say it."""
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _endianness[0] = endianness


class skip_data:
    """A context in which `save` writes no data: refused."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        raise NotImplementedError("torch.serialization.skip_data is not available: files are written with their data")


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple, error_if_malformed: bool = True
) -> bool:
    """Whether a module is of a version or a later one."""
    try:
        parts = module.__version__.split(".")
        found = tuple(type(want)(part) for want, part in zip(req_version_tuple, parts, strict=False))
    except Exception as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error

        warn(message + ", but continuing assuming that requirement is met")
        return True
    return found >= req_version_tuple


def _is_zipfile(f: Any) -> bool:
    """Whether a file begins as the zip archives of `save` do."""
    start = f.tell()
    found = f.read(4) == b"PK\x03\x04"
    f.seek(start)
    return found


_checksums = [True]


def get_crc32_options() -> bool:
    """Whether `save` was told to write checksums; it always does."""
    return _checksums[0]


def set_crc32_options(compute_crc32: bool) -> None:
    """Say whether `save` is to write checksums; it always does."""
    _checksums[0] = compute_crc32


_mmap_flags = [2]


def get_default_mmap_options() -> int:
    """How files are mapped into memory: 2, in which what is written stays in this process."""
    return _mmap_flags[0]


class set_default_mmap_options:  # noqa: N801 - PyTorch's name
    """Say how files are mapped into memory, for good or within a context: MAP_PRIVATE (2) or MAP_SHARED (1)."""

    def __init__(self, flags: int) -> None:
        if flags not in (1, 2):
            raise ValueError(
                f"Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got {flags}"
            )
        self.before, _mmap_flags[0] = _mmap_flags[0], flags

    def __enter__(self) -> None: ...

    def __exit__(self, *error: Any) -> None:
        _mmap_flags[0] = self.before
