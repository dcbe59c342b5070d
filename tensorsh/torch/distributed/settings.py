"""Objects of named values, by which functions are told how they are to go."""

from __future__ import annotations

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
