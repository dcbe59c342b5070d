"""`functools.wraps` for functions that a program hands in.

Python's own copies all that is in the `__dict__` of what it is given, also of a class: a wrapper would have numpy's methods
that write files, or what a library's function keeps for the library.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from .sealed import MARK


def wraps(wrapped: Any) -> Callable[[Any], Any]:
    """A decorator that gives a function the name and the docstring of another, and the attributes that a program set."""

    def dress(wrapper: Any) -> Any:
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            value = getattr(wrapped, name, None)
            if type(value) is str:
                setattr(wrapper, name, value)
        if type(wrapped) is FunctionType:
            wrapper.__annotations__ = dict(wrapped.__annotations__)
            if MARK in wrapped.__builtins__:  # type: ignore[attr-defined]
                wrapper.__dict__.update(wrapped.__dict__)
        wrapper.__wrapped__ = wrapped
        return wrapper

    return dress
