"""Transcendental functions and ``a * b + c`` rounded once, as PyTorch's loops have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.constants import EXACT_SIZE, FLOAT32, FLOAT64
from ..kernels import PRECISE, kernel, through
from .arithmetic import product
from .halves import computed

ndarray = np.ndarray


def rounded(ufunc: Any, x: Any) -> Any:
    """A transcendental function, for small float32 arrays computed in double and rounded."""
    dtype = x.dtype
    if (dtype is FLOAT32 or dtype is FLOAT64) and (precise := PRECISE.get(ufunc)) is not None:
        return precise(x)
    if dtype.itemsize == 2 and (precise := PRECISE.get(ufunc)) is not None:
        found = computed(precise, x)
        return ufunc(x) if found is None else found
    if dtype == FLOAT32 and x.size <= EXACT_SIZE:
        wide = x.astype(FLOAT64)
        return ufunc(wide).astype(FLOAT32)
    if dtype == np.complex64 and type(x) is ndarray:
        if (parts := PARTS.get(ufunc)) is not None:
            return in_parts(ufunc, parts, x)
        if x.size <= EXACT_SIZE:
            return ufunc(x.astype(np.complex128)).astype(np.complex64)
    return ufunc(x)


def log_of_one_more(xp: Any, x: Any) -> Any:
    """``log(1 + exp(x))``, each step rounded."""
    kind = x.dtype.type
    found = through("softplus", x, kind(1), kind(np.inf))
    return rounded(xp.log1p, rounded(xp.exp, x)) if found is None else found


def log_of_sigmoid(xp: Any, x: Any) -> Any:
    """``log(sigmoid(x))``, without overflow, each step rounded."""
    if (found := through("logsigmoid", x)) is not None:
        return found
    return xp.minimum(x, x.dtype.type(0)) - log_of_one_more(xp, -xp.absolute(x))


def in_parts(ufunc: Any, parts: Any, x: Any) -> Any:
    """A function of complex numbers as products of functions of their parts, each rounded, as C's library has it; what is not
    finite is numpy's."""
    a, b = np.ascontiguousarray(x.real), np.ascontiguousarray(x.imag)
    if ufunc is np.exp2:
        a, b = a * LN2, b * LN2
    found = np.empty(x.shape, x.dtype)
    (f, g), (u, v) = parts
    found.real, found.imag = rounded(f, a) * rounded(g, b), rounded(u, a) * rounded(v, b)
    if ufunc is np.cos:
        found.imag = -found.imag
    if not np.isfinite(found).all():
        wild = ~np.isfinite(found)
        found[wild] = ufunc(x[wild].astype(np.complex128)).astype(np.complex64)
    return found


LN2 = np.float32(0.6931471805599453)
EXPONENTIAL = ((np.exp, np.cos), (np.exp, np.sin))
PARTS = {
    np.exp: EXPONENTIAL, np.exp2: EXPONENTIAL, np.sin: ((np.sin, np.cosh), (np.cos, np.sinh)),
    np.cos: ((np.cos, np.cosh), (np.sin, np.sinh)), np.sinh: ((np.sinh, np.cos), (np.cosh, np.sin)),
    np.cosh: ((np.cosh, np.cos), (np.sinh, np.sin)),
}  # fmt: skip
"""The factors of the real and of the imaginary part: a function of the real part, one of the imaginary part."""


def fused(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` with one rounding, as PyTorch's loops have it; without kernels only of small float32 arrays."""
    x = a if type(a) is ndarray else c
    if type(x) is not ndarray or x.dtype not in FUSED:
        return (product(np, a, b) if type(x) is ndarray and x.dtype.kind == "c" else a * b) + c
    if multiply_add is not None:
        return multiply_add(a, b, c, dtype=x.dtype)
    if x is not a or x.dtype != FLOAT32 or x.size > EXACT_SIZE:
        return a * b + c
    return (a.astype(FLOAT64) * b + c).astype(FLOAT32)


FUSED = frozenset((FLOAT32, FLOAT64))
multiply_add = kernel("multiply_add")
