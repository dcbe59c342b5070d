"""Memory that a program is to write to."""

from __future__ import annotations

from typing import Any

import numpy as np

from .state import state

FILLS = "utils.deterministic.fill_uninitialized_memory"


def blank(shape: Any, d: np.dtype) -> np.ndarray:
    """Memory that a program is to write to. It is handed out cleared: what an uninitialised tensor shows is not specified,
    and zeros leak nothing; of deterministic algorithms PyTorch specifies NaN, or the largest number."""
    if not state.deterministic or not state.__dict__.get("switches", {}).get(FILLS, True):
        return np.zeros(shape, d)
    if d.kind == "b":
        return np.ones(shape, d)
    return np.full(shape, np.iinfo(d).max if d.kind in "iu" else np.nan, d)


def assigned(array: Any) -> Any:
    """An array filled as `blank` fills."""
    array[...] = blank((), array.dtype)
    return array
