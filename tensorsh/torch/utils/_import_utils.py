"""``torch.utils._import_utils``: packages that may be there."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any


def _check_module_exists(name: str) -> bool:
    """Whether a module can be imported."""
    try:
        return find_spec(name) is not None
    except ImportError:
        return False


def import_dill() -> Any:
    """The package dill; None where it is not installed."""
    if not _check_module_exists("dill"):
        return None
    import dill

    return dill


dill_available = lambda: _check_module_exists("dill")  # noqa: E731
