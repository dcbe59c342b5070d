"""Long lists of numbers, compared at once: `pytest.approx` asks of each element what it is, which takes longer than most tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def near(found: Sequence[float], expected: Sequence[float], rel: float = 1e-6, abs: float = 1e-12) -> bool:
    """Whether each number is as near to the expected one as `pytest.approx` asks: by the larger of both tolerances."""
    a, e = np.asarray(found, float), np.asarray(expected, float)
    if a.shape != e.shape:
        return False
    with np.errstate(invalid="ignore"):
        return bool(((a == e) | (np.isfinite(e) & (np.abs(a - e) <= np.maximum(rel * np.abs(e), abs)))).all())
