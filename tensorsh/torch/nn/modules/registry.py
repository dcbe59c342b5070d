"""What a module holds under names: its parameters, buffers and submodules, and its ``__dict__``.

The three dicts are what counts, as in PyTorch. Each also puts its entries among the module's own attributes, so that
``self.weight`` is an ordinary attribute and costs a tenth of a ``__getattr__``. Who reads ``module.__dict__`` does not see
these entries, and finds the tables of hooks, which no module has before somebody asks.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from ....sandbox.sealed import Sealed

_absent: Any = object()

REGISTRIES = ("_parameters", "_buffers", "_modules")
CALLED = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
)  # fmt: skip
"""The tables that a call of the module asks."""
TABLES = (
    *CALLED, "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
ORDER = (
    "training", "_parameters", "_buffers", "_non_persistent_buffers_set", *TABLES[:2], "_is_full_backward_hook", *TABLES[2:],
    "_modules",
)  # fmt: skip
"""How PyTorch's modules begin."""


def shown(name: Any) -> bool:
    """Whether an entry appears among the attributes: special names, which libraries look for, do not."""
    return type(name) is str and name[:2] != "__"


class Attributes(dict, metaclass=Sealed):
    """A module's ``__dict__``. Python looks attributes up in what it holds; who asks it sees what PyTorch's has."""

    __slots__ = ("__weakref__",)

    def _hides(self, name: Any) -> bool:
        """Whether a registry of this module shows an entry under the name."""
        value = dict.get(self, name, _absent)
        for kind in REGISTRIES if value is not _absent else ():
            table = dict.get(self, kind)
            if type(table) is Registry and table._shows_in(self) and table.get(name, _absent) is value:
                return True
        return name == "_hooked"

    def _plain(self) -> dict:
        """What is seen, without the tables that nobody asked for."""
        return {name: dict.__getitem__(self, name) for name in dict.keys(self) if not self._hides(name)}

    def _whole(self) -> dict:
        """What is seen, in PyTorch's order."""
        if dict.__contains__(self, "_parameters"):
            for name in ORDER:
                self.get(name)
        plain = self._plain()
        early = takewhile(lambda name: name != "training", list(plain))  # assigned before `super().__init__()`
        first = [*early, *ORDER] if "training" in plain else ORDER
        return {name: plain.pop(name) for name in first if name in plain} | plain

    def get(self, name: Any, default: Any = None) -> Any:
        if name in TABLES and dict.__contains__(self, "_parameters"):
            if name in CALLED:
                dict.__setitem__(self, "_hooked", True)
            return dict.setdefault(self, name, OrderedDict())
        if name == "_is_full_backward_hook" and dict.__contains__(self, "_parameters"):
            return dict.setdefault(self, name, None)
        return default if self._hides(name) else dict.get(self, name, default)

    def __getitem__(self, name: Any) -> Any:
        found = self.get(name, _absent)
        if found is _absent:
            raise KeyError(name)
        return found

    def __contains__(self, name: Any) -> bool:
        return self.get(name, _absent) is not _absent

    def __setitem__(self, name: Any, value: Any) -> None:
        if name in REGISTRIES:
            before = dict.get(self, name)
            for entry in list(before) if isinstance(before, dict) else ():
                if self._hides(entry):
                    dict.__delitem__(self, entry)
            if type(before) is Registry and before._shows_in(self):
                before._owner = None
            if type(value) is Registry:
                value._attach(self)
        elif name in CALLED:
            dict.__setitem__(self, "_hooked", True)
        dict.__setitem__(self, name, value)

    def __delitem__(self, name: Any) -> None:
        if self._hides(name):
            raise KeyError(name)
        dict.__delitem__(self, name)

    def setdefault(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name: Any, *default: Any) -> Any:
        return self.get(name, *default) if name not in self and default else (self[name], self.__delitem__(name))[0]

    def popitem(self) -> Any:
        name = list(self._plain())[-1]
        return name, self.pop(name)

    def clear(self) -> None:
        dict.clear(self)

    def update(self, *others: Any, **named: Any) -> None:
        for name, value in dict(*others, **named).items():
            self[name] = value

    def copy(self) -> dict:
        return self._whole()

    def keys(self) -> Any:
        return self._whole().keys()

    def values(self) -> Any:
        return self._whole().values()

    def items(self) -> Any:
        return self._whole().items()

    def __iter__(self) -> Iterator:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __eq__(self, other: object) -> bool:
        return self is other or self._whole() == other

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any) -> Any:
        return self._whole() | other

    def __ror__(self, other: Any) -> Any:
        return other | self._whole()

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(self._whole())

    def __deepcopy__(self, memo: dict) -> Any:
        from copy import deepcopy

        return deepcopy(self._plain(), memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (self._plain(),)


def holds(module: Any, name: str) -> bool:
    """Whether a module has an attribute of its own, or an entry that is one."""
    return dict.__contains__(module.__dict__, name)


def held(module: Any) -> dict:
    """All attributes of a module, entries that are some among them."""
    return dict(dict.items(module.__dict__))


def attributes(module: Any) -> Attributes:
    """A module's ``__dict__``, made one of its kind where Python, or a library, has given it a dict."""
    own = module.__dict__
    if type(own) is not Attributes:
        own = Attributes(own)
        object.__setattr__(module, "__dict__", own)
    return own


class Registry(dict, metaclass=Sealed):
    """A dict that keeps the attributes of its module in step."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any = None) -> None:
        self._owner: Any = None
        if isinstance(owner, Attributes):
            self._owner = weakref.ref(owner)
        elif isinstance(owner, dict):  # entries, of no module: what libraries make of one that they walk over
            dict.__init__(self, owner)
        elif owner is not None:
            raise TypeError(f"a module is expected, got {type(owner).__name__}")

    def _attach(self, owner: Attributes) -> None:
        """Show the entries among a module's attributes, unless they are another's."""
        if self._attributes() is None:
            self._owner = weakref.ref(owner)
            for name, value in self.items():
                if shown(name):
                    dict.__setitem__(owner, name, value)

    def _attributes(self) -> Any:
        return None if self._owner is None else self._owner()

    def _shows_in(self, owner: Attributes) -> bool:
        return self._owner is not None and self._owner() is owner

    def __setitem__(self, name: Any, value: Any) -> None:
        dict.__setitem__(self, name, value)
        own = self._attributes()
        if own is not None and shown(name):
            dict.__setitem__(own, name, value)

    def __delitem__(self, name: Any) -> None:
        dict.__delitem__(self, name)
        self._hide(name)

    def _hide(self, name: Any) -> None:
        own = self._attributes()
        if own is not None:
            dict.pop(own, name, None)

    def pop(self, name: Any, *default: Any) -> Any:
        if name in self:
            self._hide(name)
        return dict.pop(self, name, *default)

    def popitem(self) -> Any:
        name, value = dict.popitem(self)
        self._hide(name)
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
