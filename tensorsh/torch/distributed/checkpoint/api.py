"""``torch.distributed.checkpoint.api``: what processes do together when they save or load, and what hinders them."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ....engine.arrays.warning import warn
from ....sandbox.sealed import OpenSealed
from ....sandbox.wrapping import wraps
from ..groups import group_of, outside
from ..objects import gathered
from ..starting import get_rank, get_world_size, is_initialized
from .metadata import packed, unpacked

__all__ = ["CheckpointException"]


class CheckpointException(BaseException, metaclass=OpenSealed):
    """What hindered processes from saving or loading.
    msg: what they did. failures: of each rank that failed, the error and where."""

    __module__ = "torch.distributed.checkpoint.api"

    def __init__(self, msg: str, failures: dict[int, Any]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    failures = property(lambda self: self._failures, doc="Of each rank that failed, the error and where.")

    def __str__(self) -> str:
        lines = [f"CheckpointException ranks:{self._failures.keys()}"]
        for rank, (error, _) in self._failures.items():
            lines.append(f"Traceback (most recent call last): (RANK {rank})\n{type(error).__name__}: {error}")
        return "\n".join(lines) + "\n"


def storage_second(name: str) -> Callable:
    """A decorator: the function takes a storage as its second argument, too, as it did once."""

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            if len(arguments) == 2:
                warn(
                    f"The argument order of {function.__name__} has been changed. Please check the document to avoid future breakages."
                )
                *arguments, named[name] = arguments  # type: ignore[assignment]
            return function(*arguments, **named)

        return call

    return decorate


def again(name: str, text: str) -> Exception:
    """An error of another process, by the name of its class; a RuntimeError, where Python has no such class."""
    kind = vars(builtins).get(name)
    return kind(text) if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError(text)


class Together:
    """The processes that save or load; alone where there are no others. One of them says what lies where."""

    def __init__(self, group: Any, no_dist: bool, coordinator: int = 0) -> None:
        alone = no_dist or outside(group) or not is_initialized()
        self.rank, self.count = (0, 1) if alone else (get_rank(group), get_world_size(group))
        self.group = None if alone else group_of(group)
        self.first = 0 if alone else coordinator

    leads = property(lambda self: self.rank == self.first, doc="Whether this process says what lies where.")

    def all(self, title: str, step: Callable[[], Any]) -> list[Any]:
        """What a step gives on each process; CheckpointException on all where it fails on some."""
        data = b""
        try:
            mine: Any = True, step()
            data = packed(mine) if self.count > 1 else b""
        except Exception as error:  # noqa: BLE001 - told to all
            mine = False, error
            data = packed((False, type(error).__name__, str(error))) if self.count > 1 else b""
        found = [mine]
        if self.count > 1:
            rows = gathered(self.group, title, np.frombuffer(data, np.uint8))  # type: ignore[arg-type]
            found = [mine if n == self.rank else unpacked(bytes(row)) for n, row in enumerate(rows)]
        failed = {
            n: (each[1] if n == self.rank else again(*each[1:]), ()) for n, each in enumerate(found) if not each[0]
        }
        if failed:
            raise CheckpointException(title, failed)
        return [each[1] for each in found]

    def one(self, title: str, step: Callable[[], Any]) -> Any:
        """What a step of the first process gives, told to all."""
        return self.all(title, lambda: step() if self.leads else None)[self.first]
