"""Kernels of one block for each row: softmax, log_softmax, the layer, group and RMS norms, and their gradients.

A row need not lie in one piece: its elements are `inner` apart, as along any dimension of a contiguous array."""

from __future__ import annotations

from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from .kernels import Launch, Raw, dense, empty
from .sources import pieces

CODE = pieces(__file__)

FOLDS = CODE["FOLDS"]
"""The sum and the maximum over the threads of a block, told to all of them."""
SOFTMAX = Raw("tensorsh_softmax_rows", CODE["SOFTMAX"])
"""kind 0: softmax, 1: log_softmax, 2: softmax that is zero for a row of negative infinities."""
SOFTMAX_BACKWARD = Raw("tensorsh_softmax_rows_backward", CODE["SOFTMAX_BACKWARD"])
SOFTMAX_HELD = Raw("tensorsh_softmax_held", CODE["SOFTMAX_HELD"].replace("NONE", "A(-1) / A(0)"), PER=2)
"""As SOFTMAX, of rows that lie in one piece and are read once."""
NORM_HELD = Raw("tensorsh_norm_held", CODE["NORM_HELD"].replace("NONE", "A(0)"), PER=2)
"""As NORM, of rows that are read once."""


def held(dtype: np.dtype, n: int) -> tuple[int, int] | None:
    """How many threads hold a row that begins at an even place, and how often each 16 bytes of it; None for rows that are too
    long."""
    width = 16 // dtype.itemsize
    if n % width or n > 1024 * 4 * width:
        return None
    packs = n // width
    per = 1 if packs <= 512 else 2 if packs <= 1024 else 4
    return -(-packs // (32 * per)) * 32, per


NORM = Raw("tensorsh_norm_rows", CODE["NORM"])
"""given: 1 with a weight, 2 with a bias, 4 not centred, as in RMS norm."""
NORM_BACKWARD = Raw("tensorsh_norm_rows_backward", CODE["NORM_BACKWARD"])

NORM_WEIGHTS = Raw("tensorsh_norm_weights", CODE["NORM_WEIGHTS"])
"""The gradients of weight and bias (given: which are wanted, 1 and 2) of a chunk of rows each; 4 as for NORM."""


def threads(n: int) -> int:
    """How many threads work on a row."""
    return 32 if n <= 128 else 128 if n <= 1024 else 256 if n <= 8192 else 1024


@lru_cache(maxsize=2048)
def softmax_launch(array_class: type, dtype: np.dtype, shape: tuple, axis: int, kind: int, even: bool) -> Launch:
    n, inner, rows = shape[axis], prod(shape[axis % len(shape) + 1 :]), prod(shape) // shape[axis]
    form = held(dtype, n) if inner == 1 and even else None
    if form is not None:
        return Launch(SOFTMAX_HELD.launcher(dtype, PER=form[1]), rows, form[0], (n, np.int32(kind)))
    return Launch(SOFTMAX.launcher(dtype), rows, threads(n), (n, inner, np.int32(kind)))


def softmax(xp: Any, x: Any, axis: int, kind: int) -> Any:
    x = dense(x)
    y = empty(x.shape, x.dtype)
    how = softmax_launch(x.__class__, x.dtype, x.shape, axis, kind, not x.data.ptr % 16)
    how.launcher(how.blocks, how.threads, x, y, *how.numbers)
    return y


def softmax_backward(xp: Any, g: Any, result: Any, axis: int, kind: int) -> Any:
    if not g.ndim or not g.size:
        return g * 0
    g, r = dense(g), dense(result)
    y = empty(g.shape, g.dtype)
    n, inner = g.shape[axis], prod(g.shape[axis % g.ndim + 1 :])
    SOFTMAX_BACKWARD(g.dtype, g.size // n, threads(n), g, r, y, n, inner, np.int32(kind))
    return y


@cache
def exact(kind: Any) -> Any:
    """What a kernel computes in."""
    return np.dtype(np.float64 if kind == np.float64 else np.float32)


@lru_cache(maxsize=2048)
def norm_launch(
    array_class: type, dtype: np.dtype, size: int, n: int, inner: int, groups: int, eps: float, given: int, even: bool
) -> Launch:
    form = held(dtype, n) if inner == groups == 1 and even else None
    last = exact(dtype).type(eps), np.int32(given)
    if form is not None:
        return Launch(NORM_HELD.launcher(dtype, PER=form[1]), size // n, form[0], (n, *last))
    return Launch(NORM.launcher(dtype), size // n, threads(n), (n, inner, groups, *last))


def norm(
    xp: Any, x: Any, n: int, weight: Any, bias: Any, eps: float, kept: tuple, inner: int = 1, groups: int = 1,
    centred: bool = True,
) -> tuple:  # fmt: skip
    """Rows of n elements normalised; their means (None of what is not centred) and reciprocal deviations, in shape `kept`."""
    x, kind = dense(x), exact(x.dtype)
    y, rstd = empty(x.shape, x.dtype), empty(kept, kind)
    mean = empty(kept, kind) if centred else None
    w = x if weight is None else dense(weight)
    b = x if bias is None else dense(bias)
    given = (weight is not None) + 2 * (bias is not None) + 4 * (not centred)
    even = not (x.data.ptr | w.data.ptr | b.data.ptr) % 16
    how = norm_launch(x.__class__, x.dtype, x.size, n, inner, groups, eps, given, even)
    how.launcher(how.blocks, how.threads, x, w, b, y, mean if centred else rstd, rstd, *how.numbers)
    return y, mean, rstd


def norm_backward(
    xp: Any, g: Any, weight: Any, x: Any, mean: Any, rstd: Any, n: int, inner: int = 1, groups: int = 1
) -> Any:
    """The gradient of what was normalised."""
    g, x = dense(g), dense(x)
    w = x if weight is None else dense(weight)
    y = empty(x.shape, x.dtype)
    numbers = (n, inner, groups, np.int32((weight is not None) + 4 * (mean is None)))
    NORM_BACKWARD(x.dtype, x.size // n, threads(n), g, w, x, rstd if mean is None else mean, rstd, y, *numbers)
    return y
