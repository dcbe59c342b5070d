"""Softmax over the elements that a sparse array keeps: those that it does not count as minus infinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import Coo, places
from .masks import looked_up


def groups(x: Coo, dim: int) -> tuple:
    """For each element the number of the line along `dim` that it is in, and how many lines there are."""
    kept = [d for d in range(x.sparse_dim) if d != dim]
    at = places(x.indices[kept], [x.shape[d] for d in kept])
    found, where = np.unique(at, return_inverse=True)
    return where, found.size


def added(values: Any, where: Any, count: int) -> Any:
    made = np.zeros((count, *values.shape[1:]), values.dtype)
    np.add.at(made, where, values)
    return made


def softmax(x: Coo, dim: int, logarithm: bool) -> Coo:
    x = x.coalesce()
    values = x.values.astype(np.float64)
    if dim >= x.sparse_dim:
        axis = dim - x.sparse_dim + 1
        shifted = values - values.max(axis, keepdims=True, initial=-np.inf)
        total = np.exp(shifted).sum(axis, keepdims=True)
    else:
        where, count = groups(x, dim)
        most = np.full((count, *values.shape[1:]), -np.inf, values.dtype)
        np.maximum.at(most, where, values)
        shifted = values - most[where]
        total = added(np.exp(shifted), where, count)[where]
    return x.with_values((shifted - np.log(total) if logarithm else np.exp(shifted) / total).astype(x.dtype))


def softmax_backward(g: Any, result: Coo, dim: int, logarithm: bool) -> Coo:
    given = looked_up(g, result.indices) if isinstance(g, Coo) else g[tuple(result.indices)]
    values = result.values
    terms = given if logarithm else given * values
    if dim >= result.sparse_dim:
        total = terms.sum(dim - result.sparse_dim + 1, keepdims=True)
    else:
        where, count = groups(result, dim)
        total = added(terms, where, count)[where]
    return result.with_values(given - np.exp(values) * total if logarithm else values * (given - total))
