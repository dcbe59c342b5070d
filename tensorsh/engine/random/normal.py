"""The vector path of PyTorch's normal numbers: sixteen or more contiguous elements, Box-Muller on blocks of sixteen.

In a block the first eight uniforms u give the radius R = sqrt(-2 log(1-u)), the last eight the angle T = 2 pi u; the
block becomes R cos T, R sin T. If the size is no multiple of 16, the last 16 positions are drawn and transformed again.

In float32 PyTorch uses its own polynomials with fused multiply-adds on every x86-64 machine since AVX2. A fused
multiply-add of float32 is a multiply and an add in float64, rounded to float32; that makes the numbers independent of
the machine this runs on. The work is done in pieces that stay in the second-level cache, in buffers that are reused.
In float64 the functions are libm's, which numpy's own vector code does not reproduce; so they are called one by one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays.parallel import each
from ..arrays.state import state
from ..kernels import compiled, kernel

_f4 = np.float32
_PIECE = 16384  # values of each kind (radius, angle) that are transformed at a time
_SHARED = 1 << 18  # from here on, pieces are shared among threads
_SMALL = 1248  # up to here, tables of the generator's current block are used
_ZERO = _f4(0)
_MASK24 = np.uint32(0xFFFFFF)
# m in [sqrt(1/2), sqrt(2)) and e with x = m * 2**e: subtract the bits of sqrt(1/2), so that the exponent field is e.
_SQRT_HALF = np.int32(np.array(0.70710678, _f4).view(np.int32))
_MANTISSA = np.int32(0x7FFFFF)
_LOG = tuple(
    float(_f4(c))
    for c in (
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    )
)
_LOG_LOW, _LOG_HIGH = float(_f4(-2.12194440e-4)), 0.693359375
_PI_QUARTER = tuple(float(_f4(c)) for c in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8))
_COS = tuple(float(_f4(c)) for c in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2))
_SIN = tuple(float(_f4(c)) for c in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1))
_TWO_PI = _f4(2 * math.pi)
_FOUR_OVER_PI = _f4(1.27323954473516)

_compiled = kernel("normals")
multiply_add = kernel("multiply_add")
"""The same in one loop: words, result, mean, deviation."""


def _low24(words: np.ndarray) -> np.ndarray:
    return (words & _MASK24).view(np.int32)


class _Buffers:
    """Scratch space for pieces of n radii and n angles."""

    __slots__ = ("n", "x", "z", "t", "y", "e", "a", "b", "c", "r", "i", "j")

    def __init__(self, n: int) -> None:
        self.n = n
        self.x, self.z, self.t, self.y, self.e = (np.empty(n) for _ in range(5))
        self.a, self.b, self.c, self.r = (np.empty(n, _f4) for _ in range(4))
        self.i, self.j = (np.empty(n, np.int32) for _ in range(2))


_buffers: list[_Buffers] = []


def _fma(y: np.ndarray, x: np.ndarray | float, c: np.ndarray | float, t: np.ndarray, single: np.ndarray) -> None:
    """y := float32(y * x + c), y being float64 that holds float32 values."""
    np.multiply(y, x, t)
    np.add(t, c, t)
    np.copyto(single, t, "same_kind")
    np.copyto(y, single)


def _radius(w: _Buffers) -> np.ndarray:
    """sqrt(-2 log a) for a in (0, 1], in w.r; overwrites w.a."""
    x, z, t, y, e, single, i, j = w.x, w.z, w.t, w.y, w.e, w.b, w.i, w.j
    bits = w.a.view(np.int32)
    np.subtract(bits, _SQRT_HALF, i)
    np.right_shift(i, 23, j)
    np.copyto(e, j)
    np.bitwise_and(i, _MANTISSA, bits)
    np.add(bits, _SQRT_HALF, bits)
    m = w.a
    np.subtract(m, _f4(1), m)
    np.copyto(x, m)
    np.multiply(m, m, w.r)
    np.copyto(z, w.r)
    np.multiply(x, _LOG[0], t)
    np.add(t, _LOG[1], t)
    np.copyto(single, t, "same_kind")
    np.copyto(y, single)
    for c in _LOG[2:]:
        _fma(y, x, c, t, single)
    np.multiply(single, m, single)
    np.copyto(y, single)
    np.multiply(e, _LOG_LOW, t)
    np.copyto(w.c, t, "same_kind")
    np.copyto(x, w.c)
    _fma(y, z, x, t, single)
    np.multiply(z, -0.5, t)
    np.add(t, y, t)
    np.copyto(single, t, "same_kind")
    np.add(m, single, single)
    np.copyto(y, single)
    np.multiply(e, _LOG_HIGH, t)
    np.add(t, y, t)
    r = w.r
    np.copyto(r, t, "same_kind")
    np.multiply(r, _f4(-2), r)
    return np.sqrt(r, r)


def _cos_sin(w: _Buffers) -> tuple[np.ndarray, np.ndarray]:
    """cos a and sin a for a in [0, 2 pi), in w.a and w.c."""
    x, z, t, y, single, i, j = w.x, w.z, w.t, w.y, w.b, w.i, w.j
    np.multiply(w.a, _FOUR_OVER_PI, single)
    np.copyto(j, single, "unsafe")
    np.add(j, 1, j)
    np.bitwise_and(j, -2, j)
    np.copyto(y, j)
    np.copyto(x, w.a)
    for part in _PI_QUARTER:
        np.multiply(y, part, t)
        np.add(t, x, t)
        np.copyto(single, t, "same_kind")
        np.copyto(x, single)
    s = single
    np.multiply(s, s, w.a)
    np.copyto(z, w.a)
    cos, zs = w.c, w.a
    np.multiply(z, _COS[0], t)
    np.add(t, _COS[1], t)
    np.copyto(cos, t, "same_kind")
    np.copyto(y, cos)
    _fma(y, z, _COS[2], t, cos)
    np.multiply(cos, zs, cos)
    np.copyto(y, cos)
    np.multiply(y, z, t)
    np.multiply(z, 0.5, y)
    np.subtract(t, y, t)
    np.copyto(cos, t, "same_kind")
    np.add(cos, _f4(1), cos)
    np.multiply(z, _SIN[0], t)
    np.add(t, _SIN[1], t)
    np.copyto(s, t, "same_kind")
    np.copyto(y, s)
    _fma(y, z, _SIN[2], t, s)
    np.multiply(s, zs, s)
    np.copyto(y, s)
    sin = w.a
    np.multiply(y, x, t)
    np.add(t, x, t)
    np.copyto(sin, t, "same_kind")
    # Octants: exchange sine and cosine where j & 2, negate the sine where j & 4, the cosine unless (j - 2) & 4.
    sine, cosine, swap = sin.view(np.int32), cos.view(np.int32), single.view(np.int32)
    np.left_shift(j, 30, i)
    np.right_shift(i, 31, i)
    np.bitwise_xor(sine, cosine, swap)
    np.bitwise_and(swap, i, swap)
    np.bitwise_xor(sine, swap, sine)
    np.bitwise_xor(cosine, swap, cosine)
    np.bitwise_and(j, 4, i)
    np.left_shift(i, 29, i)
    np.bitwise_xor(sine, i, sine)
    np.add(j, 2, j)  # the same bit as not (j - 2) & 4
    np.bitwise_and(j, 4, j)
    np.left_shift(j, 29, j)
    np.bitwise_xor(cosine, j, cosine)
    return cos, sin


def _radius_of_words(words: np.ndarray, w: _Buffers) -> np.ndarray:
    a = w.a
    a.reshape(words.shape)[...] = words
    np.multiply(a, _f4(-(2.0**-24)), a)
    np.add(a, _f4(1), a)
    return _radius(w)


def _cos_sin_of_words(words: np.ndarray, w: _Buffers) -> tuple[np.ndarray, np.ndarray]:
    a = w.a
    a.reshape(words.shape)[...] = words
    np.multiply(a, _f4(2.0**-24), a)
    np.multiply(a, _TWO_PI, a)
    return _cos_sin(w)


def polar_tables(words: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Radius, cosine and sine for each word: whichever of them the word will turn out to be needed for."""
    bits = _low24(words)
    w = _Buffers(len(bits))
    radius = _radius_of_words(bits, w).copy()
    return radius, *_cos_sin_of_words(bits, w)


def _transform32(words: np.ndarray, out: np.ndarray, w: _Buffers, mean: float, std: float) -> None:
    """Turn words [blocks, 2, 8] (int32, 24 bits used) into normals in out [blocks, 2, 8]."""
    r = _radius_of_words(words[:, 0], w)
    cos, sin = _cos_sin_of_words(words[:, 1], w)
    if std == 1.0 and mean == 0.0:
        blocks = (-1, 8)
        np.multiply(cos, r, cos)
        np.multiply(sin, r, sin)
        # The fused multiply-add with 1 and 0 only makes -0 a +0.
        np.add(cos.reshape(blocks), _ZERO, out[:, 0])
        np.add(sin.reshape(blocks), _ZERO, out[:, 1])
        return
    for k, part in enumerate((cos, sin)):
        np.multiply(part, r, part)
        np.copyto(w.t, part)
        np.multiply(w.t, std, w.t)
        np.add(w.t, mean, w.t)
        out[:, k] = w.t.reshape(out[:, k].shape)


def _blocks32(generator: Any, out: np.ndarray, mean: float, std: float) -> None:
    """Fill out, whose size is a multiple of 16, consuming one word an element."""
    n = len(out)
    if _compiled is None and n <= _SMALL:
        polar = generator.polar(n)
        if polar is not None:
            radius, cos, sin = (table.reshape(-1, 2, 8) for table in polar)
            blocks = out.reshape(-1, 2, 8)
            r = radius[:, 0]
            np.multiply(r, cos[:, 1], blocks[:, 0])
            np.multiply(r, sin[:, 1], blocks[:, 1])
            if std == 1.0 and mean == 0.0:
                np.add(out, _ZERO, out)
            else:
                wide = out.astype(np.float64)
                wide *= std
                wide += mean
                out[...] = wide
            return

    def transform(part: np.ndarray, words: np.ndarray) -> None:
        if _compiled is not None and _compiled(words, part, mean, std) is not None:
            return
        # Full pieces share sets of buffers; taking one from the list keeps threads apart.
        full = len(part) == 2 * _PIECE
        try:
            w = _buffers.pop() if full else _Buffers(len(part) // 2)
        except IndexError:
            w = _Buffers(_PIECE)
        _transform32(_low24(words).reshape(-1, 2, 8), part.reshape(-1, 2, 8), w, mean, std)
        if full and len(_buffers) < state.threads:
            _buffers.append(w)

    if n <= 2 * _PIECE:
        transform(out, generator.words32(n))
        return
    # The words are drawn one piece after the other; what is made of them may be made at once.
    parts = (out[i : i + 2 * _PIECE] for i in range(0, n, 2 * _PIECE))
    each(transform, ((part, generator.words32(len(part))) for part in parts), state.threads if n >= _SHARED else 1)


def normal32(generator: Any, n: int, mean: float, std: float) -> np.ndarray:
    """n >= 16 normals in float32: n words, and 16 more if n is no multiple of 16."""
    if mean != 0.0 or std != 1.0:
        mean, std = float(_f4(mean)), float(_f4(std))
    out = np.empty(n, _f4)
    tail = n % 16
    if not tail:
        _blocks32(generator, out, mean, std)
        return out
    _blocks32(generator, out[:-tail], mean, std)
    generator.words32(tail)
    _blocks32(generator, out[-16:], mean, std)
    return out


def normal16(generator: Any, n: int, mean: float, std: float, dtype: np.dtype) -> np.ndarray:
    """n >= 16 normals in half or bfloat16: computed in float32; the words of an incomplete block are never drawn."""
    mean, std = float(_f4(mean)), float(_f4(std))
    out = np.empty(n, dtype)
    whole = n - n % 16
    values = np.empty(whole, _f4)
    _blocks32(generator, values, mean, std)
    out[:whole] = values
    if n != whole:
        last = np.empty(16, _f4)
        _blocks32(generator, last, mean, std)
        out[-16:] = last
    return out


def fma(a: np.ndarray, b: float, c: float) -> np.ndarray:
    """a * b + c in float64 with one rounding: an exact product by splitting, then a two-sum."""
    if b == 1.0 and c == 0.0:
        return a + 0.0
    if c == 0.0:
        return a * b + 0.0
    if multiply_add is not None:
        return multiply_add(a, b, c)
    split = 134217729.0
    p = a * b
    high = split * a
    high -= high - a
    low = a - high
    t = split * b
    b_high = t - (t - b)
    b_low = b - b_high
    error = high * b_high - p
    error += high * b_low
    error += low * b_high
    error += low * b_low
    s = p + c
    z = s - p
    error += (p - (s - z)) + (c - z)
    s += error
    return s


def normal64(generator: Any, n: int, mean: float, std: float) -> np.ndarray:
    """n >= 16 normals in float64: two words an element, and 32 more words if n is no multiple of 16."""
    out = np.empty(n)
    whole = n - n % 16
    values = generator.doubles(n)[:whole]
    out[:whole] = _box_muller64(values, mean, std)
    if n != whole:
        out[-16:] = _box_muller64(generator.doubles(16), mean, std)
    return out


def _box_muller64(u: np.ndarray, mean: float, std: float) -> np.ndarray:
    if compiled is not None:
        return compiled.wide_normals(u, np.empty_like(u), mean, std)
    u = u.reshape(-1, 2, 8)
    half = u.size // 2
    logs = np.fromiter(map(math.log, (1.0 - u[:, 0]).ravel().tolist()), np.float64, half)
    radius = np.sqrt(-2.0 * logs).reshape(-1, 8)
    angles = ((2.0 * math.pi) * u[:, 1]).ravel().tolist()
    out = np.empty_like(u)
    np.multiply(radius, np.fromiter(map(math.cos, angles), np.float64, half).reshape(-1, 8), out[:, 0])
    np.multiply(radius, np.fromiter(map(math.sin, angles), np.float64, half).reshape(-1, 8), out[:, 1])
    return fma(out.reshape(-1), std, mean)
