"""``torch.jit._state``: whether `script` and `trace` make anything of what they are given. For plain Python alone."""

from __future__ import annotations

from typing import Any


class EnabledProxy:
    """A switch that is true or false."""

    enabled = True

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()
_script_classes: dict[type, Any] = {}


def enable() -> None:
    """Let `script` and `trace` make modules and functions of TorchScript's kinds."""
    _enabled.enabled = True


def disable() -> None:
    """Let `script` and `trace` give back what they are given."""
    _enabled.enabled = False
