"""Methods of the library in Python work for objects of their class alone, as Python's compiled ones do.

Called for something else (`Counter.copy(int)`) they would ask it for what a program may not ask for: a class for Python's own `type`
(`self.__class__(self)`), an object of the library for what it keeps; or store in it.
"""

from __future__ import annotations

import opcode
from types import CodeType, FunctionType
from typing import Any

from .names import is_read_on_gate
from .sealed import for_its_class, is_sealed, of_python
from .wrapping import wraps

_STORES = {opcode.opmap["STORE_ATTR"], opcode.opmap["DELETE_ATTR"]}


def keep_methods(kind: type) -> None:
    """Keep the methods of a class of Python's library, and of those above it, to its objects, as far as they ask for more than programs do."""
    for owner in getattr(kind, "__mro__", ()):
        if owner in of_python:
            continue
        of_python.add(owner)
        for name, value in list(owner.__dict__.items()):
            if type(value) is FunctionType and name[:1] != "_" and _asks(value.__code__):
                type.__setattr__(owner, name, for_its_class(value, owner))


def _asks(code: CodeType) -> bool:
    """Whether a function asks for types or for attributes on the gate, or stores attributes."""
    return (
        any(name == "type" or is_read_on_gate(name) for name in code.co_names)
        or not _STORES.isdisjoint(code.co_code[::2])
        or any(_asks(part) for part in code.co_consts if type(part) is CodeType)
    )


def of_a_property(value: Any, function: Any) -> Any:
    """A function of a property of the library's, for objects of the library's classes that have it."""

    @wraps(function)
    def method(self: Any, /, *arguments: Any) -> Any:
        known = [base for base in type(self).__mro__ if is_sealed(base) or base in of_python]
        if not any(each is value for base in known for each in base.__dict__.values()):
            raise TypeError(f"a '{type(self).__name__}' object does not have this {type(value).__name__}")
        return function(self, *arguments)

    return method
