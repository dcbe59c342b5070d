"""``torch.jit``: compilation is accepted and leaves the program as it is."""

from __future__ import annotations

from typing import Any

__all__ = ["export", "ignore", "is_scripting", "is_tracing", "script", "trace", "unused"]


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    return obj


def trace(func: Any, *args: Any, **kwargs: Any) -> Any:
    return func


export = ignore = unused = script


def is_scripting() -> bool:
    return False


def is_tracing() -> bool:
    return False
