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


def switching(module: str, settings: dict[str, Any], within: dict[str, Any]) -> tuple[Any, Any]:
    """The functions `set_flags` and `flags` of a backend: its settings changed in their order, and those of a context."""

    def set_flags(*values: Any, **named: Any) -> tuple[Any, ...]:
        """Give settings other values, where these are not None; the values that they had."""
        from ..root import torch

        space: Any = torch
        for part in ("backends." + module).split("."):
            space = getattr(space, part)
        before = tuple(getattr(space, name) for name in settings)
        given = dict(zip(settings, values, strict=False)) | {name.lstrip("_"): value for name, value in named.items()}
        for name in settings:
            if given.get(name) is not None:
                setattr(space, name, given[name])
        return before

    @contextmanager
    def flags(*values: Any, **named: Any) -> Iterator[None]:
        before = set_flags(**within | dict(zip(settings, values, strict=False)) | named)
        try:
            yield
        finally:
            set_flags(*before)

    return set_flags, flags
