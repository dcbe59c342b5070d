"""``torch.compiler``: what programs say to PyTorch's compiler; nothing is compiled here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .settings import compile

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "reset",
]  # fmt: skip


def allow_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


def assume_constant_result(fn: Callable) -> Callable:
    """The function itself."""
    return fn


def disable(fn: Callable | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself, or a decorator that gives it."""
    return (lambda function: function) if fn is None else fn


def is_compiling() -> bool:
    """Whether the program is being compiled: never."""
    return False


def is_dynamo_compiling() -> bool:
    """Whether the program is being compiled: never."""
    return False


def is_exporting() -> bool:
    """Whether the program is being exported: never."""
    return False


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The compilers there are: none."""
    return []


def reset() -> None:
    """Forget what was compiled."""


def cudagraph_mark_step_begin() -> None:
    """Tell the compiler that a step begins."""
