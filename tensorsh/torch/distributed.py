"""``torch.distributed``: several processes. There is one here, and programs that ask are told so."""

from __future__ import annotations

from typing import Any

__all__ = ["get_rank", "get_world_size", "is_available", "is_initialized"]


def is_available() -> bool:
    """Whether several processes can work together: no."""
    return False


def is_initialized() -> bool:
    """Whether a group of processes was made: no."""
    return False


def get_rank(group: Any = None) -> int:
    """The number of this process; there is no group that it could be in."""
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def get_world_size(group: Any = None) -> int:
    """The number of processes; there is no group of them."""
    return get_rank(group)
