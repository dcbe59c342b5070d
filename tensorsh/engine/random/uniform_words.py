"""Samplers that turn a Generator's words into numpy arrays, each consuming exactly the words that PyTorch consumes.

Every function takes the generator first and returns a new C-contiguous array in the order in which PyTorch's serial
loops visit memory. To fill an existing tensor in place, write the result through `in_memory_order(array)`, and say
`contiguous=False` to `normal` if the array is not C-contiguous: only contiguous tensors take the vector path.

A float32 uniform costs one word, a float64 uniform two; half types are float32 values rounded down in precision.
Doubles reach a half type through float32, as in C++, which sometimes rounds twice."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays.errors import unmet
from ..kernels import PRECISE, kernel, unsuited
from ..numerics.halves import converted
from .generator import MANY, Generator
from .normal import fma, normal16, normal32, normal64

F4, F8, C8, C16 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.complex64), np.dtype(np.complex128)
I4, I8 = np.dtype(np.int32), np.dtype(np.int64)
_REAL = {C8: F4, C16: F8}
_FEW = 64  # so many doubles are at hand one by one
_AT_ONCE = 4096  # elements that the kernel draws; of more the pieces of a formula in vectors are faster
_PIECE = 31200  # elements handled at a time, so that scratch space stays in the second-level cache

shuffled, distributed, by_chance = kernel("shuffled"), kernel("distributed", unsuited), kernel("by_chance", unsuited)
UNIFORM, EXPONENTIAL, CAUCHY, GEOMETRIC, NORMAL, LOG_NORMAL, REMAINDER, LONG_REMAINDER = range(8)
"""The distributions that the kernel knows, by their numbers there."""
SERIAL = (NORMAL, LOG_NORMAL)
"""Those that are made in pairs."""

Shape = int | tuple[int, ...]


def in_memory_order(array: np.ndarray, like: np.ndarray | None = None) -> np.ndarray:
    """The same memory with its axes sorted by stride, or as those of another array are: iterating it in C order is PyTorch's
    serial loop over it."""
    like = array if like is None else like
    if like.flags.c_contiguous or array.ndim < 2:
        return array
    strides = like.strides
    axes = sorted(range(array.ndim), key=lambda axis: -strides[axis])
    return array.transpose(axes)


def _count(shape: Shape) -> int:
    return shape if isinstance(shape, int) else math.prod(shape)


def _from_doubles(values: Any, shape: Shape, dtype: np.dtype) -> np.ndarray:
    """Doubles (a list or an array) as dtype, half types by way of float32."""
    if dtype is F4 or dtype is F8:
        out = np.array(values, dtype) if type(values) is list else values.astype(dtype, copy=False)
    else:
        out = np.array(values, F8)
        with np.errstate(over="ignore"):
            if dtype.kind in "fV":
                out = out.astype(F4)
            out = out.astype(dtype)
    return out.reshape(shape)


def few(generator: Generator, which: int, shape: Shape, dtype: Any, a: float, b: float, into: Any) -> Any:
    """A few numbers of a distribution by the kernel, written `into` an array where they can be; None where it is not for them."""
    n = _count(shape)
    if n > _AT_ONCE or distributed is unsuited or (which in SERIAL and (n % 2 or generator._normal is not None)):
        return None
    whole = dtype is I8 and which >= REMAINDER
    wide = dtype if whole or dtype is F4 or dtype is F8 else F4 if dtype.kind in "fV" else F8
    words = generator.words32(n if which == REMAINDER or (which == UNIFORM and wide is F4) else 2 * n)
    made = None if into is None or wide is not dtype else distributed(words, which, a, b, into)
    if made is None:
        made = distributed(words, which, a, b, np.empty(shape, wide))
    return made if wide is dtype else converted(made, dtype)


def uniform(
    generator: Generator, shape: Shape, dtype: Any = F4, low: float = 0.0, high: float = 1.0, into: Any = None
) -> np.ndarray:
    """`uniform_(low, high)`; with the defaults `rand`."""
    if (dtype is F4 or dtype is F8) and (made := few(generator, UNIFORM, shape, dtype, low, high, into)) is not None:
        return made
    n = _count(shape)
    if dtype is F4:
        unit = generator.floats(n)
        if low == 0.0 and high == 1.0:
            return unit.reshape(shape).copy() if n <= 9984 else unit.reshape(shape)
        return _scaled(unit, low, high).reshape(shape)
    dtype = np.dtype(dtype)
    if dtype is F8:
        unit = np.array(generator.double_list(n)) if n <= _FEW else generator.doubles(n)
        if low == 0.0 and high == 1.0:
            return unit.reshape(shape)
        out = fma(unit, high - low, low)
        out[out == high] = low
        return out.reshape(shape)
    if dtype is F4:
        return uniform(generator, shape, F4, low, high)
    if dtype.kind == "c":
        return uniform(generator, 2 * n, _REAL[dtype], low, high).view(dtype).reshape(shape)
    out = few(generator, UNIFORM, n, F4, low, high, None)
    if out is None:
        unit = generator.floats(n)
        out = unit if low == 0.0 and high == 1.0 else _scaled(unit, low, high)
    out = converted(out, np.dtype(dtype))
    at_top = out == np.asarray(np.float32(high)).astype(dtype)
    if np.count_nonzero(at_top):
        out[at_top] = np.float32(low)
    return out.reshape(shape)


def _scaled(unit: np.ndarray, low: float, high: float) -> np.ndarray:
    """unit * (high - low) + low in float32 with one rounding; the upper bound itself becomes the lower."""
    bottom, top = np.float32(low), np.float32(high)
    n = len(unit)
    span, start = float(top - bottom), float(bottom)
    if n <= _PIECE:
        wide = unit.astype(F8)
        wide *= span
        wide += start
        out = wide.astype(F4)
    else:
        out = np.empty(n, F4)
        wide = np.empty(_PIECE)
        for i in range(0, n, _PIECE):
            part = unit[i : i + _PIECE]
            buffer = wide[: len(part)]
            np.copyto(buffer, part)
            buffer *= span
            buffer += start
            np.copyto(out[i : i + _PIECE], buffer, "same_kind")
    at_top = out == top
    if np.count_nonzero(at_top):
        out[at_top] = bottom
    return out


def normal(
    generator: Generator, shape: Shape, dtype: Any = F4, mean: float = 0.0, std: float = 1.0, contiguous: bool = True
) -> np.ndarray:
    """`normal_(mean, std)`; with the defaults `randn`. Fewer than 16 elements, or a tensor that is not contiguous,
    come from the serial stream, others from the vector path: the two give different numbers."""
    n = _count(shape)
    if dtype is not F4:
        dtype = np.dtype(dtype)
        if dtype.kind == "c":
            real = normal(generator, 2 * n, _REAL[dtype], mean, std / math.sqrt(2.0), contiguous)
            return real.view(dtype).reshape(shape)
    if n < 16 or not contiguous:
        made = few(generator, NORMAL, shape, dtype, mean, std, None)
        return _from_doubles(_serial_normals(generator, n, mean, std), shape, dtype) if made is None else made
    if dtype is F4:
        found = normal32(generator, n, mean, std)
        return found if shape == found.shape else found.reshape(shape)
    if dtype is F8:
        return normal64(generator, n, mean, std).reshape(shape)
    return normal16(generator, n, mean, std, dtype).reshape(shape)


def _serial_normals(generator: Generator, n: int, mean: float, std: float) -> Any:
    values: Any = generator.normals(n) if n < MANY else generator.many_normals(n)
    if mean == 0.0 and std == 1.0:
        return values
    return fma(np.array(values, F8), std, mean)


library_exp, library_log1p, library_tan = (kernel("library_" + name) for name in ("exp", "log1p", "tan"))
"""The functions of C's library, which are Python's, on arrays of doubles; None without kernels."""


def log_normal(
    generator: Generator, shape: Shape, dtype: Any = F4, mean: float = 1.0, std: float = 2.0, into: Any = None
) -> np.ndarray:
    if (made := few(generator, LOG_NORMAL, shape, dtype, mean, std, into)) is not None:
        return made
    values = _serial_normals(generator, _count(shape), mean, std)
    powers = library_exp(values) if type(values) is np.ndarray and library_exp else [_exp(v) for v in values]
    return _from_doubles(powers, shape, dtype)


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def remainders(words: np.ndarray, divisor: int) -> np.ndarray:
    """What division by a number leaves: numpy has vectors for the quotient, and none for the remainder."""
    number = words.dtype.type(divisor)
    quotient = words // number
    quotient *= number
    return np.subtract(words, quotient, quotient)


def below(generator: Generator, modulus: int, shape: Shape, wide: bool, dtype: Any, into: Any = None) -> np.ndarray:
    """Numbers below a modulus, of 64-bit words where it is `wide`, made in pieces."""
    made = few(generator, LONG_REMAINDER if wide else REMAINDER, shape, dtype, modulus - 1, 0, into)
    if made is not None:
        return made
    n = _count(shape)
    out = np.empty(n, dtype)
    for i in range(0, n, _PIECE):
        part = out[i : i + _PIECE]
        words = generator.words64(len(part)) if wide else generator.words32(len(part))
        np.copyto(part, remainders(words, modulus).view(I8 if wide else I4), casting="unsafe")
    return out.reshape(shape)


def randint(generator: Generator, low: int, high: int, shape: Shape, dtype: Any = I8, into: Any = None) -> np.ndarray:
    """`randint(low, high)` and `random_(low, high)`: word modulo range; 64-bit words from a range of 2**28 on."""
    span = high - low
    if span >= 1 << 64:
        out = generator.words64(_count(shape)).view(I8).reshape(shape)
        low = 0
    elif span > 1 << 53:
        out = remainders(generator.words64(_count(shape)), span).view(I8).reshape(shape)
    else:
        straight = (dtype is F4 or dtype is F8 or dtype is I8) and not low
        out = below(generator, span, shape, span >= 1 << 28, dtype if straight else I8, into if straight else None)
    if low:
        out += np.int64(low)
    return out if out.dtype is dtype else converted(out, np.dtype(dtype))


# `random_()` without bounds: the modulus for each type; int64 and float64 take 64-bit words.
_MODULUS = {
    "float64": (1 << 53) + 1, "float32": (1 << 24) + 1, "float16": (1 << 11) + 1, "bfloat16": (1 << 8) + 1,
    "int64": 1 << 63, "int32": 1 << 31, "int16": 1 << 15, "int8": 1 << 7, "uint8": 1 << 8, "bool": 2,
}  # fmt: skip


@lru_cache(32)
def modulus_of(dtype: np.dtype) -> int:
    """One more than the largest integer of those that `random_` draws for a dtype."""
    return _MODULUS[dtype.name]


def random(generator: Generator, shape: Shape, dtype: Any, into: Any = None) -> np.ndarray:
    """`random_()` without bounds."""
    kind = dtype if dtype is F8 or dtype is F4 or dtype is I8 else F4 if dtype.kind in "fV" else I4
    out = below(generator, modulus_of(dtype), shape, dtype.itemsize == 8, kind, into)
    return out if kind is dtype else converted(out, dtype)


def randperm(generator: Generator, n: int, dtype: Any = I8) -> np.ndarray:
    """Fisher-Yates from the front, one word a swap; from 2**32 / 20 elements on inside-out with 64-bit draws."""
    if n < (1 << 32) // 20:
        if n < 2:
            return np.arange(n, dtype=np.int64).astype(dtype)
        words = generator.words32(n - 1)
        if shuffled is not None:
            return shuffled(np.arange(n), words).astype(dtype, copy=False)
        order = list(range(n))
        for i, word in enumerate(words.tolist()):
            j = i + word % (n - i)
            order[i], order[j] = order[j], order[i]
        return np.array(order, dtype)
    out = np.arange(n, dtype=dtype)
    piece = 1 << 16
    for start in range(0, n, piece):
        stop = min(start + piece, n)
        index = np.arange(start, stop, dtype=np.uint64)
        targets = (generator.words64(stop - start) % (index + np.uint64(1))).tolist()
        for i, j in zip(range(start, stop), targets, strict=True):
            out[i] = out[j]
            out[j] = i
    return out


def log1p_exactly(u: np.ndarray) -> np.ndarray:
    """log(1 + u) as C's library has it."""
    return library_log1p(u) if library_log1p else np.fromiter(map(math.log1p, u.tolist()), F8, u.size)


def exponential(generator: Generator, shape: Shape, dtype: Any = F4, rate: float = 1.0, into: Any = None) -> np.ndarray:
    factor = -1.0 / rate
    if (made := few(generator, EXPONENTIAL, shape, dtype, factor, 0.0, into)) is not None:
        return made
    u = generator.doubles(_count(shape))
    np.negative(u, u)
    # Another log1p differs from libm's in the last bit of the double, which a narrower type does not show.
    values = log1p_exactly(u) if dtype is F8 else PRECISE.get(np.log1p, np.log1p)(u, u)
    values *= factor
    return _from_doubles(values, shape, dtype)


def geometric(generator: Generator, shape: Shape, dtype: Any, p: float, into: Any = None) -> np.ndarray:
    if not 0.0 < p < 1.0:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    scale = math.log1p(-p)
    if (made := few(generator, GEOMETRIC, shape, dtype, scale, 0.0, into)) is not None:
        return made
    u = generator.doubles(_count(shape))
    with np.errstate(divide="ignore"):
        np.log(u, u)
    u /= scale
    return _from_doubles(np.ceil(u, u), shape, dtype)


def cauchy(
    generator: Generator, shape: Shape, dtype: Any = F4, median: float = 0.0, sigma: float = 1.0, into: Any = None
) -> np.ndarray:
    if (made := few(generator, CAUCHY, shape, dtype, median, sigma, into)) is not None:
        return made
    n = _count(shape)
    if library_tan is None:
        values: Any = [math.tan(math.pi * (u - 0.5)) for u in generator.double_list(n)]
    else:
        values = library_tan(math.pi * (generator.doubles(n) - 0.5))
    if math.isinf(median):
        return np.full(shape, median, np.dtype(dtype))
    return _from_doubles(fma(np.array(values, F8), sigma, median), shape, np.dtype(dtype))


def bernoulli(generator: Generator, p: np.ndarray, dtype: Any = None) -> np.ndarray:
    """`bernoulli(p)` with a probability for each element: float64 probabilities take two words each, others one."""
    n = p.size
    kind = p.dtype
    if kind is not F8:
        p = converted(p, F4)
    if dtype is None:
        dtype = kind
    if dtype is kind:
        words = generator.ahead()[: 2 * n if kind is F8 else n]
        made = by_chance(words, p, np.empty(p.shape, p.dtype))
        if made is not None:
            if n:
                generator.take(len(words))
            return made if p.dtype is kind else converted(made, kind)
    if n and not (p.min() >= 0 and p.max() <= 1):
        raise RuntimeError(unmet("p_in >= 0 && p_in <= 1"))
    units = generator.doubles(n) if kind is F8 else generator.floats(n)
    return converted(units.reshape(p.shape) < p, np.dtype(dtype))


def bernoulli_mask(generator: Generator, shape: Shape, p: float) -> np.ndarray:
    """The booleans of `bernoulli_(p)` with a Python number: two words each, whatever the dtype."""
    if not 0.0 <= p <= 1.0:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    n = _count(shape)
    if n <= _FEW:
        return np.array([u < p for u in generator.double_list(n)], np.bool_).reshape(shape)
    if n <= 1024:
        return (generator.doubles(n) < p).reshape(shape)
    # In integers: the 53 bits are below ceil(p * 2**53). The high 21 of them, the first word of each pair, nearly
    # always decide.
    bound = math.ceil(math.ldexp(p, 53))
    high, low = np.uint32(bound >> 32), np.uint32(bound & 0xFFFFFFFF)
    out = np.empty(n, np.bool_)
    for i in range(0, n, _PIECE):
        part = out[i : i + _PIECE]
        words = generator.words32(2 * len(part))
        top = words[0::2] & np.uint32(0x1FFFFF)
        np.less(top, high, part)
        if low:
            ties = np.flatnonzero(top == high)
            if len(ties):
                part[ties] = words[2 * ties + 1] < low
    return out.reshape(shape)


def dropout_noise(generator: Generator, shape: Shape, dtype: Any, p: float) -> np.ndarray:
    """What `dropout` multiplies its input with: 0, or 1 / (1 - p) rounded in dtype."""
    dtype = np.dtype(dtype)
    keep = 1.0 - p
    mask = bernoulli_mask(generator, shape, keep)
    if keep == 0.0:
        return np.zeros(shape, dtype)
    scale = (1.0 / np.float64(keep)) if dtype in (F8, C16) else np.float32(1) / np.float32(keep)
    if dtype is F4 and mask.size <= 1024:
        return np.multiply(mask, scale)
    out = converted(mask.view(np.uint8), dtype)
    out *= np.asarray(scale).astype(dtype)
    return out


@lru_cache
def bounds_of(dtype: np.dtype) -> tuple[int, int]:
    """The least and the largest value of a dtype of whole numbers."""
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def within_dtype(d: Any, low: int, high: int) -> None:
    """The bounds of random integers must be values of their dtype."""
    if d.category > 1:
        return
    least, most = bounds_of(d.numpy)
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {C_NAMES[d.name]}")


def within_range(d: Any, low: float, high: float) -> None:
    """The bounds of uniform numbers must be values of their dtype, and so must what is between them."""
    most, name = MOST.get(d.name, (0, ""))
    if not most or (-most <= low <= high <= most and high - low <= most):
        return
    for bound, value in (("from", low), ("to", high)):
        if not -most <= value <= most:
            raise RuntimeError(f"{bound} is out of bounds for {name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > most:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{d.short}>::max(), but found to={high:g} and from={low:g} which "
            "result in to-from to exceed the limit"
        )


MOST = {
    "float16": (65504.0, "c10::Half"), "bfloat16": (255 * 2.0**120, "c10::BFloat16"),
    "float32": (float(np.finfo(np.float32).max), "float"), "float64": (float(np.finfo(np.float64).max), "double"),
}  # fmt: skip
"""The largest value of a dtype, and the dtype's name in C++."""
C_NAMES = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short", "int32": "int", "int64": "long",
    "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long",
}  # fmt: skip
LONG_NAMES = {
    "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "uint16": "short unsigned int", "bool": "bool",
    "int32": "int", "int64": "long int", "uint32": "unsigned int", "uint64": "long unsigned int",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip
"""As the distributions name them."""
