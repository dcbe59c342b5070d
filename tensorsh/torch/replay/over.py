"""What is written over a tensor of a recording, in place or on a copy that takes its place."""

from __future__ import annotations

from typing import Any


def on_copies(function: Any, at: tuple, *args: Any, **kwargs: Any) -> tuple:
    """The result of a function that writes over some of its arguments, and copies of them, which it wrote over in their place."""
    given = [each.clone() if k in at else each for k, each in enumerate(args)]
    return (function(*given, **kwargs), *[given[k] for k in at])


def in_place(function: Any, path: tuple, base: Any, *args: Any, **kwargs: Any) -> Any:
    """A tensor whose view at the end of a path a method wrote over."""
    view = base
    for call, rest, named, at in path:
        view = call(view, *rest, **named)
        view = view if at is None else view[at]
    function(view, *args, **kwargs)
    return base


def on_copy(function: Any, path: tuple, base: Any, *args: Any, **kwargs: Any) -> Any:
    """The same of a copy."""
    return in_place(function, path, base.clone(), *args, **kwargs)
