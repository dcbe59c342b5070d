"""Folding values into places that may come twice: by atomic operations, for every dtype."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .kernels import Elementwise
from .sources import pieces

CODE = pieces(__file__)

FOLDS = {
    "add": "a + b",
    "multiply": "a * b",
    "maximum": "(a != a || a > b) ? a : b",
    "minimum": "(a != a || a < b) ? a : b",
}
"""What becomes of an element a and a value b. NaN wins."""
ALSO = {"logical_or": "maximum", "logical_and": "minimum"}

COMPARE_AND_SWAP = CODE["COMPARE_AND_SWAP"]


def folding(name: str) -> Elementwise:
    """``out[where[j]] = fold(out[where[j]], value)`` for rows of `inner` elements; places beyond `rows` are left out."""
    operation = (
        "long long row = where[i / inner];"
        "row = row < 0 ? row + rows : row;"
        f"if (row >= 0 && row < rows) fold_{name}(&out[row * inner + i % inner], values)"
    )
    return Elementwise(
        "T values, raw int64 where, int64 inner, int64 rows", "raw T out", operation, f"tensorsh_fold_{name}",
        preamble=COMPARE_AND_SWAP % {"name": name, "fold": FOLDS[name]}, floats=False,
    )  # fmt: skip


KERNELS = {name: folding(name) for name in FOLDS}


def fold(xp: Any, name: str, target: Any, where: Any, values: Any) -> None:
    """Fold `values` into ``target[where]``, in place; `where`: what numpy takes as an index."""
    if not target.flags.c_contiguous:
        whole = xp.ascontiguousarray(target)
        fold(xp, name, whole, where, values)
        target[...] = whole
        return
    name = ALSO.get(name, name)
    if not hasattr(where, "dtype") or where.dtype.kind == "b":
        # Any other index is turned into the numbers of the elements.
        where = xp.arange(target.size).reshape(target.shape)[where]
        target = target.reshape(-1)
    shape = where.shape + target.shape[1:]
    values = xp.broadcast_to(xp.asarray(values, target.dtype), shape)
    if not values.size:
        return
    inner, kind = prod(target.shape[1:]), target.dtype
    if kind.kind == "c":
        if name != "add":
            raise NotImplementedError(f"{name} of complex numbers at places that may come twice, on a GPU")
        real = values.real.dtype
        target, values, inner = target.view(real), xp.ascontiguousarray(values).view(real), inner * 2
    elif kind.kind == "b":
        target, values = target.view(np.uint8), xp.ascontiguousarray(values).view(np.uint8)
    rows = where.size and target.size // inner
    where = xp.ascontiguousarray(where.astype(np.int64, copy=False))
    KERNELS[name](values, where, np.int64(inner), np.int64(rows), target)
