"""Transcendental functions and ``a * b + c`` rounded once, as PyTorch's loops have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.constants import EXACT_SIZE, FLOAT32, FLOAT64
from ..kernels import PRECISE, kernel, run

ndarray = np.ndarray


def rounded(ufunc: Any, x: Any) -> Any:
    """A transcendental function, for small float32 arrays computed in double and rounded."""
    dtype = x.dtype
    if dtype is FLOAT64:
        return ufunc(x)
    if dtype is FLOAT32 and (precise := PRECISE.get(ufunc)) is not None:
        return run(precise, x)
    if dtype == FLOAT32 and x.size <= EXACT_SIZE:
        wide = x.astype(FLOAT64)
        return ufunc(wide).astype(FLOAT32)
    if dtype == np.complex64 and x.size <= EXACT_SIZE:
        return ufunc(x.astype(np.complex128)).astype(np.complex64)
    return ufunc(x)


def fused(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` with one rounding, as PyTorch's loops have it; without kernels only of small float32 arrays."""
    x = a if type(a) is ndarray else c
    if type(x) is not ndarray or x.dtype not in FUSED:
        return a * b + c
    if multiply_add is not None:
        return multiply_add(a, b, c, dtype=x.dtype)
    if x is not a or x.dtype != FLOAT32 or x.size > EXACT_SIZE:
        return a * b + c
    return (a.astype(FLOAT64) * b + c).astype(FLOAT32)


FUSED = frozenset((FLOAT32, FLOAT64))
multiply_add = kernel("multiply_add")
