"""``torch._C._linalg``: the functions of ``torch.linalg`` by the names that they call themselves."""

from __future__ import annotations

from typing import Any

from ...engine.loading.table import find_function


def __getattr__(name: str) -> Any:
    found = find_function("linalg." + name[7:]) if name.startswith("linalg_") else None
    if found is None:
        raise AttributeError(f"module 'torch._C._linalg' has no attribute '{name}'")
    return found
