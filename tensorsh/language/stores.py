"""The attribute gate at run time, the other half: which attributes of an object a program may set and delete."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ..sealed import Sealed
from .gate import (
    _classes,
    _gated,
    _guarded_getattr,
    _is_writable,
    _owns,
    _pure,
    _refused,
    is_reserved,
    is_script_function,
)
from .names import DEFINABLE, GATED, is_special, normalize


def store(new: Any, value: Any, name: str) -> None:
    """`value.name = new` in a script for a gated name."""
    if id(type(value)) in _pure and not is_special(name):
        setattr(value, name, new)
    else:
        set_attribute(value, name, new)


_SHARED = ("typing", "__future__", "dataclasses")  # the modules whose few objects everybody shares


def own(value: Any) -> Any:
    """The object whose attribute a script is about to set or delete, if it does not belong to the library."""
    kind = type(value)
    if id(kind) in _pure:
        return value
    if isinstance(value, type):
        if id(value) not in _classes:
            raise TypeError(f"cannot set an attribute of immutable type '{value.__name__}'")
    elif kind is FunctionType:
        if not is_script_function(value):
            raise AttributeError(f"cannot set an attribute of function '{value.__name__}'")
    elif id(kind) not in _classes and (
        kind.__module__ in _SHARED  # `typing.Counter` would pass a store on to the class it stands for
        or kind.__name__ in ("ufunc", "_ArrayFunctionDispatcher")
        or hasattr(kind, "__members__")  # of an enumeration
    ):
        raise AttributeError(f"cannot set an attribute of {value!r}")
    return value


def own_data(value: Any) -> Any:
    """The same for `value.data = ...`, where an augmented assignment also reads the data."""
    if type(value).__module__[:5] == "numpy":
        raise AttributeError(f"attribute 'data' of '{type(value).__name__}' objects is not writable")
    return own(value)


class Place(metaclass=Sealed):
    """Target of a gated assignment: `x._n = v` is `Place(x)["_n"] = v`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getitem__(self, name: str) -> Any:
        return _gated(self.value, name)

    def __setitem__(self, name: str, new: Any) -> None:
        store(new, self.value, name)

    def __delitem__(self, name: str) -> None:
        delete_attribute(self.value, name)


def set_attribute(value: Any, name: str, new: Any, /) -> None:
    """setattr for scripts."""
    name = normalize(name)
    _check_writable(value, name)
    if name == "__getattr__" and isinstance(value, type):
        new = _guarded_getattr(new)
    setattr(value, name, new)


def delete_attribute(value: Any, name: str, /) -> None:
    """delattr for scripts."""
    name = normalize(name)
    _check_writable(value, name)
    delattr(value, name)


def _check_writable(value: Any, name: str) -> None:
    kind = type(value)
    if not isinstance(value, type):
        own(value)
    if isinstance(value, type):
        if id(value) not in _classes:
            raise TypeError(f"cannot set '{name}' attribute of immutable type '{value.__name__}'")
        if is_special(name) and name not in DEFINABLE | {"__name__"}:
            raise _refused(value, name)
        if name == "__match_args__" or is_reserved(value, name):
            raise _refused(value, name)
    elif is_special(name):
        if name not in ("__name__", "__doc__", "__qualname__", "__module__") or not is_script_function(value):
            raise _refused(value, name)
    elif name.startswith("_") and not (_owns(value, kind, name) or _is_writable(kind, name)):
        if not is_script_function(value):
            raise _refused(value, name)
    elif name == "data":
        own_data(value)
    elif name in GATED and id(kind) not in _classes and not _is_writable(kind, name):
        raise _refused(value, name)
