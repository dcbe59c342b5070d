"""Large arrays of half types: conversions, and functions computed in float32, by compiled kernels where there are any.

Without them, and for what is small or not contiguous, numpy and ml_dtypes convert: the numbers are the same."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np

from ..arrays.device import absent
from ..arrays.dtype import COMPLEX_HALF, UINT8, as_complex_half, is_half
from ..arrays.layout import laid_in_rows
from ..arrays.parallel import copied
from ..kernels import kernel, through, unsuited

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
BOOL, ZERO, WITHOUT_SIGN = np.dtype(np.bool_), np.float32(0), np.uint16(0x7FFF)
HALF, PAIRS = np.dtype(np.float16), frozenset(map(np.dtype, (np.float32, np.complex64)))
THROUGH_SINGLES = frozenset(map(np.dtype, ("f8", "u1", "i1", "i2", "i4", "i8", "c8", "c16")))
"""What half types become by way of float32, with the same numbers."""
SHORT = frozenset(map(np.dtype, ("?", "u1", "i1", "i2", "i4")))
"""What becomes half types by way of float32."""
MANY = 256
"""Up to this many elements numpy takes no longer than the way to a kernel."""

widened: Any = kernel("half_widened", unsuited)
narrowed: Any = kernel("half_narrowed", unsuited)
_computed: Any = kernel("half_computed")
mapped: Any = kernel("half_mapped", unsuited)
paired: Any = kernel("paired", unsuited)
NUMBERS = 1 << 16
"""Numbers that a half type has."""
SETTINGS = frozenset((int, float, bool, str, type(None)))


def in_rows(a: Any) -> Any:
    """An array with its elements in row order; itself where a copy would change the order of its dimensions."""
    if type(a) is not np.ndarray or a.flags.c_contiguous:
        return a
    last = a.strides[0]
    if not any(a.strides):  # one element
        return np.ascontiguousarray(a)
    for stride in a.strides:
        if not 0 < stride <= last:
            return a
        last = stride
    return copied(a)


def converted(a: Any, dtype: np.dtype) -> Any:
    """``a.astype(dtype)``."""
    if type(a) is np.ndarray and a.size > MANY and not a.flags.c_contiguous and (found := laid_in_rows(a)) is not None:
        return converted(found[0], dtype).transpose(found[1])
    if a.size > MANY:  # the usual ways first
        made = None
        if dtype is FLOAT32:
            made = widened(a) if a.dtype.itemsize == 2 else None
        elif a.dtype is FLOAT32 and dtype.itemsize == 2:
            made = narrowed(a, dtype)
        if made is not None:
            return made
    if a.size > MANY and (is_half(a.dtype) or is_half(dtype)):
        if dtype is BOOL and a.dtype.kind in "fV":
            return (a.view(np.uint16) & WITHOUT_SIGN) != 0
        if is_half(dtype):
            if a.dtype in SHORT and type(a) is np.ndarray:
                a = a.astype(FLOAT32)
            elif a.dtype.itemsize == 2 and a.dtype != dtype and a.dtype.kind in "fV":
                a = converted(a, FLOAT32)
            made = narrowed(in_rows(a), dtype)
        else:
            made = widened(in_rows(a)) if dtype == FLOAT32 or dtype in THROUGH_SINGLES else None
            if made is not None and dtype != FLOAT32:
                return made.astype(dtype)
        if made is not None:
            return made
    if dtype.itemsize == 2 and a.dtype == FLOAT64 and dtype.kind in "fV":
        a = a.astype(FLOAT32)  # as in PyTorch
    if a.size > MANY and dtype is BOOL and a.dtype is FLOAT32:
        return a != ZERO  # which numpy compares faster than it casts
    return a.astype(dtype)


def between_floats(a: Any, dtype: Any = None, device: Any = None, source: Any = None) -> Any:
    """A float array in row order as one of the other precision; None for other copies."""
    target = None if dtype is None else dtype.numpy
    if device is not None or target is a.dtype or (target is not FLOAT32 and target is not FLOAT64):
        return None
    return a.astype(target) if a.flags.c_contiguous else None


def complex_half(a: Any) -> Any:
    """An array as complex32, by kernels where it is one of float32, or of their pairs."""
    if type(a) is not np.ndarray or not a.ndim:
        return as_complex_half(a)
    if a.dtype.kind in "biufV" and a.dtype != FLOAT32:
        a = converted(a, FLOAT32)
    if a.dtype not in PAIRS:
        return as_complex_half(a)
    if a.dtype.kind == "c":
        a = np.ascontiguousarray(a)
        return converted(converted(a.view(FLOAT32), HALF), FLOAT32).view(COMPLEX_HALF).reshape(a.shape)
    made = paired(a, None, True)
    return as_complex_half(a) if made is None else made.view(COMPLEX_HALF)


def in_singles(run: Any, target: Any, values: Any, *places: Any, how: tuple = ()) -> Any:
    """What a kernel adds up or multiplies in places of an array of a half type, in float32, rounded at the end; not true for other
    arrays, and where the kernel does not take them."""
    dtype = target.dtype
    if dtype.itemsize != 2 or dtype.kind not in "fV" or type(target) is not np.ndarray or values.dtype != dtype:
        return None
    wide = converted(target, FLOAT32)
    if not run(wide, *places, converted(values, FLOAT32), *how):
        return None
    target[...] = converted(wide, dtype)
    return True


def gradients_in_singles(backward: Any) -> Any:
    """The gradients ``backward(g, needs, input, weight, *kept)`` of an input, a weight and a bias, for half types computed in float32,
    as what was kept is, and rounded at the end."""

    def run(g: Any, needs: Any, input: Any, weight: Any, *kept: Any) -> Any:
        if type(g) is not np.ndarray or not is_half(g.dtype):
            return backward(g, needs, input, weight, *kept)
        kinds = [input.dtype] + [(g if weight is None else weight).dtype] * 2
        wide = [x if x is None else converted(x, FLOAT32) for x in (g, input, weight)]
        found = backward(wide[0], needs, *wide[1:], *kept)
        return found and tuple([x if x is None else converted(x, k) for x, k in zip(found, kinds, strict=True)])

    return run


def number(a: Any, value: Any, exact: bool) -> Any:
    """A number as `computed` takes it with a large array of a half type: rounded to that type unless it is `exact`; None for
    other arrays."""
    if a.size <= MANY or not is_half(a.dtype) or _computed is None:
        return None
    value = np.asarray(value, np.float64)
    return (value if exact else value.astype(a.dtype)).astype(FLOAT32)


def by_singles(function: Any) -> Any:
    """A function that picks elements of an array, for large ones of a half type, in float32; None for others."""

    def compute(a: Any, *rest: Any) -> Any:
        if a.size <= MANY or type(a) is not np.ndarray or not is_half(a.dtype):
            return None
        found = function(converted(a, FLOAT32), *rest)
        if type(found) is tuple:
            return (found[0].astype(a.dtype), *found[1:])
        return found if found is None or found.dtype != FLOAT32 else found.astype(a.dtype)

    return compute


def computed(ufunc: Any, *arrays: Any) -> Any:
    """A ufunc of arrays of a half type, computed in float32 and rounded; None for what is not meant here."""
    first = arrays[0]
    if first.dtype.itemsize != 2 or first.dtype.kind not in "fV" or _computed is None:
        return None
    for a in arrays:
        if type(a) is not np.ndarray:
            return None
    for other in arrays:
        if other.ndim and other.shape != first.shape:
            break
    else:
        return _computed(ufunc, *map(in_rows, arrays)) if first.size > MANY else of_few(ufunc, arrays)
    both = np.broadcast(*arrays)
    if both.size <= MANY:
        return of_few(ufunc, arrays)
    if first.shape == both.shape:
        arrays = tuple([a if a.size > 1 else a.reshape(()) for a in arrays])
        if all(a.shape in ((), first.shape) for a in arrays):
            return _computed(ufunc, *map(in_rows, arrays))
    arrays = tuple([np.ascontiguousarray(np.broadcast_to(in_rows(a), both.shape)) for a in arrays])
    return _computed(ufunc, *map(in_rows, arrays))


def of_few(ufunc: Any, arrays: tuple) -> Any:
    """The same of small arrays."""
    found = np.asarray(ufunc(*[a if a.dtype is FLOAT32 else a.astype(FLOAT32) for a in arrays]))
    return found.astype(arrays[0].dtype) if found.dtype is FLOAT32 else found


def both_halves(ufunc: Any, a: Any, b: Any) -> Any:
    """A ufunc of two large arrays of one half type, computed in float32 and rounded; None for others."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray or a.dtype.kind not in "fV" or a.dtype != b.dtype:
        return None
    return computed(ufunc, a, b)


def by_kernel(name: str, operands: Any) -> Any:
    """For `same` of an operator: a kernel's ufunc of large arrays of a half type. `operands` gives its operands, arrays and
    numbers, for those of the operator, or None where these are not for it."""
    ufunc = kernel(name)

    def compute(a: Any, *rest: Any) -> Any:
        if ufunc is None or a.dtype.itemsize != 2 or type(a) is not np.ndarray or a.dtype.kind not in "fV":
            return None
        given = operands(a, *rest)
        if given is None:
            return None
        arrays = []
        for x in given:
            if type(x) is not np.ndarray:
                x = np.asarray(x, FLOAT32)
            elif x.dtype != a.dtype:
                return None
            arrays.append(x)
        return computed(ufunc, *arrays)

    compute.ufunc, compute.operands = ufunc, operands  # type: ignore[attr-defined]
    return compute


def slope_by_kernel(name: str, g: Any, input: Any, *numbers: Any) -> Any:
    """A kernel's ufunc of the gradient of a result, of arguments and of numbers, for arrays of one dtype of floats."""
    if type(g) is not np.ndarray or g.dtype != input.dtype:
        return None
    if is_half(g.dtype) and (ufunc := kernel(name)) is not None:
        return computed(ufunc, g, input, *[np.asarray(x, FLOAT32) for x in numbers])
    return through(name, g, input, *map(g.dtype.type, numbers))


@cache
def numbers_of(dtype: np.dtype) -> Any:
    """All numbers of a half type, in the order of their bits."""
    return np.arange(NUMBERS, dtype=np.uint16).view(dtype)


@lru_cache(16)
def table_of(op: Any, dtype: np.dtype, settings: tuple, shown: str) -> Any:
    """What an elementwise operator makes of each number of a half type. `shown` tells settings apart that are equal: 0.0 and -0.0."""
    found = op.calculate([numbers_of(dtype), *settings])
    return found if type(found) is np.ndarray and found.shape == (NUMBERS,) else None


def by_table(op: Any, before: Any = None) -> Any:
    """For `same` of an elementwise operator of one tensor that takes long: of a large array of a half type it is looked up in the
    table of all numbers. `before`: what `same` is for others."""
    if mapped is unsuited:
        return before

    def compute(a: Any, *settings: Any) -> Any:
        if type(a) is np.ndarray and is_half(a.dtype) and a.size > NUMBERS:
            if all(type(x) in SETTINGS for x in settings):
                table = table_of(op, a.dtype, settings, repr(settings))
                found = None if table is None else mapped(in_rows(a), table)
                if found is not None:
                    return found
        return None if before is None else before(a, *settings)

    return compute


def cast(array: Any, dtype: np.dtype) -> Any:
    """An array in another dtype; complex to real takes the real part."""
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        array = array.real
    return complex_half(array) if dtype is COMPLEX_HALF and not absent(array) else converted(whole(array, dtype), dtype)


def whole(array: Any, dtype: np.dtype) -> Any:
    """Floats of a GPU on the way to bytes as integers, which wrap around; its own conversion makes negative ones zero."""
    if type(array) is np.ndarray or dtype != UINT8 or array.dtype.kind not in "fV":
        return array
    return array.astype(np.int64)
