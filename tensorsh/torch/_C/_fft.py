"""``torch._C._fft``: the functions of ``torch.fft`` by the names that they call themselves."""

from __future__ import annotations

from typing import Any

from ...engine.loading.table import find_function


def __getattr__(name: str) -> Any:
    found = find_function("fft." + name[4:]) if name.startswith("fft_") else None
    if found is None:
        raise AttributeError(f"module 'torch._C._fft' has no attribute '{name}'")
    return found
