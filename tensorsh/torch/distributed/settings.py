"""Objects of named values: settings, and what lies in checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...sandbox.sealed import OpenSealed

plain: dict[type, type] = {}
"""The classes of records as `dataclasses` made them, which nobody sees."""


def record(**options: Any) -> Any:
    """A decorator: as that of `dataclasses`, of a class that programs cannot change."""

    def body(cls: type, home: str) -> dict:
        kept = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        return kept | {"__module__": home}

    def decorate(cls: Any) -> Any:
        bases = tuple(plain.get(base, base) for base in cls.__bases__)
        made = dataclass(
            type(cls.__name__, bases, body(cls, __name__)), **options
        )  # it looks up here what annotations name
        found = OpenSealed(cls.__name__, cls.__bases__, body(made, cls.__module__))
        plain[found] = made
        return found

    return decorate
