"""Questions to a device that nobody waits for: a kernel sets a flag, which is read when a value is next read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import bounds
from ..arrays.backend import cupy, device_of
from .kernels import Elementwise

OUTSIDE = Elementwise(
    "S index, int64 least, int64 end",
    "raw int32 flag",
    "if ((long long)index < least || (long long)index >= end) flag[0] = 1",
    "tensorsh_outside",
    floats=False,
)
_flags: dict[tuple, Any] = {}
_asked: dict[tuple, Any] = {}


def flag_of(array: Any) -> Any:
    """The flag of an array's device, which a kernel sets to 1 for a wrong value."""
    key = (cupy(), device_of(array).index)
    found = _flags.get(key)
    if found is None:
        with cupy().cuda.Device(key[1]):
            found = _flags[key] = cupy().zeros(1, np.int32)
    _asked[key] = found
    bounds._flagged[:] = [answered]
    return found


def outside(index: Any, least: int, end: int) -> None:
    """Ask whether all numbers of an index are from `least` up to, but without, `end`."""
    OUTSIDE(index, np.int64(least), np.int64(end), flag_of(index))


def answered() -> bool:
    """Whether a flag was set since this was last asked."""
    asked = list(_asked.values())
    _asked.clear()
    wrong = [flag for flag in asked if flag.get()[0]]
    for flag in wrong:
        with flag.device:
            flag.fill(0)
    return bool(wrong)
