"""Sums, means and running sums along neighbouring dimensions of a contiguous array: rows, columns, or all.

A sum of few rows, or of few columns, is made in parts, so that all of a GPU works on it. The last block of a sum to be ready,
which draws the last of its tickets, adds the parts, in their order."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ..arrays import cupy_module, device_guard
from ..arrays.backend import cupy
from .kernels import FLOATS, Launch, Raw, empty
from .rows import FOLDS, exact
from .sources import pieces

CODE = pieces(__file__)

BLOCKS = 1024
"""How many blocks are to work on a sum."""
ALONG = "k / piece * step + k % piece", "k"
ROWS = Raw("tensorsh_sum_rows", FOLDS + CODE["ROWS"], dtypes=(*FLOATS, "int64"), R="A", LAST=0, AT=ALONG[0])
"""The sum of each chunk of each row; R: the type of the result, A or T. LAST: the sums of the rows, by a block for each chunk.
AT: where the element k of a row lies, in pieces that are `step` apart, or in one."""
COLUMNS = Raw("tensorsh_sum_columns", CODE["COLUMNS"], dtypes=FLOATS, R="A", LAST=0)
"""As ROWS, of columns that are `inner` apart; blocks of 256 threads have 32 columns each."""
SCAN = Raw("tensorsh_running_sums", CODE["SCAN"], dtypes=(*FLOATS, "int64"))
"""Running sums of each chunk of each row; `before`: of the chunks, up to and with each."""


NO_PARTS = np.uint64(0), np.uint64(0)
"""No sums of parts, and no tickets."""


def parts_of(n: int, blocks: int, least: int) -> tuple[int, int]:
    """How long the chunks of a row are, a multiple of `least`, and how many: with `blocks` rows, as many as are to work."""
    wanted = max(1, BLOCKS // max(1, blocks))
    chunk = -(-n // (wanted * least)) * least
    return chunk, -(-n // chunk)


def threads(n: int) -> int:
    return 32 if n <= 256 else 128 if n <= 2048 else 256


_tickets: dict[tuple, Any] = {}
"""By device and stream, whose kernels follow one another: a zero for each sum that is made in parts."""


def tickets() -> Any:
    """The tickets of the current stream; None while a graph is captured, which others may launch beside it."""
    module = cupy()
    stream = module.cuda.get_current_stream()
    if stream.ptr and stream.is_capturing():
        return None
    key = cupy_module.array_class, stream.ptr, module.cuda.runtime.getDevice() if device_guard.several else None
    found = _tickets.get(key)
    if found is None:
        found = _tickets[key] = module.zeros(2 * BLOCKS, np.uint32)
    return found


@lru_cache(maxsize=2048)
def rows_launch(
    array_class: type, dtype: np.dtype, outer: int, n: int, count: int, piece: int, at_once: bool
) -> Launch:
    """at_once: the last block of a row that is ready adds its parts; else parts are what is made."""
    chunk, parts = parts_of(n, outer, 4096)
    last = parts > 1 and at_once
    launcher = ROWS.launcher(dtype, R="T" if at_once or parts == 1 else "A", LAST=int(last), AT=ALONG[piece == n])
    divided = exact(dtype).type(count if at_once or parts == 1 else 1)
    numbers = (n, chunk, parts, divided, piece, outer * piece)
    return Launch(launcher, outer * parts, threads(n) if parts == 1 else 256, numbers, parts)


def rows(x: Any, outer: int, n: int, count: int, shape: tuple, piece: int = 0) -> Any:
    """The sums of rows of n elements, divided by `count`, in a shape. piece: how many elements of a row lie together, pieces of all
    rows after one another; n where 0."""
    how = rows_launch(x.__class__, x.dtype, outer, n, count, piece or n, True)
    if how.parts == 1:
        y = empty(shape, x.dtype)
        how.launcher(how.blocks, how.threads, x, y, *NO_PARTS, *how.numbers)
        return y
    some, turns = empty(how.blocks, exact(x.dtype)), tickets()
    if turns is not None:
        y = empty(shape, x.dtype)
        how.launcher(how.blocks, how.threads, x, y, some, turns, *how.numbers)
        return y
    how = rows_launch(x.__class__, x.dtype, outer, n, count, piece or n, False)
    how.launcher(how.blocks, how.threads, x, some, *NO_PARTS, *how.numbers)
    return rows(some, outer, how.parts, count, shape).astype(x.dtype, copy=False)


@lru_cache(maxsize=2048)
def columns_launch(
    array_class: type, dtype: np.dtype, outer: int, n: int, inner: int, count: int, at_once: bool
) -> Launch:
    tiles = -(-inner // 32)
    chunk, parts = parts_of(n, outer * tiles, 512)
    whole = at_once or parts == 1
    launcher = COLUMNS.launcher(dtype, R="T" if whole else "A", LAST=int(parts > 1 and at_once))
    numbers = (n, inner, chunk, parts, tiles, exact(dtype).type(count if whole else 1))
    return Launch(launcher, outer * tiles * parts, 256, numbers, parts)


def columns(x: Any, outer: int, n: int, inner: int, count: int, shape: tuple) -> Any:
    """The sums of columns of n elements that lie `inner` apart, divided by `count`, in a shape."""
    how = columns_launch(x.__class__, x.dtype, outer, n, inner, count, True)
    if how.parts == 1:
        y = empty(shape, x.dtype)
        how.launcher(how.blocks, how.threads, x, y, *NO_PARTS, *how.numbers)
        return y
    some, turns = empty((outer, how.parts, inner), exact(x.dtype)), tickets()
    if turns is not None:
        y = empty(shape, x.dtype)
        how.launcher(how.blocks, how.threads, x, y, some, turns, *how.numbers)
        return y
    how = columns_launch(x.__class__, x.dtype, outer, n, inner, count, False)
    how.launcher(how.blocks, how.threads, x, some, *NO_PARTS, *how.numbers)
    return columns(some, outer, how.parts, inner, count, shape).astype(x.dtype, copy=False)


@lru_cache(maxsize=2048, typed=True)
def laid(shape: tuple, dim: Any, keepdim: bool) -> tuple[int, int, int, tuple, int] | None:
    """How many rows there are, the elements of each, how far they lie apart, the shape of their sums, and how many elements lie in
    one piece, where neighbouring dimensions are summed, or the first and the last ones; None for others and wrong ones."""
    ndim = len(shape)
    dims = tuple(range(ndim)) if dim is None or dim == () else (dim,) if type(dim) is int else dim
    if not all(-ndim <= d < ndim for d in dims):
        return None
    found = sorted({d % ndim for d in dims}) or [0]
    first, end = found[0], found[-1] + 1 if dims else 0
    if len(found) != max(1, len(dims)):
        return None
    if end - first == len(dims):
        kept = (*shape[:first], *(1,) * (end - first), *shape[end:]) if keepdim else shape[:first] + shape[end:]
        n = prod(shape[first:end])
        return prod(shape[:first]), n, prod(shape[end:]), kept, n
    between = [d for d in range(ndim) if d not in found]
    if first or end < ndim or between[-1] - between[0] >= len(between):
        return None
    kept = tuple(1 if d in found else n for d, n in enumerate(shape) if keepdim or d not in found)
    return prod(shape[d] for d in between), prod(shape[d] for d in found), 1, kept, prod(shape[between[-1] + 1 :])


KINDS = frozenset(map(np.dtype, FLOATS))


def suits(x: Any) -> bool:
    return (
        type(x) is cupy_module.array_class
        and not device_guard.several
        and x._c_contiguous
        and x.size > 0
        and x.dtype in KINDS
    )


def summed(averaged: bool) -> Callable:
    """The sum, or the mean."""

    def direct(input: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Any:
        if dtype is not None or not suits(input) or type(keepdim) is not bool:
            return None
        if dim is not None and type(dim) is not int:
            if type(dim) not in (tuple, list) or not all(type(d) is int for d in dim):
                return None
            dim = tuple(dim)
        found = laid(input.shape, dim, keepdim)
        if found is None:
            return None
        outer, n, inner, kept, piece = found
        count = n if averaged else 1
        if inner == 1:
            return rows(input, outer, n, count, kept, piece)
        return columns(input, outer, n, inner, count, kept)

    return direct


def cumsum(input: Any, dim: Any, dtype: Any = None) -> Any:
    """Running sums of rows."""
    if (
        dtype is not None
        or type(dim) is not int
        or not suits(input)
        or dim not in (-1, input.ndim - 1)
        or not input.ndim
    ):
        return None
    wide, n = exact(input.dtype), input.shape[-1]
    outer = input.size // n
    chunk, parts = parts_of(n, outer, 4096)
    before = y = empty(input.shape, input.dtype)
    if parts > 1:
        before = empty((outer, parts), wide)
        how = rows_launch(input.__class__, input.dtype, outer, n, 1, n, False)
        how.launcher(how.blocks, how.threads, input, before, *NO_PARTS, *how.numbers)
        SCAN(wide, outer, threads(parts), before, before, before, parts, parts, 1)
    elif wide != input.dtype:
        before = empty(1, wide)
    SCAN(input.dtype, outer * parts, 256, input, y, before, n, chunk, parts)
    return y


DIRECT: dict[str, Callable] = {"sum": summed(False), "mean": summed(True), "cumsum": cumsum}
