"""A Python number as an element of a dtype, where PyTorch demands that it fits.

Arithmetic with numbers wraps and rounds; filling, choosing and clamping refuse what a dtype cannot hold. Negative integers
are the complement of unsigned ones, infinity and NaN fit every dtype of floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .dtype import float_info

C_NAMES = {
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t", "uint16": "uint16_t",
    "uint32": "uint32_t", "uint64": "uint64_t", "float32": "float", "float64": "double", "float16": "c10::Half",
    "bfloat16": "c10::BFloat16", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip
LOOSE = dict(C_NAMES)
"""Names that say that half types take numbers beyond their range as infinite, as where tensors are subscripted."""
_limits: dict[np.dtype, tuple] = {}


def limits(target: np.dtype) -> tuple:
    """The smallest and the largest number of a dtype, and whether it is one of integers."""
    found = _limits.get(target)
    if found is None:
        if target.kind in "iu":
            info: Any = np.iinfo(target)
            found = int(info.min), int(info.max), True
        else:
            info = float_info(target.type(0).real.dtype if target.kind == "c" else target)
            found = float(info.min), float(info.max), False
        _limits[target] = found
    return found


def check_width(number: int) -> None:
    """OverflowError for a Python integer that PyTorch cannot take, of more than 64 bits."""
    if not -0x8000000000000000 <= number <= 0xFFFFFFFFFFFFFFFF:
        raise OverflowError("can't convert negative int to unsigned" if number < 0 else "int too big to convert")


def overflow(name: str) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {name} without overflow")


def not_integral(name: str) -> RuntimeError:
    """The error of a fraction that scales whole numbers."""
    return RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")


def converted(value: Any, target: np.dtype, names: Any = C_NAMES) -> Any:
    """The number as an element of a dtype; RuntimeError, with the type's name from `names`, when it does not fit."""
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is int:
        check_width(value)
    kind = target.kind
    if kind == "b":
        return bool(value)
    low, high, whole = limits(target)
    if isinstance(value, complex):
        if kind == "c":
            for part in (value.real, value.imag):
                if math.isfinite(part) and not low <= part <= high:
                    raise overflow(names.get(target.name, target.name))
            return value
        if value.imag:
            raise overflow(names.get(target.name, target.name))
        value = value.real
    if low <= value <= high:
        return int(value) if whole else float(value)
    if kind == "u" and type(value) is not float and -high <= value < 0:
        return value % (high + 1)
    if not whole and (value != value or value in (math.inf, -math.inf)):
        return value
    if not whole and names is LOOSE and target.itemsize == 2:
        return math.copysign(math.inf, value)
    raise overflow(names.get(target.name, target.name))
