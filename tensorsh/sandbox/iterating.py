"""Functions that walk an iterable in compiled code, in steps between which they can be interrupted: `sum(range(10**12))`.

Compiled code that asks compiled code for its next element hears of nothing. A generator between the two is a step of Python's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

MANY = 1 << 20
"""Elements that are walked in a moment."""
GENERATOR = type((lambda: (yield))())


def stepped(iterable: Any) -> Iterator[Any]:
    for each in iterable:  # noqa: UP028 - `yield from` would close a generator that is left in the middle
        yield each


def steps(function: Callable[..., Any], place: int = 0, alone: bool = False) -> Callable[..., Any]:
    """A function whose argument at `place` is an iterable (`alone`: if it is the only one)."""

    def call(*arguments: Any, **options: Any) -> Any:
        if len(arguments) > place and not (alone and len(arguments) > 1):
            walked = arguments[place]
            kind = type(walked)
            if kind is range:
                is_long = len(walked[: MANY + 1]) > MANY
            else:
                is_long = kind is not GENERATOR and not hasattr(kind, "__len__")
            if is_long:
                arguments = (*arguments[:place], stepped(walked), *arguments[place + 1 :])
        return function(*arguments, **options)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__, call.__module__ = function.__doc__, function.__module__
    call.__text_signature__ = getattr(function, "__text_signature__", None)  # type: ignore[attr-defined]
    return call
