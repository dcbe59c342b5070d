"""Objects that processes share by inheritance: locks, queues. A child has its parent's; they are sent by number."""

from __future__ import annotations

import itertools
from typing import Any
from weakref import WeakValueDictionary

from ...sandbox.sealed import OpenSealed

known: WeakValueDictionary[int, Inherited] = WeakValueDictionary()
_numbers = itertools.count()


class Inherited(metaclass=OpenSealed):
    """What a process gets from the one that started it, and from nowhere else."""

    def _enter(self) -> None:
        """Give the object the number under which children know it."""
        self._number = next(_numbers)
        known[self._number] = self


def found(number: int) -> Any:
    """The object of a number, in this process."""
    made = known.get(number)
    if made is None:
        raise RuntimeError("Queue and lock objects should only be shared between processes through inheritance")
    return made
