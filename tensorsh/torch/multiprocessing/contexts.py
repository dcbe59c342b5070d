"""How processes are started. Each is a copy of the one that starts it; with "spawn" its arguments and random numbers are its own."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.state import state
from ...sandbox.sealed import Sealed, all_housed
from .processes import Process

METHODS = ("fork", "spawn", "forkserver")


class ForkProcess(Process):
    """A process that shares what its arguments were when it started."""


class SpawnProcess(Process):
    """A process whose arguments are sent: copies, with tensors in shared memory."""

    _method = "spawn"


def process_class(method: str | None) -> type[Process]:
    """The class of processes that are started in a way; ValueError for one that there is not."""
    if method is not None and method not in METHODS:
        raise ValueError(f"cannot find context for {method!r}")
    return ForkProcess if (method or get_start_method()) == "fork" else SpawnProcess


class Context(metaclass=Sealed):
    """torch.multiprocessing with one way of starting processes."""

    __slots__ = ("_kind", "_name")

    def __init__(self, method: str | None) -> None:
        self._kind = process_class(method)
        self._name = method or get_start_method()

    @property
    def Process(self) -> type[Process]:  # noqa: N802
        """The class of its processes."""
        return self._kind

    def get_start_method(self, allow_none: bool = False) -> str:
        """Its name."""
        return self._name

    def get_context(self, method: str | None = None) -> Context:
        """Another one."""
        return Context(method or self._name)

    def __getattr__(self, name: str) -> Any:
        from ..root import torch

        if name[:1] == "_" or name in ("spawn", "start_processes"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(torch.multiprocessing, name)


all_housed(globals(), "multiprocessing.context")


def get_context(method: str | None = None) -> Context:
    """torch.multiprocessing with one way of starting processes: "fork", "spawn" or "forkserver". ValueError for others."""
    return Context(method)


def get_start_method(allow_none: bool = False) -> str | None:
    """How processes are started: "fork", unless the program chose."""
    found = state.__dict__.get("start_method")
    return found if found is not None or allow_none else "fork"


def set_start_method(method: str | None, force: bool = False) -> None:
    """Choose how processes are started. RuntimeError for a second choice without `force`."""
    if state.__dict__.get("start_method") is not None and not force:
        raise RuntimeError("context has already been set")
    if method is not None:
        process_class(method)
    state.__dict__["start_method"] = method


def get_all_start_methods() -> list[str]:
    """The ways in which processes can be started."""
    return list(METHODS)


def get_all_sharing_strategies() -> set[str]:
    """How tensors are shared: by the descriptor of their memory."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """How tensors are shared."""
    return state.__dict__.get("sharing_strategy", "file_descriptor")


def set_sharing_strategy(new_strategy: str) -> None:
    """Accepted: memory has no name here, whatever the strategy, and is shared by its descriptor."""
    assert new_strategy in get_all_sharing_strategies()
    state.__dict__["sharing_strategy"] = new_strategy


for _f in (get_context, get_start_method, set_start_method, get_all_start_methods):
    _f.__module__ = "multiprocessing.context"
for _f in (get_all_sharing_strategies, get_sharing_strategy, set_sharing_strategy):
    _f.__module__ = "torch.multiprocessing"
