"""The vector path of PyTorch's normal numbers: sixteen or more contiguous elements, Box-Muller on blocks of sixteen.

In a block the first eight uniforms u give the radius R = sqrt(-2 log(1-u)), the last eight the angle T = 2 pi u; the
block becomes R cos T, R sin T. If the size is no multiple of 16, the last 16 positions are drawn and transformed again.

In float32 PyTorch uses its own polynomials with fused multiply-adds on every x86-64 machine since AVX2. A fused
multiply-add of float32 is a multiply and an add in float64, rounded to float32; that makes the numbers independent of
the machine this runs on. The work is done in pieces that stay in the second-level cache.
In float64 the functions are libm's, which numpy's own vector code does not reproduce; so they are called one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..kernels import compiled, kernel

_f4 = np.float32
_PIECE = 1 << 17  # values that are transformed at a time: enough for threads to share
_MASK24 = np.uint32(0xFFFFFF)
# m in [sqrt(1/2), sqrt(2)) and e with x = m * 2**e: subtract the bits of sqrt(1/2), so that the exponent field is e.
_SQRT_HALF = np.int32(np.array(0.70710678, _f4).view(np.int32))
_MANTISSA = np.int32(0x7FFFFF)
_LOG = tuple(
    float(_f4(c))
    for c in (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
              2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
)  # fmt: skip
_LOG_LOW, _LOG_HIGH = float(_f4(-2.12194440e-4)), 0.693359375
_PI_QUARTER = tuple(float(_f4(c)) for c in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8))
_COS = tuple(float(_f4(c)) for c in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2))
_SIN = tuple(float(_f4(c)) for c in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1))
_TWO_PI = _f4(2 * math.pi)
_FOUR_OVER_PI = _f4(1.27323954473516)

_compiled = kernel("normals")
"""All of it in one loop: words, result, mean, deviation."""
multiply_add = kernel("multiply_add")


def _fma(x: Any, y: Any, c: Any) -> np.ndarray:
    """float32(x * y + c) of whole numbers and values of float32."""
    return (x.astype(np.float64) * y + c).astype(_f4)


def _polynomial(x: np.ndarray, coefficients: tuple) -> np.ndarray:
    found: Any = coefficients[0]
    for c in coefficients[1:]:
        found = _fma(x, found, c)
    return found


def _radius(a: np.ndarray) -> np.ndarray:
    """sqrt(-2 log a) for a in (0, 1]."""
    bits = a.view(np.int32) - _SQRT_HALF
    e = bits >> 23
    m = ((bits & _MANTISSA) + _SQRT_HALF).view(_f4) - _f4(1)
    z = m * m
    y = _fma(_polynomial(m, _LOG) * m, z, (e * _LOG_LOW).astype(_f4))
    y = m + _fma(z, -0.5, y)
    return np.sqrt(_fma(e, _LOG_HIGH, y) * _f4(-2))


def _cos_sin(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """cos a and sin a for a in [0, 2 pi)."""
    j = (a * _FOUR_OVER_PI).astype(np.int32) + 1 & -2
    x = a
    for part in _PI_QUARTER:
        x = _fma(j, part, x)
    z = x * x
    cos = _fma(_polynomial(z, _COS) * z, z, z * _f4(-0.5)) + _f4(1)
    sin = _fma(_polynomial(z, _SIN) * z, x, x)
    # Octants: exchange sine and cosine where j & 2, negate the sine where j & 4, the cosine unless (j - 2) & 4.
    cos, sin = np.where(j & 2, sin, cos), np.where(j & 2, cos, sin)
    return np.where(j + 2 & 4, -cos, cos), np.where(j & 4, -sin, sin)


def _transformed(words: np.ndarray, mean: float, std: float) -> np.ndarray:
    """The normals that words become, in blocks of sixteen; 24 bits of each are used."""
    u = (words & _MASK24).astype(_f4).reshape(-1, 2, 8)
    r = _radius(u[:, 0] * _f4(-(2.0**-24)) + _f4(1))
    both = _cos_sin(u[:, 1] * _f4(2.0**-24) * _TWO_PI)
    return np.stack([_fma(part * r, std, mean) for part in both], 1).reshape(-1)


def _transform(part: np.ndarray, words: np.ndarray, mean: float, std: float) -> None:
    """Fill a part, whose size is a multiple of 16, with the normals that words become."""
    if _compiled is None or _compiled(words, part, mean, std) is None:
        part[...] = _transformed(words, mean, std)


def _blocks32(generator: Any, out: np.ndarray, mean: float, std: float) -> None:
    """Fill out, whose size is a multiple of 16, consuming one word an element."""
    for first in range(0, len(out), _PIECE):
        part = out[first : first + _PIECE]
        _transform(part, generator.words32(len(part)), mean, std)


def normal32(generator: Any, n: int, mean: float, std: float) -> np.ndarray:
    """n >= 16 normals in float32: n words, and 16 more if n is no multiple of 16."""
    if mean != 0.0 or std != 1.0:
        mean, std = float(_f4(mean)), float(_f4(std))
    out = np.empty(n, _f4)
    tail = n % 16
    if not tail:
        _blocks32(generator, out, mean, std)
        return out
    if n <= _PIECE:  # their words at once
        words = generator.words32(n + 16)
        _transform(out[:-tail], words[: n - tail], mean, std)
        _transform(out[-16:], words[-16:], mean, std)
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
    whole = n - n % 16
    values = generator.doubles(n)[:whole]
    if n == whole:
        return _box_muller64(values, mean, std)
    out = np.empty(n)
    out[:whole] = _box_muller64(values, mean, std)
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
