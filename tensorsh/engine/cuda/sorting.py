"""What sorts, searches and accumulates extrema on a device, without asking it anything."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..ops.reductions.sorting import order, ranked
from .kernels import Elementwise

SEARCH = Elementwise(
    "raw T sorted, T value, int64 n, int64 each, int64 right",
    "int64 place",
    "long long low = i / each * n, end = low + n, start = low;"
    "while (start < end) {"
    "  long long at = start + (end - start) / 2; T there = sorted[at];"
    "  if (right ? !(there > value) : !(there >= value)) start = at + 1; else end = at; }"
    "place = start - low",
    "tensorsh_search",
    floats=False,
)
"""Where values go in sorted rows of n, `each` values to a row: before their equals, or after them (`right`)."""
RUNNING = Elementwise(
    "raw T x, raw int64 at, int64 n, int64 inner, int64 shift, int64 least",
    "T y, int64 place",
    "y = x[i]; place = at[i];"
    "if (i / inner % n >= shift) { T before = x[i - shift * inner]; bool later = least ? y <= before : y >= before;"
    "  if (!later && y == y) { y = before; place = at[i - shift * inner]; } }",
    "tensorsh_running",
    floats=False,
)
"""One step of a scan for extrema and where they stand: of equal ones the last, and the last NaN. `shift` doubles."""


def searched(xp: Any, sequence: Any, values: Any, right: bool) -> Any:
    """Places in the sorted innermost dimension, by PyTorch's bisection."""
    n = sequence.shape[-1]
    each = prod(values.shape) if sequence.ndim == 1 else values.shape[-1]
    if not values.size or not n:
        return xp.zeros(values.shape, np.int64)
    number = np.int64
    rows = xp.ascontiguousarray(sequence)
    return SEARCH(rows, values, number(n), number(max(1, each)), number(right))


def running(xp: Any, x: Any, axis: int, least: bool) -> tuple:
    """The extrema so far along an axis, and where they stand; a launch for each doubling of the stretch looked at."""
    n, inner = x.shape[axis], prod(x.shape[axis + 1 :])
    x = xp.ascontiguousarray(x)
    places = xp.arange(n).reshape((-1,) + (1,) * (x.ndim - 1 - axis))
    at = xp.ascontiguousarray(xp.broadcast_to(places, x.shape))
    number, shift = np.int64, 1
    while shift < n and x.size:
        found = xp.empty_like(x), xp.empty_like(at)
        RUNNING(x, at, number(n), number(inner), number(shift), number(least), *found)
        x, at = found
        shift *= 2
    return x, at


def extrema(least: bool) -> Callable:
    """cummax and cummin."""

    def kernel(xp: Any, input: Any, dim: int) -> Any:
        if input.dtype.kind not in "fiub" or not input.ndim or not -input.ndim <= dim < input.ndim:
            return None
        if input.dtype.kind != "b":
            return running(xp, input, dim % input.ndim, least)
        values, places = running(xp, input.astype(np.int8), dim % input.ndim, least)
        return values.astype(bool), places

    return kernel


def logcumsumexp(xp: Any, input: Any, dim: int) -> Any:
    if input.dtype.kind != "f" or not input.size or not input.ndim or not -input.ndim <= dim < input.ndim:
        return None
    sums, shift = xp.moveaxis(input.astype(np.float64), dim, 0), 1
    while shift < len(sums):
        sums = xp.concatenate([sums[:shift], xp.logaddexp(sums[shift:], sums[:-shift])])
        shift *= 2
    return xp.moveaxis(sums, 0, dim).astype(input.dtype)


def topk(xp: Any, input: Any, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    fits = input.ndim and -input.ndim <= dim < input.ndim and input.dtype.kind in "fiuV"
    if not fits or not isinstance(k, (int, np.integer)) or not 0 <= k <= input.shape[dim]:
        return None
    axis = dim % input.ndim
    places = order(xp, input, axis, bool(largest))[(slice(None),) * axis + (slice(int(k)),)]
    return xp.take_along_axis(input, places, axis), xp.ascontiguousarray(places)


def kthvalue(xp: Any, input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    fits = input.ndim and -input.ndim <= dim < input.ndim and input.dtype.kind in "fiuV"
    return ranked(xp, input, dim % input.ndim, k - 1, keepdim) if fits and 1 <= k <= input.shape[dim] else None


def mode(xp: Any, input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The longest run of the sorted elements, the first of several, and the place of its last."""
    if not input.ndim or not input.size or input.dtype.kind not in "fiub" or not -input.ndim <= dim < input.ndim:
        return None
    axis = dim % input.ndim
    rows = xp.ascontiguousarray(xp.moveaxis(input, axis, -1))
    places = order(xp, rows, rows.ndim - 1)
    in_order = xp.take_along_axis(rows, places, -1)
    number = xp.arange(rows.shape[-1])
    starts = xp.ones(rows.shape, bool)
    starts[..., 1:] = in_order[..., 1:] != in_order[..., :-1]
    first = running(xp, xp.where(starts, number, 0), rows.ndim - 1, False)[0]
    end = (number - first).argmax(-1)[..., None]
    indices = xp.take_along_axis(places, end, -1)
    values = xp.take_along_axis(rows, indices, -1)
    if keepdim:
        return xp.moveaxis(values, -1, axis), xp.moveaxis(indices, -1, axis)
    return values[..., 0], indices[..., 0]


KERNELS: dict[str, Callable] = {
    "topk": topk, "kthvalue": kthvalue, "mode": mode, "cummax": extrema(False), "cummin": extrema(True),
    "logcumsumexp": logcumsumexp,
}  # fmt: skip
"""As in linalg.py: None for what the CPU is to do, above all to refuse."""
