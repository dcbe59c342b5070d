"""``torch.distributed.tensor.experimental``: what PyTorch may change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..parts import beside_parts

__all__ = ["implicit_replication"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A context in which plain tensors beside those in parts are taken for whole ones."""
    before = set(beside_parts)
    beside_parts.add("*")
    try:
        yield
    finally:
        beside_parts.intersection_update(before)
