"""``torch.distributed.tensor.debug``: how many collectives tensors in parts have caused."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .....sandbox.sealed import OpenSealed
from ...._ops import Operators
from ... import _functional_collectives  # noqa: F401 - which enters the operators
from ...groups import world

__all__ = ["CommDebugMode"]


class CommDebugMode(metaclass=OpenSealed):
    """A context that counts the collectives within, of tensors in parts and functional ones.
    >>> with CommDebugMode() as mode: ...  # doctest: +SKIP"""

    __module__ = "torch.distributed.tensor.debug"

    def __init__(self) -> None:
        self.comm_counts: dict[Any, int] = defaultdict(int)

    def _add(self, name: str) -> None:
        self.comm_counts[getattr(Operators("c10d_functional"), name)] += 1

    def get_total_counts(self) -> int:
        """How many there were."""
        return sum(self.comm_counts.values())

    def get_comm_counts(self) -> dict[Any, int]:
        """How many there were of each operator, ``torch.ops.c10d_functional.all_reduce``."""
        return self.comm_counts

    def __enter__(self) -> CommDebugMode:
        self.comm_counts.clear()
        world.counting = (*world.counting, self._add)
        return self

    def __exit__(self, *exception: Any) -> None:
        world.counting = tuple(each for each in world.counting if each != self._add)

    def __repr__(self) -> str:
        return f"CommDebugMode(get_total_counts()={self.get_total_counts()})"
