"""Plans for sums of few numbers, in as few calls of numpy as there can be; see sums.py for the orders they follow.

A running sum (`accumulate`) costs numpy half as much as a reduction, and its last element is the same sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Plan = Callable[[np.ndarray], np.ndarray]

_add: Any = np.add
_reduce: Any = np.add.reduce
_accumulate: Any = np.add.accumulate
_array: Any = np.array
_concatenate: Any = np.concatenate

PAIRWISE = 8
"""Fewer floats than this numpy's reduction adds one after the other, also along the fastest axis."""


def fold(v: np.ndarray) -> np.ndarray:
    """Sum [..., n, lanes] over n, one after the other; at least two lanes, and they are faster than n."""
    if v.shape[-2] == 1:
        return v[..., 0, :]
    if v.shape[-1] < 128 and v.size >= 2048:
        # The same order as reduce, with less overhead for each short run of lanes.
        return np.einsum("...nl->...l", v)
    return _reduce(v, -2)


def scalar_order(n: int, lanes: int) -> list[int]:
    """The order in which n < 2 * lanes contiguous elements are added, which is one chain."""
    if n < 4:
        return list(range(n))
    if n < lanes:
        return [0, *range(4, n), 1, 2, 3]
    return [*range(lanes, n), *range(lanes)]


def flat_plan(n: int, lanes: int, out_shape: tuple[int, ...], dtype: np.dtype) -> Plan | None:
    """Sums of less than 1024 vectors to one number."""
    number = flat_sum(n, lanes)
    if number is None:
        return None
    zero = dtype.type(0)

    # A sum that starts from 0 is never -0.
    def plan(a: np.ndarray) -> np.ndarray:
        return _array(number(a.ravel()) or zero)

    return plan if out_shape == () else lambda a: plan(a).reshape(out_shape)


def flat_sum(n: int, lanes: int) -> Callable[[np.ndarray], Any] | None:
    """The sum of n contiguous numbers as a scalar of numpy."""
    last = n - 1
    if n == 1:
        return lambda a: a[0]
    if n < 2 * lanes:
        order = scalar_order(n, lanes)
        if order == sorted(order):
            return lambda a: _accumulate(a)[last]
        places = np.array(order)
        return lambda a: _accumulate(a.take(places))[last]
    vectors, rest = divmod(n, lanes)
    if vectors == 2:
        last = rest + lanes - 1
        first, second, others = slice(lanes), slice(lanes, 2 * lanes), slice(2 * lanes, None)
        if not rest:
            return lambda a: _accumulate(_add(a[first], a[second]))[last]
        return lambda a: _accumulate(_concatenate((a[others], _add(a[first], a[second]))))[last]
    return vectors_sum(vectors, rest, lanes)


def vectors_sum(vectors: int, rest: int, lanes: int) -> Callable[[np.ndarray], Any] | None:
    """The same for three vectors and more, which are added in four cascades."""
    q, left = divmod(vectors, 4)
    if q >= 256:
        return None
    wide = 4 * lanes
    main = q * wide
    whole = vectors * lanes
    full = q // 16
    spilled = full * 16 * wide
    last = rest + lanes - 1

    def plan(a: np.ndarray) -> Any:
        if q == 0:
            total = _reduce(a[:whole].reshape(vectors, lanes), 0)
        else:
            if full:
                parts = fold(a[:spilled].reshape(full, 16, wide))
                parts = _reduce(parts, 0) if full > 1 else parts[0]
                if q > full * 16:
                    parts = _reduce(a[spilled:main].reshape(-1, wide), 0) + parts
            else:
                parts = _reduce(a[:main].reshape(q, wide), 0) if q > 1 else a[:main]
            if left:
                parts = _concatenate((parts[:lanes], a[main:whole], parts[lanes:]))
            total = _reduce(parts.reshape(4 + left, lanes), 0)
        if rest:
            total = _concatenate((a[whole:], total))
        return _accumulate(total)[last]

    return plan


def rows_plan(
    n: int, lanes: int, rows: int, shape: tuple[int, ...], out_shape: tuple[int, ...], real: bool
) -> Plan | None:
    """Sums over a short contiguous last axis: rows become columns, and a number of a row becomes a row of numbers."""
    if rows * n > (65536 if n < 2 * lanes else 8192):
        return None
    if n < 2 * lanes:
        order = scalar_order(n, lanes)
        if real and n < PAIRWISE and order == sorted(order) and rows * n < 512:
            if shape[:-1] == out_shape:
                return lambda a: _reduce(a, -1, None, None, False, 0)
            return lambda a: _reduce(a.reshape(rows, n), 1, None, None, False, 0).reshape(out_shape)
        places = np.array(order)
        if n < 4:
            return lambda a: _reduce(a.reshape(rows, n).T.copy(), 0, None, None, False, 0).reshape(out_shape)
        return lambda a: _reduce(a.reshape(rows, n).T.take(places, 0), 0, None, None, False, 0).reshape(out_shape)
    vectors, rest = divmod(n, lanes)
    q, left = divmod(vectors, 4)
    if q >= 16:
        return None
    wide = 4 * lanes * rows
    vector = lanes * rows
    main, whole = 4 * lanes * q, lanes * vectors

    def plan(a: np.ndarray) -> np.ndarray:
        a = a.reshape(rows, n).T.copy()
        if q == 0:
            total = _reduce(a[:whole].reshape(vectors, vector), 0)
        else:
            parts = a[:main].reshape(q, wide)
            parts = _reduce(parts, 0) if q > 1 else parts[0]
            if left:
                parts = _concatenate((parts[:vector], a[main:whole].ravel(), parts[vector:]))
            total = _reduce(parts.reshape(4 + left, vector), 0)
        total = total.reshape(lanes, rows)
        if rest:
            total = _concatenate((a[whole:], total))
        return _reduce(total, 0, None, None, False, 0).reshape(out_shape)

    return plan


def columns_plan(n: int, columns: int, cut: int, shape: tuple[int, ...], out_shape: tuple[int, ...]) -> Plan | None:
    """Sums over the first axis when each cascade stays on its first level."""
    if n < 4 or (cut == columns and n < 16):
        if shape == (n, *out_shape):
            return lambda a: _reduce(a, 0, None, None, False, 0)
        return lambda a: _reduce(a.reshape(n, columns), 0, None, None, False, 0).reshape(out_shape)
    if cut:
        return None
    q, left = divmod(n, 4)
    wide = 4 * columns

    def plan(a: np.ndarray) -> np.ndarray:
        a = a.reshape(n, columns)
        parts = a[: 4 * q]
        if q > 1:
            parts = _reduce(parts.reshape(q, wide), 0).reshape(4, columns)
        if left:
            parts = _concatenate((parts[:1], a[4 * q :], parts[1:]))
        return _reduce(parts, 0, None, None, False, 0).reshape(out_shape)

    return plan
