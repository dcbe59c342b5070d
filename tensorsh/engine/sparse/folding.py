"""Values added up by groups, on the CPU and on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.backend import module_of
from ..arrays.cupy_module import accelerator
from ..arrays.extents import repeated


def places(indices: Any, sizes: Any) -> Any:
    """Coordinates as places in row order."""
    found = module_of(indices).zeros(indices.shape[1], np.int64)
    for row, n in zip(indices, sizes, strict=True):
        found *= int(n)
        found += row
    return found


def starts_of(lines: Any, count: int) -> Any:
    """Where the elements of each of `count` lines begin, given the lines of elements in ascending order; [count + 1]."""
    xp = module_of(lines)
    if xp is np:
        return np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=count))])
    return xp.searchsorted(lines, xp.arange(count + 1))


def line_of(starts: Any, nnz: int) -> Any:
    """The line of each of `nnz` elements, given where the lines begin; those beyond, which nobody may have looked at, are none."""
    xp = module_of(starts)
    if xp is np:
        return repeated(np.arange(starts.size - 1), np.diff(np.minimum(starts, starts[:1] + nnz)))
    return xp.searchsorted(starts, xp.arange(nnz), side="right") - 1


def grouped(values: Any, where: Any, count: int, in_order: bool = False) -> Any:
    """Values [n, ...] added up by the number of their group, one after the other: [count, ...]; `in_order`: the numbers ascend."""
    xp = module_of(values)
    if xp is np:
        made = np.zeros((count, *values.shape[1:]), values.dtype)
        np.add.at(made, where, values)
        return made
    order = xp.arange(where.size) if in_order else xp.argsort(where, kind="stable")
    return accelerator().row_sums(xp, values, order, starts_of(where if in_order else where[order], count))


def weighed_rows(weights: Any, rows: Any, at: Any, lines: Any, count: int, in_order: bool = False) -> Any:
    """For each of `count` lines the rows [n, m] at the places `at` of its elements times their weights, added up in the order of
    the elements: [count, m]; `in_order`: the lines ascend."""
    xp = module_of(weights)
    if xp is np:
        made = np.zeros((count, rows.shape[1]), weights.dtype)
        np.add.at(made, lines, weights[:, None] * rows[at])
        return made
    if not in_order:
        order = xp.argsort(lines, kind="stable")
        weights, at, lines = weights[order], at[order], lines[order]
    return weighed_lines(weights, rows, at, starts_of(lines, count))


def weighed_lines(weights: Any, rows: Any, at: Any, starts: Any) -> Any:
    """The same on a GPU, where it is known at which elements the lines start."""
    accelerator().outside(at, 0, rows.shape[0])
    return accelerator().row_sums(module_of(weights), rows, at, starts, weights)


def stretches(counts: Any) -> tuple:
    """For elements in stretches of these lengths: the number of the stretch of each, and its own within that."""
    xp = module_of(counts)
    starts = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(counts)])
    lines = line_of(starts, int(starts[-1].item()))
    return lines, xp.arange(lines.size) - starts[lines]
