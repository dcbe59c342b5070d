"""Objects of named values, by which functions are told how they are to go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...sandbox.sealed import OpenSealed


class Settings(metaclass=OpenSealed):
    """Named values, which are equal where they all are."""

    def _keep(self, values: dict[str, Any]) -> None:
        """Take the arguments of `__init__`."""
        self.__dict__.update((name, value) for name, value in values.items() if name not in ("self", "__class__"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


def record(**options: Any) -> Any:
    """A decorator: as that of `dataclasses`, of a class that programs cannot change."""

    def decorate(cls: Any) -> Any:
        home, cls.__module__ = cls.__module__, __name__  # where dataclasses look up what annotations name
        body = {k: v for k, v in vars(dataclass(cls, **options)).items() if k not in ("__dict__", "__weakref__")}
        return OpenSealed(cls.__name__, cls.__bases__, body | {"__module__": home})

    return decorate
