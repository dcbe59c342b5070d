"""The attribute gate, writing: the attributes of an object that a program may set and delete."""

from __future__ import annotations

from types import FunctionType
from typing import Any, NoReturn

from .classes import (
    GUARDS,
    heard,
    is_foreign_module,
    is_reserved,
    is_script_function,
    is_writable,
    owns,
    pure_classes,
    refused,
    script_classes,
)
from .names import DEFINABLE, GATED, is_special, normalize
from .sealed import Sealed, is_sealed
from .unseen import keep_unseen


def store(new: Any, value: Any, name: str) -> None:
    """`value.name = new` in a script for a gated name."""
    if id(type(value)) in pure_classes and not is_special(name):
        setattr(value, name, new)
    else:
        set_attribute(value, name, new)


unwritable: set[type] = set()
"""Classes of the package whose objects no program changes."""
settable: dict[int, int] = {}
"""The package's classes whose objects a program may give attributes, by id, with the number of those above when it was asked."""
_immortal: set[type] = set()
_SHARED = ("typing", "__future__", "dataclasses", "enum")  # the modules whose few objects everybody shares


def own(value: Any) -> Any:
    """The object whose attribute a script is about to set or delete, if it does not belong to the library."""
    kind = type(value)
    if id(kind) in pure_classes:
        return value
    if isinstance(value, type):
        if id(value) not in script_classes:
            raise TypeError(f"cannot set an attribute of immutable type '{value.__name__}'")
    elif kind is FunctionType:
        if not is_script_function(value):
            raise AttributeError(f"cannot set an attribute of function '{value.__name__}'")
    elif id(kind) not in script_classes and (
        is_foreign_module(value)
        or kind.__module__ in _SHARED  # `typing.Counter` would pass a store on to the class it stands for
        or kind.__name__ in ("ufunc", "_ArrayFunctionDispatcher")
        or hasattr(kind, "__members__")  # of an enumeration
        or not unwritable.isdisjoint(kind.__mro__)
    ):
        raise AttributeError(f"cannot set an attribute of {value!r}")
    elif id(kind) not in script_classes and is_sealed(kind):
        settable[id(kind)] = len(unwritable)
        _immortal.add(kind)
    return value


def own_data(value: Any) -> Any:
    """The same for `value.data = ...`, where an augmented assignment also reads the data."""
    if type(value).__module__[:5] == "numpy":
        raise AttributeError(f"attribute 'data' of '{type(value).__name__}' objects is not writable")
    return own(value)


KEPT = {
    "dtype": "write a = a.view(dtype)", "shape": "write a = a.reshape(shape)",
    "strides": "write a = a[::step], or a = a.transpose(axes)", "names": "make another one with np.dtype",
}  # fmt: skip
"""What an array of numpy or its dtype keeps for its life, and what to do instead. numpy reads it again and again while it works on
an array; a program that it calls meanwhile (`__index__` of an index), or an iterator that it holds (`a.flat`), would reach memory
beyond the array."""


def own_form(value: Any) -> Any:
    """The same for `value.dtype = ...`, `.shape`, `.strides` and `.names`, which numpy's arrays keep."""
    return Kept() if is_of_numpy(value) else own(value)


def is_of_numpy(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "numpy"


def _refusing(name: str) -> property:
    def refuse(self: Any, *_: Any) -> NoReturn:
        raise AttributeError(f"the {name} of numpy's arrays is not set in place in tensorsh: {KEPT[name]}")

    return property(refuse, refuse, refuse)


class Kept(metaclass=Sealed):
    """An array of numpy where one of these is to be set."""

    __slots__ = ()
    dtype, shape, strides, names = map(_refusing, KEPT)


def set_attribute(value: Any, name: str, new: Any, /) -> None:
    """setattr for scripts."""
    name = normalize(name)
    _check_writable(value, name)
    if is_special(name) and isinstance(value, type):
        new = GUARDS[name](new) if name in GUARDS else heard(name, new)
    setattr(own_form(value) if name in KEPT else value, name, new)
    if is_special(name) and isinstance(value, type):
        keep_unseen(value)


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
        if id(value) not in script_classes:
            raise TypeError(f"cannot set '{name}' attribute of immutable type '{value.__name__}'")
        if is_special(name) and name not in DEFINABLE | {"__name__"}:
            raise refused(value, name)
        if name in ("__match_args__", "__slots__", "_abc_impl") or is_reserved(value, name):
            raise refused(value, name)
    elif is_special(name):
        if name not in ("__name__", "__doc__", "__qualname__", "__module__") or not is_script_function(value):
            raise refused(value, name)
    elif name.startswith("_") and not (owns(value, kind, name) or is_writable(kind, name)):
        if not is_script_function(value):
            raise refused(value, name)
    elif name == "data":
        own_data(value)
    elif name in GATED and id(kind) not in script_classes and not is_writable(kind, name):
        raise refused(value, name)
