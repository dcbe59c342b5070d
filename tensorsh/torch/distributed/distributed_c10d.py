"""``torch.distributed.distributed_c10d``: the module in which PyTorch defines process groups and collectives."""

from typing import Any

from . import __all__ as _names
from .groups import default_group as _get_default_group
from .groups import world as _world  # noqa: F401
from .starting import get_global_rank as _get_global_rank  # noqa: F401

__all__ = [name for name in _names if name not in ("DeviceMesh", "init_device_mesh")]


def _get_default_store() -> Any:
    """The keys that all processes share."""
    return _get_default_group().get_group_store()


def __getattr__(name: str) -> Any:
    from .. import distributed

    if name in _names:
        return getattr(distributed, name)
    raise AttributeError(f"module 'torch.distributed.distributed_c10d' has no attribute '{name}'")
