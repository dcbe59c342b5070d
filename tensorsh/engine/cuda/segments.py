"""Folds of rows by segments, in a fixed order: what sparse tensors and bags of embeddings add up, and segment_reduce."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .kernels import Elementwise
from .sources import pieces

CODE = pieces(__file__)


def summing(name: str, inputs: str, term: str) -> Elementwise:
    """Element j of segment s is the sum of `term` for k from ``starts[s]`` up to, but without, ``starts[s + 1]``, of `many` in all;
    places beyond the `rest` rows are left out."""
    return Elementwise(
        f"{inputs}, raw int64 at, raw int64 starts, int64 width, int64 rest, int64 many", "T total",
        "long long s = i / width, j = i % width, begin = starts[s], end = starts[s + 1]; total = T(0);"
        "begin = begin < 0 ? 0 : begin; end = end > many ? many : end;"
        "for (long long k = begin; k < end; k += 1)"
        f"  if (at[k] >= 0 && at[k] < rest) total = total + {term}",
        name, floats=False,
    )  # fmt: skip


LARGEST = Elementwise(
    "raw T rows, raw int64 at, raw int64 starts, int64 width, int64 rest",
    "T best, int64 place",
    "long long s = i / width, j = i % width, end = starts[s + 1]; best = T(0); place = -1;"
    "for (long long k = starts[s]; k < end; k += 1)"
    "  if (at[k] >= 0 && at[k] < rest) {"
    "    T x = rows[at[k] * width + j];"
    "    if (place < 0 || x > best || (x != x && best == best)) { best = x; place = at[k]; } }",
    "tensorsh_row_maxima",
    floats=False,
)
"""The largest elements over the rows of a segment, and the number of the first row that has them; 0 and -1 where there is none."""
PLAIN = summing("tensorsh_row_sums", "raw T rows", "rows[at[k] * width + j]")
WEIGHED = summing("tensorsh_weighed_row_sums", "raw T weights, raw T rows", "weights[k] * rows[at[k] * width + j]")


def row_sums(xp: Any, rows: Any, at: Any, starts: Any, weights: Any = None) -> Any:
    """The sums of ``rows[at[k]]`` (times ``weights[k]``) for the k of each segment, one after the other.

    rows: [n, ...]; starts: [S + 1], ascending; [S, ...] comes back. Half types are added up in single precision."""
    kind = rows.dtype
    wide = np.dtype(np.float32) if kind.itemsize == 2 and kind.kind in "fV" else kind
    shape = (starts.size - 1, *rows.shape[1:])
    if not at.size or 0 in shape:
        return xp.zeros(shape, kind)
    given = [] if weights is None else [xp.ascontiguousarray(weights.astype(wide, copy=False))]
    given.append(xp.ascontiguousarray(rows.astype(wide, copy=False)))
    places = [xp.ascontiguousarray(x.astype(np.int64, copy=False)) for x in (at, starts)]
    made = xp.empty(shape, wide)
    kernel = PLAIN if weights is None else WEIGHED
    kernel(*given, *places, *map(np.int64, (prod(shape[1:]), rows.shape[0], at.size)), made)
    return made.astype(kind, copy=False)


def row_maxima(xp: Any, rows: Any, at: Any, starts: Any) -> tuple:
    """The largest of ``rows[at[k]]`` [M, width] for the k of each segment, and the rows they come from."""
    shape = (starts.size - 1, rows.shape[1])
    found = xp.zeros(shape, rows.dtype), xp.full(shape, -1, np.int64)
    if at.size and 0 not in shape:
        places = [xp.ascontiguousarray(x.astype(np.int64, copy=False)) for x in (at, starts)]
        LARGEST(xp.ascontiguousarray(rows), *places, np.int64(shape[1]), np.int64(rows.shape[0]), *found)
    return found


FOLDED = Elementwise(
    "raw T data, raw int64 offsets, int64 length, int64 segments, int64 width, int64 kind, T start, int64 given",
    "T result",
    CODE["FOLDED"],
    "tensorsh_segments",
)
"""data [outer, length, width] folded to [outer, segments, width]: kind 0 adds, 1 multiplies, 2 and 3 take the extreme."""
SPREAD = Elementwise(
    "raw T g, raw T data, raw T result, raw int64 offsets, int64 length, int64 segments, int64 width, int64 kind, T start",
    "raw T y",
    CODE["SPREAD"],
    "tensorsh_segments_spread",
)
"""The gradient: an extreme's is shared among the elements that are it, a product's comes from the other elements."""
KINDS_OF = {"sum": 0, "mean": 0, "prod": 1, "max": 2, "min": 3}
EMPTY = {"sum": 0.0, "mean": np.nan, "prod": 1.0, "max": -np.inf, "min": np.inf}
"""What a segment without elements gives."""


def laid(xp: Any, data: Any, offsets: Any) -> tuple:
    """The sizes that the kernels are told: the length and number of the segments, and the elements that stand together."""
    axis = offsets.ndim - 1
    return data.shape[axis], offsets.shape[-1] - 1, prod(data.shape[axis + 1 :])


def counts(xp: Any, offsets: Any, data: Any) -> Any:
    """How many elements the segments have, at least 1, to divide what has the shape of the result."""
    many = xp.maximum(xp.diff(offsets), 1).astype(data.dtype)
    return many.reshape(many.shape + (1,) * (data.ndim - offsets.ndim))


def segments(xp: Any, data: Any, offsets: Any, reduce: str, initial: Any) -> Any:
    if data.dtype.kind != "f":
        return None
    length, number, width = laid(xp, data, offsets)
    made = xp.empty((*offsets.shape[:-1], number, *data.shape[offsets.ndim :]), data.dtype)
    if made.size:
        kind = data.dtype.type
        start = EMPTY[reduce] if initial is None else initial
        sizes = [np.int64(n) for n in (length, number, width, KINDS_OF[reduce])]
        places = xp.ascontiguousarray(offsets.astype(np.int64, copy=False))
        FOLDED(xp.ascontiguousarray(data), places, *sizes, kind(start), np.int64(initial is not None), made)
    return made / counts(xp, offsets, data) if reduce == "mean" else made


def segments_spread(xp: Any, grad: Any, data: Any, result: Any, offsets: Any, reduce: str, initial: Any) -> Any:
    if data.dtype.kind != "f":
        return None
    length, number, width = laid(xp, data, offsets)
    made, kind = xp.zeros(data.shape, data.dtype), data.dtype.type
    if made.size and number:
        g = grad / counts(xp, offsets, data) if reduce == "mean" else grad
        arrays = [xp.ascontiguousarray(x.astype(data.dtype, copy=False)) for x in (g, data, result)]
        places = xp.ascontiguousarray(offsets.astype(np.int64, copy=False))
        sizes = [np.int64(n) for n in (length, number, width, KINDS_OF[reduce])]
        SPREAD(*arrays, places, *sizes, kind(1 if initial is None else initial), made, size=grad.size)
    return made


KERNELS: dict[str, Callable] = {"_segments": segments, "_segments_spread": segments_spread}
"""As in linalg.py: None for what the CPU is to do."""
