"""``torch.cuda.nvtx``: names for stretches of a program, for NVIDIA's profilers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...engine.arrays import backend
from ...sandbox.gate import format_string

__all__ = ["range_push", "range_pop", "mark", "range"]


def _nvtx() -> Any:
    if backend.cupy() is None:
        raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")
    return backend.cupy().cuda.nvtx


def range_push(msg: str) -> None:
    """Begin a stretch."""
    _nvtx().RangePush(msg)


def range_pop() -> None:
    """End the stretch that began last."""
    _nvtx().RangePop()


def mark(msg: str) -> None:
    """A single moment."""
    _nvtx().Mark(msg)


@contextmanager
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    """A block as a stretch."""
    range_push(format_string(msg, *args, **kwargs))
    try:
        yield
    finally:
        range_pop()
