"""Plain integers, text and bytes in the place of a program's own: a class derived from int may say something else each time it is asked."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from operator import index
from typing import Any

plain_int = int.__index__


def whole(value: Any) -> int:
    """The number that a value is, as a plain int. A class derived from int is not asked."""
    if type(value) is int:
        return value
    return plain_int(value if issubclass(type(value), int) else index(value))


def octets(data: Any) -> bytes:
    """The bytes that a value holds, as plain ones. A class derived from bytes is not asked."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")
    return data if type(data) is bytes else bytes(memoryview(data))


def plain_text(value: Any) -> Any:
    """A text as a plain one. Python's own code shows one of a program's class what it keeps, by the methods that it calls."""
    return str.__str__(value) if isinstance(value, str) else value


def is_derived(kind: type) -> bool:
    """Whether a type is a program's own class of integers, which may compute as it likes."""
    return issubclass(kind, int) and kind is not int and kind is not bool


def plain(value: Any) -> Any:
    """A value with plain integers and text in the place of those of a program's own classes, also in lists, tuples and dictionaries. Lists
    are copies, which nothing that a program does changes: not what it does while it is asked for one of the numbers in them.
    An object that may name a dtype by an attribute of its own is refused: numpy would ask it for lists that are none."""
    kind = type(value)
    if kind is str or kind is bytes:
        return in_units(value)
    if kind in KNOWN:
        return value
    if kind is list or kind is tuple:
        return kind(value) if SIMPLE.issuperset(map(type, value)) else kind([plain(v) for v in value])
    if kind is dict:
        return {plain(key): plain(v) for key, v in value.items()}
    if issubclass(kind, list):
        return [plain(v) for v in list.__iter__(value)]
    if issubclass(kind, tuple):
        return tuple([plain(v) for v in tuple.__iter__(value)])
    if issubclass(kind, dict):
        return {plain(key): plain(v) for key, v in dict.items(value)}
    if issubclass(kind, str) and of_program(kind):
        return in_units(str.__str__(value))
    if is_derived(kind):
        return whole(value)
    if issubclass(kind, (str, bytes)):
        in_units(value)
    elif is_walked(kind):
        return [plain(v) for v in value]
    if names_dtype(value, kind):
        raise TypeError(f"numpy in tensorsh asks no '{kind.__name__}' object for a dtype: give it the dtype itself")
    return value


def settled(value: Any) -> Any:
    """A value, with lists of numpy's own in the place of what it takes apart: a program may change a list while numpy asks what is in it."""
    if inert((value,)):
        return value
    kind = type(value)
    is_refused = hasattr(kind, "__array_struct__")  # of a program's, or an array
    return plain(value) if not is_refused and (issubclass(kind, (list, tuple)) or is_walked(kind)) else value


def is_walked(kind: type) -> bool:
    """Whether numpy takes objects of a class of the library's apart as it does lists (deque, UserList, Subset)."""
    if (
        kind in KNOWN
        or not hasattr(kind, "__len__")
        or hasattr(kind, "__array__")
        or hasattr(kind, "__array_interface__")
        or kind.__name__ == "range"
        or of_program(kind)
    ):
        return False
    is_like_lists = all(any(name in base.__dict__ for base in kind.__mro__) for name in LIKE_LISTS)
    return is_like_lists and kind.__module__.partition(".")[0] != "numpy" and not issubclass(kind, OF_BYTES)


LIKE_LISTS = ("__getitem__", "__len__")
OF_BYTES = (bytes, str, bytearray, memoryview, array)

NO_UNITS = re.compile(r"(?:[mM]8|[ea]64)\[(?:[^\]]*/)?\s*(?:[-+]|0+(?!\d))")
"""The name of a dtype of times that are counted in none of their unit, or in a part of it that there is not: `m8[0s]`, `M8[Y/0]`."""


def in_units(text: Any) -> Any:
    """A text which is no such name: numpy divides by the number."""
    if ("[" in text if isinstance(text, str) else b"[" in text) and NO_UNITS.search(
        text if isinstance(text, str) else text.decode("latin-1")
    ):
        raise TypeError("numpy in tensorsh counts times in one unit or more, and in parts of one")
    return text


# whether a program defined a class: classes.py puts it here
of_program: Callable[[type], bool] = lambda kind: False


KNOWN = frozenset((int, float, bool, complex, str, bytes, type(None), slice))
SIMPLE = frozenset((int, float, bool, complex, type(None)))

# whether numpy runs no code of a program as it takes some values apart: the kernels put here what looks into lists, too
inert: Callable[[tuple], bool] = lambda values: SIMPLE.issuperset(map(type, values))
# whether a value, or each in a tuple, is a number or an array of plain numbers, at which there is nothing to be looked: the kernels' as well
usual: Callable[[object], bool] = lambda value: False


def plain_numbers(values: tuple) -> tuple:
    """The values of a call with plain numbers in the place of those of a program's own classes, whose operators would be handed what
    they are computed with."""
    return tuple([plain_number(value) for value in values])


def plain_number(value: Any) -> Any:
    """A number as a plain one."""
    kind = type(value)
    if kind in KNOWN or not issubclass(kind, (int, float, complex)) or not of_program(kind):
        return value
    return next(plainly(value) for base, plainly in _PLAINLY.items() if issubclass(kind, base))


_PLAINLY: dict[type, Callable[[Any], Any]] = {int: whole, float: float.__float__, complex: complex.__complex__}


CHOOSING = ("dtype", "__getattr__")


def names_dtype(value: Any, kind: type) -> bool:
    """Whether an object may have an attribute `dtype` that a program chose."""
    if "dtype" in (getattr(value, "__dict__", None) or ()):
        return not issubclass(kind, type) or of_program(value)
    asked = value.__mro__ if issubclass(kind, type) else kind.__mro__
    has = any("dtype" in base.__dict__ for base in asked)  # a `__getattr__` of ours is not asked for what a class has
    return any(
        "__getattr__" in base.__dict__
        and not has
        or (not base.__dict__.keys().isdisjoint(CHOOSING) and of_program(base))
        for base in asked
    )
