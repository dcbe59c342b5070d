"""Tests by a number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tensorsh import torch


@contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads for what is computed inside."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
