"""Plain integers in the place of a program's own: a class derived from int may say something else each time it is asked."""

from __future__ import annotations

from operator import index
from typing import Any

plain_int = int.__index__


def whole(value: Any) -> int:
    """The number that a value is, as a plain int. A class derived from int is not asked."""
    if type(value) is int:
        return value
    return plain_int(value if issubclass(type(value), int) else index(value))


def is_derived(kind: type) -> bool:
    """Whether a type is a program's own class of integers, which may compute as it likes."""
    return issubclass(kind, int) and kind is not int and kind is not bool


def plain(value: Any) -> Any:
    """A value with plain integers in the place of those of a program's own classes, also in lists and tuples. Lists are copies,
    which nothing that a program does changes: not what it does while it is asked for one of the numbers in them."""
    kind = type(value)
    if kind is list or kind is tuple:
        return kind([plain(v) for v in value])
    if issubclass(kind, list):
        return [plain(v) for v in list.__iter__(value)]
    return whole(value) if is_derived(kind) else value
