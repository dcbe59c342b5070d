"""What the short ways of operators have in common: dtypes to compare with, numbers as arrays, rounded functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .device_guard import copied
from .numbers import check_width

ndarray = np.ndarray
asarray = np.asarray
array = np.array
FLOAT32, FLOAT64, INT64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)
UNUSUAL = frozenset(map(np.dtype, (np.bool_, np.uint16, np.uint32, np.uint64)))
"""Dtypes that operators of two tensors may have no kernel for in PyTorch."""
EXACT_SIZE = 20000
"""Up to this many elements a transcendental float32 function is computed in double and rounded, as near to PyTorch's
vector library as numpy gets; larger arrays use numpy's own float32 loops, which differ from it in the last bit.
The compiled kernels compute all in double."""

NUMBERS = (int, float, complex, np.number, np.bool_)
ABSENT: Any = type("Absent", (), {})()

np.seterr(all="ignore")  # As PyTorch, which never warns of divisions by zero or overflow.


def undispatched(function: Any) -> Any:
    """A numpy function for numpy's own arrays: it does not ask its arguments whether they have one of their own."""
    return getattr(function, "_implementation", function)


def settled(r: Any) -> Any:
    """A ufunc's result that is no numpy array: a numpy scalar, or another device's array."""
    return asarray(r) if isinstance(r, np.generic) else r


def fresh(r: Any) -> Any:
    """A copy of an array on its device, as an array also where numpy made a scalar of it."""
    if isinstance(r, (ndarray, np.generic)):
        return array(r)
    return copied(r)


class Constants(dict):
    """Python numbers as arrays of a dtype: a ufunc takes them in half the time. Zero is kept only where all are integers,
    for its sign."""

    def __init__(self, dtype: np.dtype, zero: bool = False) -> None:
        self.dtype = dtype
        self.zero = zero

    def __missing__(self, number: Any) -> Any:
        if type(number) is int:
            check_width(number)
        made = array(number, self.dtype)
        if (number or self.zero) and number == number:
            if len(self) > 4000:
                self.clear()
            made.setflags(write=False)
            self[number] = made
        return made


def constant(number: Any, dtype: np.dtype) -> Any:
    """A Python number as an array of float32 or float64."""
    if type(number) is int:
        return WHOLE32[number] if dtype is FLOAT32 else WHOLE64[number]
    return FLOATS32[number] if dtype is FLOAT32 else FLOATS64[number]


ZERO32, ZERO64 = array(0, FLOAT32), array(0, FLOAT64)
FLOATS32, FLOATS64, INTEGERS = Constants(FLOAT32), Constants(FLOAT64), Constants(INT64, True)
WHOLE32, WHOLE64 = Constants(FLOAT32, True), Constants(FLOAT64, True)
"""Python's integers as floats."""
