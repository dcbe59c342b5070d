"""Softmax over the elements that a sparse array keeps: those that it does not count as minus infinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.backend import fold_at
from .arrays import Coo, lines
from .folding import grouped, places
from .masks import looked_up


def groups(x: Coo, dim: int) -> tuple:
    """For each element the number of the line along `dim` that it is in, and how many lines there are."""
    kept = [d for d in range(x.sparse_dim) if d != dim]
    at = places(lines(x, kept), [x.shape[d] for d in kept])
    found, where = x.xp.unique(at, return_inverse=True)
    return where, found.size


def softmax(x: Coo, dim: int, logarithm: bool) -> Coo:
    xp, x = x.xp, x.coalesce()
    values = x.values.astype(np.float64)
    if dim >= x.sparse_dim:
        axis = dim - x.sparse_dim + 1
        # Beside it stands minus infinity: a line may have no elements.
        lowest = xp.full((*values.shape[:axis], 1, *values.shape[axis + 1 :]), -np.inf)
        shifted = values - xp.concatenate([lowest, values], axis).max(axis, keepdims=True)
        total = xp.exp(shifted).sum(axis, keepdims=True)
    else:
        where, count = groups(x, dim)
        most = xp.full((count, *values.shape[1:]), -np.inf, values.dtype)
        fold_at(xp, "maximum", most, where, values)
        shifted = values - most[where]
        total = grouped(xp.exp(shifted), where, count)[where]
    return x.with_values((shifted - xp.log(total) if logarithm else xp.exp(shifted) / total).astype(x.dtype))


def softmax_backward(g: Any, result: Coo, dim: int, logarithm: bool) -> Coo:
    xp = result.xp
    given = looked_up(g, result.indices) if isinstance(g, Coo) else g[tuple(result.indices)]
    values = result.values
    terms = given if logarithm else given * values
    if dim >= result.sparse_dim:
        total = terms.sum(dim - result.sparse_dim + 1, keepdims=True)
    else:
        where, count = groups(result, dim)
        total = grouped(terms, where, count)[where]
    return result.with_values(given - xp.exp(values) * total if logarithm else values * (given - total))
