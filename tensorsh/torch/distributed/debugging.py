"""How much is checked and told of collectives. Here ranks are compared at every call, whatever the level."""

from __future__ import annotations

import os
from typing import Any

from ...engine.arrays.state import state
from ...sandbox.sealed import Frozen

__all__ = ["DebugLevel", "get_debug_level", "set_debug_level", "set_debug_level_from_env"]


class DebugLevel(Frozen):
    """OFF, INFO or DETAIL."""

    __module__ = "torch.distributed"
    __slots__ = ("name", "value")
    OFF: Any
    INFO: Any
    DETAIL: Any

    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return f"<DebugLevel.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"DebugLevel.{self.name}"


LEVELS = {name: DebugLevel(name, i) for i, name in enumerate(("OFF", "INFO", "DETAIL"))}
DebugLevel.OFF, DebugLevel.INFO, DebugLevel.DETAIL = LEVELS.values()


def get_debug_level() -> DebugLevel:
    """The level that was set."""
    return state.__dict__.get("distributed_debug", DebugLevel.OFF)


def set_debug_level(level: DebugLevel) -> None:
    """Set the level."""
    state.__dict__["distributed_debug"] = level


def set_debug_level_from_env() -> None:
    """Set the level that TORCH_DISTRIBUTED_DEBUG names."""
    set_debug_level(LEVELS.get(os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper(), DebugLevel.OFF))
