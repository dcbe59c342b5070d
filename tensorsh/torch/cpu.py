"""``torch.cpu``: the CPU with the interface of an accelerator."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

from ..sandbox.sealed import Sealed

__all__ = [
    "Stream", "current_device", "current_stream", "device_count", "is_available", "is_initialized", "set_device",
    "stream", "synchronize",
]  # fmt: skip


class Stream(metaclass=Sealed):
    """A queue of work; on the CPU there is one, and everything in it is done at once."""

    __module__ = "torch.cpu"

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Nothing to wait for."""


_only = Stream()


def current_device() -> str:
    """The current device: the CPU."""
    return "cpu"


def current_stream(device: Any = None) -> Stream:
    """The one stream."""
    return _only


def device_count() -> int:
    """How many CPUs there are to compute on: one."""
    return 1


def is_available() -> bool:
    """Always."""
    return True


def is_initialized() -> bool:
    """Always."""
    return True


def set_device(device: Any) -> None:
    """There is no other."""


@contextmanager
def stream(stream: Stream) -> Any:
    """A context in which work goes to a stream: the one there is."""
    yield


def synchronize(device: Any = None) -> None:
    """Nothing is ever under way."""
