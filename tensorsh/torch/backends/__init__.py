"""``torch.backends``: what numpy and cupy stand for here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def disable_global_flags() -> None:
    """Settings of backends may be changed by contexts alone from now on; here they may be changed at any time."""


def flags_frozen() -> bool:
    """Whether settings may be changed by contexts alone."""
    return False


def context_of(module: str) -> Any:
    """The function `flags` of a backend: a context in which its settings have other values."""

    @contextmanager
    def flags(**values: Any) -> Iterator[None]:
        from ..root import torch

        space: Any = torch
        for part in ("backends." + module).split("."):
            space = getattr(space, part)
        known = {name: value for name, value in values.items() if hasattr(space, name)}
        before = {name: getattr(space, name) for name in known}
        for name, value in known.items():
            setattr(space, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(space, name, value)

    return flags
