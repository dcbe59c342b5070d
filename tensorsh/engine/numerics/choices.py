"""Elements that a mask chooses from two arrays: numpy's `where` jumps at each element, which costs ten times the work of a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.constants import INT64
from ..kernels import kernel, unsuited

choose: Any = kernel("choose", unsuited)
"""Elements of one array where a mask is true, of another elsewhere; None for arrays that it does not suit."""


def where(condition: Any, x: Any, y: Any) -> Any:
    """As np.where."""
    found = choose(condition, x, y)
    return np.where(condition, x, y) if found is None else found


_limited: Any = kernel("limited", unsuited)
LEAST, MOST = -(1 << 63), (1 << 63) - 1


def limited(x: Any, low: Any, high: Any) -> Any:
    """An array of int64 with elements not below `low` nor above `high`; None for other arrays, and where these are no whole numbers.
    A bound may be absent."""
    if type(x) is not np.ndarray or x.dtype is not INT64:
        return None
    return _limited(x, LEAST if low is None else int(low), MOST if high is None else int(high))
