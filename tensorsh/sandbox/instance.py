"""`x.__dict__` of an object that a script made: a mapping that takes no special names.

numpy and others ask any object for `__array_interface__` and believe the address that it gives; so no script may put
such a name into an object's variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .names import is_special, normalize
from .sealed import Sealed


class InstanceVariables(metaclass=Sealed):
    """`x.__dict__`: the instance's variables as a mapping that takes no special names."""

    __slots__ = ("_variables",)

    def __init__(self, variables: dict[str, Any]) -> None:
        self._variables = variables

    def _layout(self) -> dict[str, Any]:
        """What a notebook lays out in its place."""
        return self._variables

    def _key(self, name: Any) -> Any:
        name = normalize(name)
        if is_special(name):
            raise AttributeError(f"'{name}' cannot be a variable of an object in tensorsh")
        return name

    def __getitem__(self, name: str) -> Any:
        return self._variables[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._variables[self._key(name)] = value

    def __delitem__(self, name: str) -> None:
        del self._variables[name]

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def __repr__(self) -> str:
        return repr(self._variables)

    def __eq__(self, other: object) -> bool:
        return self._variables == (other._variables if isinstance(other, InstanceVariables) else other)

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any) -> dict[str, Any]:
        return self._variables | dict(other)

    def __ror__(self, other: Any) -> dict[str, Any]:
        return dict(other) | self._variables

    def keys(self) -> Any:
        return dict(self._variables).keys()

    def values(self) -> Any:
        return dict(self._variables).values()

    def items(self) -> Any:
        return dict(self._variables).items()

    def get(self, name: str, default: Any = None) -> Any:
        return self._variables.get(name, default)

    def copy(self) -> dict[str, Any]:
        return dict(self._variables)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        from copy import deepcopy

        return deepcopy(self._variables, memo)

    def pop(self, name: str, *default: Any) -> Any:
        return self._variables.pop(name, *default)

    def setdefault(self, name: str, default: Any = None) -> Any:
        return self._variables.setdefault(self._key(name), default)

    def update(self, *others: Any, **named: Any) -> None:
        for name, value in dict(*others, **named).items():
            self[name] = value

    def clear(self) -> None:
        self._variables.clear()
