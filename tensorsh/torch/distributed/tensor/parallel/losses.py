"""`loss_parallel`: losses of scores whose classes lie in parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..parts import beside_parts

__all__ = ["loss_parallel"]


@contextmanager
def loss_parallel() -> Iterator[None]:
    """A context in which `cross_entropy` takes scores in parts along their classes, with plain labels beside them, which are the
    same in all processes. The scores are joined for it."""
    before = set(beside_parts)
    beside_parts.update(("cross_entropy", "nll_loss"))
    try:
        yield
    finally:
        beside_parts.clear()
        beside_parts.update(before)
