"""The least and the greatest number of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import HUGE, apart
from ..kernels import kernel, unsuited

FEW = 64
"""Elements that are read one by one before a reduction of numpy's would begin."""
bounds = kernel("bounds", unsuited)


def of_floats(array: Any) -> Any:
    """The extremes of an array in any steps by a kernel, or None."""
    found = bounds(array)
    return bounds(array.ravel("K")) if found is None and not array.flags.c_contiguous and array.size < HUGE else found


def extremes(array: Any) -> tuple[Any, Any]:
    """The least and the greatest element."""
    if type(array) is np.ndarray:
        if array.size < FEW and array.dtype.kind in "iu":
            values = array.ravel().tolist()
            return min(values), max(values)
        found = of_floats(array)
        if found is not None:
            return found
    if array.size < HUGE:
        return array.min(), array.max()
    return apart(lambda: (array.min(), array.max()))
