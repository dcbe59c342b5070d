"""Tests by a number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tensorsh import torch
from tensorsh.engine import kernels


@contextmanager
def threads(count: int, least: int | None = None) -> Iterator[None]:
    """So many threads for what is computed inside; `least`: the elements from which on kernels share their work."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    if least is not None:
        kernels.kernel("use_threads", kernels.unsuited)(count, least)
    try:
        yield
    finally:
        torch.set_num_threads(before)
