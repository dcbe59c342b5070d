"""The arithmetic of optimizer steps, on the memory of the parameters itself.

Large arrays are worked through in pieces that stay in the cache, so that a step of several operations reads each array
once. PyTorch adds products with one rounding (a fused multiply-add); numpy has none, so float32 products are made and
added in double, which gives the same bits. That takes three times as long, and is left to parameters of ordinary size:
with large ones the gradients come from matrix products whose last bits differ from machine to machine anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

ndarray = np.ndarray
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
EXACT_PIECE = 16384
EXACT_SIZE = 4 * EXACT_PIECE
"""Parameters of up to so many elements are worked on in pieces that are computed exactly."""
FAST_PIECE = 2 * EXACT_PIECE


def pieces(*arrays: Any) -> Iterator[tuple]:
    """The arrays, or, where they are large, flat views of so many elements at a time."""
    first = arrays[0]
    size = first.size
    if size <= EXACT_PIECE or not all(type(a) is ndarray and a.flags.c_contiguous for a in arrays):
        yield arrays
        return
    flat = [a.reshape(-1) for a in arrays]
    piece = EXACT_PIECE if size <= EXACT_SIZE else FAST_PIECE
    for at in range(0, size, piece):
        yield tuple([a[at : at + piece] for a in flat])


def exact(x: Any) -> bool:
    return type(x) is ndarray and x.dtype is FLOAT32 and x.size <= EXACT_PIECE


def axpy(y: Any, x: Any, a: float) -> None:
    """``y += a * x``"""
    if exact(y):
        wide = x.astype(FLOAT64)
        wide *= float(FLOAT32.type(a))
        wide += y
        y[...] = wide
    else:
        y += np.multiply(x, y.dtype.type(a))


def plus(y: Any, x: Any, a: float) -> Any:
    """``y + a * x`` in new memory."""
    if exact(y):
        wide = x.astype(FLOAT64)
        wide *= float(FLOAT32.type(a))
        wide += y
        return wide.astype(FLOAT32)
    t = np.multiply(x, y.dtype.type(a))
    t += y
    return t


def addcmul(y: Any, x: Any, z: Any, a: float) -> None:
    """``y += (a * x) * z``"""
    if exact(y):
        wide = np.multiply(x if a == 1 else x * FLOAT32.type(a), z, dtype=FLOAT64)
        wide += y
        y[...] = wide
    else:
        t = np.multiply(x, y.dtype.type(a))
        t *= z
        y += t


def addcdiv(y: Any, x: Any, z: Any, a: float) -> None:
    """``y += (a * x) / z``"""
    t = np.multiply(x, y.dtype.type(a))
    t /= z
    y += t


def lerp(y: Any, x: Any, w: float) -> None:
    """``y += w * (x - y)``; from the other end for weights of a half and more, as PyTorch does."""
    t = x - y
    if w < 0.5:
        axpy(y, t, w)
    else:
        kind = y.dtype.type
        y[...] = plus(x, t, -(kind(1) - kind(w)))


def root(x: Any, eps: float) -> Any:
    """``sqrt(x) + eps``"""
    t = np.sqrt(x)
    t += t.dtype.type(eps)
    return t
