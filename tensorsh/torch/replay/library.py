"""This library's own functions in a recording: they run on stand-ins as they stand, whatever their Python does.

What they read is there when they read it: other functions of the library run on stand-ins as well, classes are themselves, and
what has no stand-in, as the settings, is refused when it is used.
"""

from __future__ import annotations

import builtins
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from ...engine.loading import table
from ...sandbox.named import read_named
from .objects import ModuleStand, Refusing, is_own
from .reading import Refused

STANDS: dict[type, str] = {ModuleStand: "_module"}
"""What stands for a value, and the attribute that has the value."""


class Later:
    """A function of the library that is read by another."""

    __slots__ = ("_function", "_recording")

    def __init__(self, recording: Any, function: Any) -> None:
        self._recording, self._function = recording, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._recording.function(self._function)(*args, **kwargs)


class Unread(Refusing):
    """What is not told, and refused when it is used."""

    __slots__ = ("_recording",)

    def __init__(self, recording: Any) -> None:
        self._recording = recording

    def __getattr__(self, name: str) -> Any:
        raise self._recording.refused()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise self._recording.refused()


def names_of(code: CodeType) -> set[str]:
    """The names that code may read, with those of functions within it."""
    return set(code.co_names).union(*[names_of(each) for each in code.co_consts if isinstance(each, CodeType)])


def read(recording: Any, value: Any) -> Any:
    """What stands for a value that a function of the library reads."""
    if value is read_named:
        return partial(named, recording)
    if value is table.find_function:
        return lambda name: recording.present(value(name))
    if type(value) is FunctionType and is_own(value):
        return Later(recording, value)
    if isinstance(value, type):
        return value
    failed = recording.failed
    try:
        return recording.present(value)
    except Refused:
        recording.failed = failed
        return Unread(recording)


def named(recording: Any, value: Any, name: str, *default: Any) -> Any:
    """`getattr` of what stands for something."""
    known = STANDS.get(type(value))
    if known is not None and not hasattr(getattr(value, known), name):
        raise recording.refused()
    return getattr(value, name)


def is_kind(value: Any, kinds: Any) -> bool:
    """`isinstance` of what stands for something."""
    known = STANDS.get(type(value))
    return isinstance(value if known is None else getattr(value, known), kinds)


def builtins_of(recording: Any) -> dict[str, Any]:
    """Python's names for functions of the library."""
    return vars(builtins) | {"getattr": partial(named, recording), "isinstance": is_kind}
