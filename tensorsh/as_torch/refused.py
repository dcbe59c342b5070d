"""What libraries import and tensorsh does not have: names that exist, and say so in one sentence when they are used.

A library that can export, compile or train on many machines imports all that at its beginning, on every machine, and asks
later. Its import succeeds: a class is one that nothing is an instance of, a function or the making of an object raises
NotImplementedError; `is_available` answers that it is not. Only names in `language/pytorch_refused.txt` (recorded by `tests/recording/refused.py`) are answered so; whatever
tensorsh has under such a name comes first.
"""

from __future__ import annotations

import enum
from functools import cache
from typing import Any, NoReturn

from ..language.pytorch_names import REFUSED, instead_of


def refuse(title: str) -> NoReturn:
    """The error of a name that is used."""
    raise NotImplementedError(f"tensorsh does not have {title}{instead_of(title)}")


@cache
def modules() -> dict[str, dict[str, str]]:
    """The modules of the table, and all packages above them: of each name what it is."""
    with open(REFUSED, encoding="ascii") as file:
        lines = [line.partition(":") for line in file.read().splitlines()[1:]]
    found: dict[str, dict[str, str]] = {}
    for dotted, _, words in lines:
        for end in [i for i, letter in enumerate(dotted) if letter == "."]:
            found.setdefault(dotted[:end], {})
        names = found.setdefault(dotted, {})
        for word in words.split():
            name = word.partition("(")[0].rstrip("!@~")
            names[name] = word[len(name) :]
    return found


@cache
def value(module: str, name: str) -> Any:
    """A class, an enumeration or a function that says it is not there; None where the table has no such name."""
    kind = modules().get(module, {}).get(name)
    if kind is None:
        return None
    title = f"torch.{module}.{name}"
    if kind[:1] == "(":
        made: Any = enum.Enum(name, kind.strip("()").split(","))  # type: ignore[misc]
    elif kind == "!":

        def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
            refuse(title)

        made = type(name, (), {"__new__": __new__, "__doc__": f"What tensorsh does not have: {title}."})
    elif kind == "~":
        made = type(name, (), {"__init__": lambda self, *args, **kwargs: None})
    elif kind == "@":

        def made(function: Any) -> Any:
            return function
    elif name == "is_available":

        def made() -> bool:
            return False
    else:

        def made(*args: Any, **kwargs: Any) -> NoReturn:
            refuse(title)

        made.__name__ = made.__qualname__ = name
    made.__module__ = "torch." + module
    return made
