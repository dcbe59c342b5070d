"""What lowered code calls at nearly every step: the usual answer at once, all else from the gate.

Cython compiles this file together with `steps.pxd`; without a compiler it runs as it stands. Programs reach none of these
functions but by names that they cannot write.
"""

from __future__ import annotations

import sys
from typing import Any

from . import gate, stores
from .classes import pure_classes, script_classes
from .iterating import LONG, bounded
from .stores import settable
from .thrown import Limit

_exception = sys.exception
_range = range
_SOON = LONG // 2
"""Numbers between which no range is long, whatever its step."""


def pure(value: Any) -> bool:
    """Whether all attributes of an object are its program's own: nothing but `object` and Python's containers is above its class."""
    return id(type(value)) in pure_classes


def private_attribute(value: Any, name: str) -> Any:
    """`value._name` in a script; the name is checked already and not special."""
    if id(type(value)) in pure_classes:
        return getattr(value, name)
    return gate.private_attribute(value, name)


def store(new: Any, value: Any, name: str) -> None:
    """`value.name = new` in a script for a gated name."""
    if id(type(value)) in pure_classes and name[:2] != "__":
        setattr(value, name, new)
    else:
        stores.store(new, value, name)


def own(value: Any) -> Any:
    """The object whose attribute a script is about to set or delete, if it does not belong to the library."""
    number = id(type(value))
    if number in pure_classes or number in script_classes or settable.get(number) == len(stores.unwritable):
        return value
    return stores.own(value)


def goes_on() -> bool:
    """Whether a program's `finally` is run: not where a bound was reached."""
    error = _exception()
    return error is None or not isinstance(error, Limit)


def ranged(function: Any, *ends: Any) -> Any:
    """`range(...)` in a script: a range that can be left where it is long."""
    if function is not _range:
        return function(*ends)
    made = _range(*ends)
    return made if -_SOON <= made.start <= _SOON and -_SOON <= made.stop <= _SOON else bounded(made)


def are_as_long(many: list[dict[str, Any]], lengths: bytes) -> bool:
    """Whether some dictionaries have as many entries as they had, fewer than 255 each."""
    i = 0
    if len(many) != len(lengths):
        return False
    for each in many:
        if len(each) != lengths[i]:
            return False
        i += 1
    return True
