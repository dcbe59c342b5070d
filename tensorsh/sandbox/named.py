"""Attributes whose names a program tells to a function of the library (`prune(module, "weight")`): they pass the gate.

Where plain Python uses the library they are Python's own.
"""

from __future__ import annotations

import sys
from typing import Any

from . import gate
from .gate import get_attribute
from .names import is_read_on_gate
from .sealed import acts_for_program
from .stores import delete_attribute, set_attribute


def for_program() -> bool:
    """Whether a program's code led here."""
    return acts_for_program(sys._getframe(1))


def read_named(value: Any, name: str, *default: Any) -> Any:
    """`getattr` for a library function that is told the name: of a program, through the gate."""
    if type(name) is str and not is_read_on_gate(name) and gate.read_checked is None or not for_program():
        return getattr(value, name, *default)
    return get_attribute(value, name, *default)


def write_named(value: Any, name: str, new: Any) -> None:
    """`setattr` for a library function that is told the name."""
    (set_attribute if for_program() else setattr)(value, name, new)


def delete_named(value: Any, name: str) -> None:
    """`delattr` for a library function that is told the name."""
    (delete_attribute if for_program() else delattr)(value, name)
