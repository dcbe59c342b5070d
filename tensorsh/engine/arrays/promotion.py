"""Type promotion: the dtype of a result from the dtypes of its operands. numpy never decides.

Operands fall in three groups: tensors with dimensions, tensors without, Python numbers. A group counts only when its
category (bool < integer < float < complex) is above that of the groups before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .constants import ndarray
from .dtype import (
    BOOL,
    COMPLEX,
    COMPLEX_HALF,
    FLOAT,
    INTEGER,
    bfloat16,
    bool_,
    can_hold,
    complex32,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    of,
    uint8,
)
from .errors import fits_into
from .state import state

_UNSIGNED = {"uint16", "uint32", "uint64"}
_CHAIN = [int8, int16, int32, int64]


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that holds both, by PyTorch's lattice; RuntimeError where it has none."""
    if a is b:
        return a
    if a.itemsize == 1 and a.category == FLOAT or b.itemsize == 1 and b.category == FLOAT:
        raise RuntimeError(f"Promotion for Float8 Types is not supported, attempted to promote {a.short} and {b.short}")
    given = a, b
    if a.category > b.category:
        a, b = b, a
    if a.category == BOOL and b.name not in _UNSIGNED:
        return b
    if a.name in _UNSIGNED or b.name in _UNSIGNED:
        if b.category == FLOAT:
            return b
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {given[0].short} and {given[1].short}"
        )
    if b.category == INTEGER:
        if uint8 in (a, b):
            other = b if a is uint8 else a
            return int16 if other is int8 else other
        return _CHAIN[max(_CHAIN.index(a), _CHAIN.index(b))]
    if b.category == FLOAT:
        if a.category == INTEGER:
            return b
        if a.itemsize == b.itemsize:
            return float32
        return a if a.itemsize > b.itemsize else b
    if a.category != COMPLEX:
        return b if a.category == INTEGER else promote_types(a.to_complex(), b)
    return max(a, b, key=lambda d: d.itemsize)


def number_category(value: Any) -> int:
    """The category of a Python or numpy number."""
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, (int, np.integer)):
        return INTEGER
    if isinstance(value, (float, np.floating)):
        return FLOAT
    return COMPLEX


def number_dtype(category: int) -> dtype:
    """What a number of a category is by itself: int64, the default float, its complex."""
    if category == FLOAT:
        return state.default_dtype
    if category == COMPLEX:
        return state.default_dtype.to_complex()
    return int64 if category == INTEGER else bool_


_cache: dict[tuple, dtype] = {}


def result_type(operands: Any) -> dtype:
    """The common dtype of arrays and Python numbers.

    `operands`: arrays (with or without dimensions) and numbers; ``None`` is skipped."""
    kinds: list = [state.default_dtype]
    for x in operands:
        if type(x) is ndarray or hasattr(x, "ndim") and not isinstance(x, np.generic):
            kinds.append(complex32 if x.dtype is COMPLEX_HALF else x.dtype)  # which numpy takes for complex64
            kinds.append(x.ndim == 0)
        elif x is not None:
            kinds.append(type(x))
    key = tuple(kinds)
    found = _cache.get(key)
    if found is None:
        if len(_cache) > 5000:
            _cache.clear()
        found = _cache[key] = _result_type(operands)
    return found


def _result_type(operands: Any) -> dtype:
    groups: list[dtype | None] = [None, None]
    number = -1
    for x in operands:
        if x is None:
            continue
        if hasattr(x, "ndim") and not isinstance(x, np.generic):
            d = of(x)
            at = 1 if x.ndim == 0 else 0
            groups[at] = d if groups[at] is None else promote_types(groups[at], d)  # type: ignore[arg-type]
        else:
            number = max(number, number_category(x))
    result = groups[0]
    for lower in (groups[1], number_dtype(number) if number >= 0 else None):
        if lower is None:
            continue
        if result is None:
            result = lower
        elif lower.category > result.category:
            if lower.category == COMPLEX and result.category == FLOAT:
                # A complex operand of lower rank has the precision of the float above it.
                lower = result.to_complex()
            result = lower
    assert result is not None
    return result


def check_kept(target: Any, other: Any) -> None:
    """Raise PyTorch's error where what is written in place has not the shape, or not the dtype, of one operand."""
    shape = target._array.shape
    if other._array.shape == shape and other._array.dtype is target._array.dtype:
        return
    fits_into(shape, other._array.shape)
    fits_dtype(target.dtype, result_type([target._array, other._array]))


def fits_dtype(kind: Any, source: Any) -> None:
    """Raise PyTorch's error where a dtype cannot hold what another is made of."""
    if not can_hold(source, kind):
        raise RuntimeError(f"result type {source.short} can't be cast to the desired output type {kind.short}")


__all__ = ["promote_types", "result_type", "number_category", "number_dtype", 
           "bfloat16", "complex32", "complex64", "complex128", "float16", "float64"]  # fmt: skip
