"""``torch.backends.opt_einsum``: the order in which einsum multiplies is its own."""

from __future__ import annotations

from typing import Any

from . import switching

SWITCHES = {"enabled": False, "strategy": None}


def is_available() -> bool:
    """Whether the package opt_einsum chooses the order: no."""
    return False


def get_opt_einsum() -> Any:
    return None


set_flags, flags = switching("opt_einsum", SWITCHES, {})
