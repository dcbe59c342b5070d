"""Arguments of public forms before a call: those that fit no overload are refused, once for each tuple of types."""

from __future__ import annotations

from typing import Any

from ...sandbox.integers import is_derived, plain
from ..arrays.layout import check_options
from ..tensors.tensor import Tensor
from .overloads import LISTS, PYTHON, mismatch, overloads, recorded, split, unbound

MOST = 16
"""Of longer lists, as of tensors, the elements do not count."""
SETTINGS = {"int", "float", "bool", "Number", *LISTS}
"""Kinds of parameters that a tensor of one element may stand for."""
LISTED = {"Tensors", "floats", "Numbers", "names", *LISTS}


def types_of(args: tuple, kwargs: dict) -> tuple:
    """The types of arguments, the names of those by name, and the types of the elements of short lists among them: what
    decides whether they fit."""
    kinds: list = []
    lists = False
    for x in args:
        kind = type(x)
        if kind is tuple or kind is list:
            lists = True
        kinds.append(kind)
    if kwargs:
        kinds.extend(kwargs)
        for x in kwargs.values():
            kind = type(x)
            if kind is tuple or kind is list:
                lists = True
            kinds.append(kind)
    if lists:
        for value in (*args, *kwargs.values()):
            if isinstance(value, (tuple, list)) and len(value) <= MOST:
                kinds.extend([type(x) for x in value])
    return tuple(kinds)


def checked(title: str, known: set, types: tuple, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Raise PyTorch's error for arguments that fit no overload, else the arguments to go on with. Types that fit whatever the
    values are stay in `known`; a program's own classes of integers never do, and become plain ones."""
    dotted, given, own = split(title, args)
    error = unbound(dotted, own) or mismatch(dotted, given, kwargs, own)
    if error is not None:
        raise error
    name, text = recorded(dotted)
    python = text.startswith(PYTHON)
    options = ("layout" in kwargs or "pin_memory" in kwargs) and not python
    if options:
        check_options(dotted, kwargs.get("layout"), kwargs.get("pin_memory"))
    if any(isinstance(kind, type) and is_derived(kind) for kind in types):
        args, kwargs = tuple([plain(v) for v in args]), {key: plain(v) for key, v in kwargs.items()}
    elif not options and (not text or python or any(o.fits_types(name, given, kwargs) for o in overloads(text))):
        known.add(types)
        return args, kwargs
    return (args, kwargs) if python or not text else settled(dotted, text, args, kwargs)


def settled(dotted: str, text: str, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a call with Python numbers in place of tensors that stand for settings."""
    places = [o.parameters for o in overloads(text)]
    first = 1 if dotted.startswith("Tensor.") else 0

    def number(value: Any, kinds: set) -> Any:
        if not kinds or not kinds <= SETTINGS:
            return value
        if isinstance(value, (list, tuple)):
            return type(value)([number(v, kinds) for v in value])
        if value is True or value is False:
            return int(value) if kinds <= LISTS else value
        return value.item() if isinstance(value, Tensor) and value._array.size == 1 else value

    by_place = [number(v, {p[i - first].kind for p in places if 0 <= i - first < len(p)}) for i, v in enumerate(args)]
    return tuple(by_place), {
        k: number(v, {p.kind for ps in places for p in ps if p.name == k}) for k, v in kwargs.items()
    }


def takes_lists(title: str) -> bool:
    """Whether a parameter of a function is a list of one kind; what is in data of any kind is for the function to refuse."""
    text = recorded(title.removeprefix("torch."))[1]
    if not text or text.startswith(PYTHON):
        return True
    return any(p.kind in LISTED for o in overloads(text) for p in o.parameters)
