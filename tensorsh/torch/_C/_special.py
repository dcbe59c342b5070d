"""``torch._C._special``: the functions of ``torch.special`` by the names that they call themselves."""

from __future__ import annotations

from typing import Any

from ...engine.loading.table import find_function


def __getattr__(name: str) -> Any:
    found = find_function("special." + name[8:]) if name.startswith("special_") else None
    if found is None:
        raise AttributeError(f"module 'torch._C._special' has no attribute '{name}'")
    return found
