"""What programs say of files for good, and ask of them: private and rare names of ``torch.serialization``."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..engine.arrays.state import here
from ..engine.arrays.warning import warn
from ..sandbox.sealed import Sealed

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


class skip_data(metaclass=Sealed):
    """A context in which `save` leaves the place of each storage's bytes empty, and `load` does not read them.
    materialize_fake_tensors: whether tensors of a `FakeTensorMode` are written so, too.
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data(): torch.save(torch.ones(2), file)
    >>> torch.load(io.BytesIO(file.getvalue()))
    tensor([0., 0.])"""

    __module__ = "torch.serialization"

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before = skipping()
        here.__dict__["skip_data"] = "fake" if self.materialize_fake_tensors else "data"

    def __exit__(self, *error: Any) -> None:
        here.__dict__["skip_data"] = self._before


def skipping() -> str:
    """What a `skip_data` in force leaves out: "data", "fake" tensors' as well, or nothing."""
    return here.__dict__.get("skip_data", "")


def unless_skipped(t: Any) -> None:
    """What a `skip_data` in force says of a tensor that is written: a warning for those of the meta device, errors."""
    if not skipping():
        return
    if type(t).__name__ == "FakeTensor" and skipping() == "fake":
        raise NotImplementedError(
            "materialize_fake_tensors is not available: write tensors with elements under skip_data"
        )
    if t.is_nested:
        raise RuntimeError(
            "Cannot serialize nested tensor under skip_data context manager, file an issue if you need this feature"
        )
    if t.is_meta:
        warn("Serializing tensors on the meta device under skip_data context manager is a no-op", UserWarning)


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
    """Whether `save` writes checksums of tensors."""
    return _checksums[0]


def set_crc32_options(compute_crc32: bool) -> None:
    """Say whether `save` is to write checksums of tensors."""
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
