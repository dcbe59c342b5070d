"""Products, rounded quotients and powers of arrays of one dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.dtype import is_half
from ..arrays.errors import not_implemented
from ..kernels import kernel, through, unsuited
from .complex import product, quotient, square
from .halves import FLOAT32, converted


def by_lines(ufunc: Any) -> Any:
    """A ufunc of two arrays, by kernels where they are rows and columns, or parts of arrays."""
    loop = kernel("Loop", lambda *how: unsuited)(2, ufunc, ufunc, ufunc, False)

    def computed(a: Any, b: Any) -> Any:
        found = loop(a, b)
        return ufunc(a, b) if found is None else found

    return computed


multiplied = by_lines(np.multiply)


def refuse_zeros(xp: Any, input: Any, other: Any) -> None:
    """RuntimeError: a whole number is divided by zero; where there are none, nothing is."""
    if xp is np and np.size(input) and np.count_nonzero(other) < np.size(other):
        raise RuntimeError("ZeroDivisionError")


def toward_zero(xp: Any, input: Any, other: Any) -> Any:
    """The quotient of integers rounded toward zero."""
    quotient = xp.floor_divide(input, other)
    return quotient + ((quotient < 0) & (quotient * other != input)).astype(quotient.dtype)


def rounded_quotient(xp: Any, input: Any, other: Any, mode: str) -> Any:
    kind = input.dtype.kind
    if kind == "c":
        raise not_implemented(f"div_{mode}_cpu", input)
    if kind == "b":
        raise not_implemented(f"div_{mode}_cpu", input)
    if kind in "iu":
        refuse_zeros(xp, input, other)
        return xp.floor_divide(input, other) if mode == "floor" or kind == "u" else toward_zero(xp, input, other)
    if mode == "floor" and (found := through("floor_divide", input, other)) is not None:
        return found
    quotient = xp.true_divide(input, other)
    if mode == "trunc":
        return xp.trunc(quotient)
    return xp.where(other == 0, quotient, xp.floor_divide(input, other))


def rounded_half_quotient(a: Any, b: Any, mode: str) -> Any:
    """The rounded quotient of an array of a half type, each step of it in that type, as PyTorch computes it, but for one number,
    by which it divides in float32; None for others."""
    if type(a) is not np.ndarray or not is_half(a.dtype):
        return None
    half = a.dtype
    if type(b) is np.ndarray and b.dtype == half:
        alone, b = b.size == 1, converted(b, FLOAT32)
    elif type(b) is float or type(b) is int:
        alone, b = True, np.float32(b)
    else:
        return None

    def step(x: Any) -> Any:
        return converted(converted(np.asarray(x), half), FLOAT32)

    wide = converted(a, FLOAT32)
    if alone:
        return converted(np.asarray(rounded_quotient(np, wide, b, mode)), half)
    quotient = step(wide / b)
    if mode == "trunc":
        return converted(np.trunc(quotient), half)
    rest = through("fmod", wide, b)
    rest = np.fmod(wide, b) if rest is None else rest
    found = step(step(wide - rest) / b)
    found = np.where((rest != 0) & ((b < 0) != (rest < 0)), step(found - 1), found)
    down = np.floor(found)
    down = np.where(found == 0, np.copysign(np.float32(0), quotient), down + (found - down > 0.5))
    return converted(np.where(b == 0, quotient, down), half)


def raised(xp: Any, base: Any, exponent: Any) -> Any:
    """``base ** exponent`` for operands of one dtype, by the shortest way for the usual exponents."""
    kind = base.dtype.kind
    if xp is np and not getattr(exponent, "ndim", 0) or isinstance(exponent, np.generic):
        if exponent == 2:
            return square(xp, base) if kind == "c" else xp.multiply(base, base)
        if exponent == 1:
            return base.copy("K") if getattr(base, "ndim", 0) else base + base.dtype.type(0)
        if kind in "fc":
            if exponent == 0:
                return xp.ones_like(base) if getattr(base, "ndim", 0) else base.dtype.type(1)
            if exponent == 3:
                return product(xp, product(xp, base, base), base)
            if exponent == 0.5:
                return xp.sqrt(base)
            if exponent == -1:
                return quotient(xp, base.dtype.type(1), base)
            if exponent == -2:
                return quotient(xp, base.dtype.type(1), product(xp, base, base))
            if exponent == -0.5:
                return base.dtype.type(1) / xp.sqrt(base)
    if kind in "iu":
        return integer_power(xp, base, exponent)
    if kind == "b":
        return xp.logical_or(base, xp.logical_not(exponent))
    if kind == "c":
        result = xp.power(base, exponent)
        return xp.where(exponent == 0, base.dtype.type(1), result)
    if (found := through("power", base, exponent)) is not None:
        return found
    if base.dtype == np.float32 and getattr(base, "size", 1) <= 20000:
        return xp.power(base.astype(np.float64), exponent.astype(np.float64)).astype(np.float32)
    return xp.power(base, exponent)


def integer_power(xp: Any, base: Any, exponent: Any) -> Any:
    """Powers of integers that wrap; negative exponents of a tensor give 0, but for bases 1 and -1."""
    one = base.dtype.type(1)
    if base.dtype.kind == "u" or xp is np and not np.count_nonzero(exponent < 0):
        return xp.power(base, exponent)
    positive = xp.power(base, xp.where(exponent < 0, 0 * one, exponent))
    inverse = xp.where(base == 1, one, xp.where(base == -1, xp.where(exponent % 2 == 0, one, -one), 0 * one))
    return xp.where(exponent < 0, inverse, positive)
