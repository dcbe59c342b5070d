"""What a module holds under names: its parameters, buffers and submodules.

The three dicts are what counts, as in PyTorch. Each also puts its entries among the module's own attributes, so that
``self.weight`` is an ordinary attribute and costs a tenth of a ``__getattr__``.
"""

from __future__ import annotations

import weakref
from typing import Any

from ....sandbox.sealed import Sealed

_absent: Any = object()


def shown(name: Any) -> bool:
    """Whether an entry appears among the attributes: special names, which libraries look for, do not."""
    return type(name) is str and name[:2] != "__"


class Registry(dict, metaclass=Sealed):
    """A dict that keeps the attributes of its module in step."""

    __slots__ = ("_owner",)
    _owners: type = type(None)
    """The class of modules, once it is there: nothing else lends its attributes."""

    def __init__(self, owner: Any = None) -> None:
        if isinstance(owner, dict):  # entries, of no module: what libraries make of one that they walk over
            dict.__init__(self, owner)
            owner = None
        self._attach(owner)

    def _attach(self, owner: Any) -> None:
        if owner is not None and not isinstance(owner, Registry._owners):
            raise TypeError(f"a module is expected, got {type(owner).__name__}")
        self._owner = None if owner is None else weakref.ref(owner)

    def _attributes(self) -> dict:
        owner = None if self._owner is None else self._owner()
        return {} if owner is None else owner.__dict__

    def __setitem__(self, name: Any, value: Any) -> None:
        dict.__setitem__(self, name, value)
        if shown(name):
            self._attributes()[name] = value

    def __delitem__(self, name: Any) -> None:
        dict.__delitem__(self, name)
        self._attributes().pop(name, None)

    def pop(self, name: Any, *default: Any) -> Any:
        if name in self:
            self._attributes().pop(name, None)
        return dict.pop(self, name, *default)

    def popitem(self) -> Any:
        name, value = dict.popitem(self)
        self._attributes().pop(name, None)
        return name, value

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def update(self, *others: Any, **named: Any) -> None:
        for name, value in dict(*others, **named).items():
            self[name] = value

    def setdefault(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __deepcopy__(self, memo: dict) -> Any:
        from copy import deepcopy

        made = memo[id(self)] = Registry()
        for name, value in self.items():
            dict.__setitem__(made, deepcopy(name, memo), deepcopy(value, memo))
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (dict(self),)
