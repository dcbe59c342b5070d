"""Sums of rows by segments, in a fixed order: what sparse tensors and bags of embeddings add up."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .kernels import Elementwise


def summing(name: str, inputs: str, term: str) -> Elementwise:
    """Element j of segment s is the sum of `term` for k from ``starts[s]`` up to, but without, ``starts[s + 1]``; places beyond the
    `rest` rows are left out."""
    return Elementwise(
        f"{inputs}, raw int64 at, raw int64 starts, int64 width, int64 rest", "T total",
        "long long s = i / width, j = i % width, end = starts[s + 1]; total = T(0);"
        "for (long long k = starts[s]; k < end; k += 1)"
        f"  if (at[k] >= 0 && at[k] < rest) total = total + {term}",
        name, floats=False,
    )  # fmt: skip


PLAIN = summing("tensorsh_row_sums", "raw T rows", "rows[at[k] * width + j]")
WEIGHED = summing("tensorsh_weighed_row_sums", "raw T weights, raw T rows", "weights[k] * rows[at[k] * width + j]")


def row_sums(xp: Any, rows: Any, at: Any, starts: Any, weights: Any = None) -> Any:
    """The sums of ``rows[at[k]]`` (times ``weights[k]``) for the k of each segment, one after the other.

    rows: [n, ...]; starts: [S + 1], ascending; [S, ...] comes back. Half types are added up in single precision.
    """
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
    kernel(*given, *places, np.int64(prod(shape[1:])), np.int64(rows.shape[0]), made)
    return made.astype(kind, copy=False)
