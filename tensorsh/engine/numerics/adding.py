"""Sums in places of an array that may come twice, without numpy's slow general loop.

Half types are rounded with each sum or, told `once`, add up in float32 and are rounded at the end: PyTorch does the one for indices,
the other for slices along a dimension."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays.backend import fold_at
from ..arrays.dtype import is_half
from ..kernels import kernel, unsuited
from .halves import in_rows, in_singles

added_rows = kernel("added_rows", unsuited)


def add_at(xp: Any, target: Any, where: Any, values: Any, once: bool = False) -> None:
    """``target[where] += values`` where places may come twice; `where` as numpy takes it."""
    if xp is np and type(where) is np.ndarray:
        if where.dtype.kind == "b":
            target[where] += values
            return
        if target.ndim and target.size:
            values = np.broadcast_to(values, where.shape + target.shape[1:])
            if where.ndim > 1:
                where, values = where.reshape(-1), values.reshape(-1, *target.shape[1:])
            add_rows(target, where, values, once)
            return
    if xp is np and type(where) is tuple and add_between(target, where, values):
        return
    fold_at(xp, "add", target, where, values, not once)


def add_rows(target: Any, rows: Any, values: Any, once: bool = False) -> bool:
    """Add rows to an array's rows: sorted, so that equal ones are summed by one call. True."""
    n, half = rows.size, is_half(target.dtype)
    if half and not once:
        values = np.ascontiguousarray(values)
    if not n or added_rows(target, rows, values, 0, once):
        return True
    if once and in_singles(add_rows, target, values, rows):
        return True
    if n == 1:
        target[int(rows[0])] += values[0]
        return True
    if half or target.ndim == 1:
        fold_at(np, "add", target, rows, values, True)
        return True
    if rows.min() < 0:
        rows = np.where(rows < 0, rows + target.shape[0], rows)
    order = rows.argsort(kind="stable")
    ordered = rows[order]
    new = np.empty(n, bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    if new.all():
        target[rows] += values
        return True
    starts = np.flatnonzero(new)
    target[ordered[starts]] += np.add.reduceat(values[order], starts, axis=0)
    return True


def add_between(target: Any, where: tuple, values: Any) -> bool:
    """Add to the elements at whole numbers for neighbouring dimensions, the others taken whole; whether the index is one like that."""
    of_numbers = [k for k, part in enumerate(where) if type(part) is np.ndarray and part.dtype.kind in "iu"]
    if not of_numbers or not target.flags.c_contiguous or not target.size:
        return False
    first, end = of_numbers[0], of_numbers[-1] + 1
    others = [*where[:first], *where[end:]]
    if end - first != len(of_numbers) or not all(type(part) is slice and part == slice(None) for part in others):
        return False
    shape, place = target.shape, np.zeros((), np.int64)
    for n, part in zip(shape[first:end], where[first:end], strict=True):
        place = place * n + np.where(part < 0, part + n, part)
    merged = target.reshape(*shape[:first], -1, *shape[end:])
    values = np.broadcast_to(values, (*shape[:first], *place.shape, *shape[end:]))
    flat = values.reshape(*shape[:first], -1, *shape[end:])
    return add_along(np, merged, first, place.reshape(-1), flat)


def add_along(xp: Any, target: Any, dim: int, index: Any, source: Any, once: bool = False) -> bool:
    """Add slices to an array's slices along a dimension. True."""
    dim, source = dim % target.ndim, in_rows(source)
    if xp is np:
        if added_rows(target, index, source, dim, once):
            return True
        if once and in_singles(partial(add_along, np), target, source, dim, index):
            return True
    add_at(xp, xp.moveaxis(target, dim, 0), index, xp.moveaxis(source, dim, 0), once)
    return True
