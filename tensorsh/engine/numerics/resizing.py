"""Images in other sizes, on arrays: for each output the inputs that it sums, and their weights.

Every kind but nearest is separable: resizing is a product with one sparse matrix per dimension, its gradient with the transposes.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays.layout import channels_are_last, channels_before, channels_behind, row_order
from ..kernels import kernel, unsuited
from .adding import add_along
from .rounding import fused


def cubic(x: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic convolution kernel."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def taps(n: int, m: int, mode: str, align: bool, scale: float | None) -> tuple[np.ndarray, np.ndarray]:
    """For each of m outputs over n inputs: the inputs it sums [m, T], and their weights; to be read only."""
    few = type(m) is int and m <= FEW and (scale is None or type(scale) is float)
    return (taps_of_few if few else all_taps)(n, m, mode, align, scale)


FEW = 256
"""The taps of so many outputs are remembered."""
PLAIN = {float, type(None)}


def nearest_along(sizes: tuple, size: tuple, mode: str, align: bool, scales: tuple) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the image's rows, and those of its columns, that are nearest to each output's; only read. A line is one row, a
    volume has the rows of all its planes."""
    few = max(size) <= FEW and {*map(type, scales)} <= PLAIN
    return (nearest_rows_of_few if few else nearest_rows)(tuple(sizes), tuple(size), mode, align, tuple(scales))


def nearest_rows(sizes: tuple, size: tuple, mode: str, align: bool, scales: tuple) -> tuple[np.ndarray, np.ndarray]:
    rows = np.zeros(1, np.int64)
    several = zip(sizes, size, scales, strict=True)
    *outer, columns = [taps(n, m, mode, align, scale)[0][:, 0] for n, m, scale in several]
    for n, index in zip(sizes, outer, strict=False):
        rows = (rows[:, None] * n + index).reshape(-1)
    return rows, np.ascontiguousarray(columns)


nearest_rows_of_few = lru_cache(64)(nearest_rows)


@lru_cache(64)
def taps_of_few(*settings: Any) -> tuple[np.ndarray, np.ndarray]:
    found = all_taps(*settings)
    for part in found:
        part.flags.writeable = False
    return found


def all_taps(n: int, m: int, mode: str, align: bool, scale: float | None) -> tuple[np.ndarray, np.ndarray]:
    """As `taps`, new ones."""
    i = np.arange(m, dtype=np.float64)
    step = n / m if scale is None or scale <= 0 else 1.0 / scale
    if mode == "nearest":
        return np.minimum(np.floor(i * np.float32(step)).astype(np.int64), n - 1)[:, None], np.ones((m, 1))
    if mode == "nearest-exact":
        return np.minimum(np.floor((i + 0.5) * np.float32(step)).astype(np.int64), n - 1)[:, None], np.ones((m, 1))
    if mode.endswith("-aa"):
        return antialiased(n, m, mode, align, scale)
    if align:
        at = i * ((n - 1) / (m - 1) if m > 1 else 0.0)
    else:
        at = (i + 0.5) * step - 0.5
        if mode != "bicubic":
            at = np.maximum(at, 0.0)
    if mode == "bicubic":
        low = np.floor(at)
        offsets = np.arange(-1, 3)
        weights = cubic((at - low)[:, None] - offsets, -0.75)
        return np.clip(low[:, None].astype(np.int64) + offsets, 0, n - 1), weights
    low = np.minimum(np.floor(at).astype(np.int64), n - 1)
    high = np.minimum(low + 1, n - 1)
    part = np.clip(at - low, 0.0, 1.0)
    return np.stack([low, high], 1), np.stack([1 - part, part], 1)


def antialiased(n: int, m: int, mode: str, align: bool, scale: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Taps of a filter widened by the reduction factor, weights normalised (as Pillow's resize)."""
    if align:
        step = (n - 1) / (m - 1) if m > 1 else 0.0
    else:
        step = n / m if scale is None or scale <= 0 else 1.0 / scale
    reach = 1.0 if mode == "bilinear-aa" else 2.0
    widen = max(step, 1.0)
    support = reach * widen
    centre = step * (np.arange(m) + 0.5)
    first = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    last = np.minimum((centre + support + 0.5).astype(np.int64), n)
    width = int((last - first).max())
    at = first[:, None] + np.arange(width)
    x = (at - centre[:, None] + 0.5) / widen
    weights = np.maximum(1 - np.abs(x), 0) if reach == 1.0 else cubic(x, -0.5)
    weights = np.where(at < last[:, None], weights, 0.0)
    weights /= weights.sum(1, keepdims=True)
    return np.minimum(at, n - 1), weights


def matrix(xp, n: int, m: int, mode: str, align: bool, scale: float | None, dtype):
    """The weights as a matrix [m, n]."""
    index, weights = taps(n, m, mode, align, scale)
    full = np.zeros((m, n))
    np.add.at(full, (np.arange(m)[:, None], index), weights)
    return xp.asarray(full.astype(dtype))


@lru_cache(64)
def single_taps(n: int, m: int, mode: str, align: bool, scale: float | None) -> tuple[np.ndarray, list]:
    """`taps` of the linear and cubic kinds in float32, its products fused with their sums as in PyTorch's kernels: the inputs
    [m, T], and T vectors of weights."""
    one, half = np.float32(1), np.float32(0.5)
    i = np.arange(m, dtype=np.float32)
    if align:
        at = i * (np.float32(n - 1) / np.float32(m - 1) if m > 1 else np.float32(0))
    else:
        step = np.float32(n) / np.float32(m) if scale is None or scale <= 0 else np.float32(1.0 / scale)
        at = fused(i + half, step, -half)
    if mode == "bicubic":
        low = np.floor(at)
        part = at - low
        a = np.float32(-0.75)
        near = lambda x: fused(x, a + 2, -(a + 3)) * x * x + one
        far = lambda x: fused(fused(x, a, -5 * a), x, 8 * a) * x - 4 * a
        offsets = np.arange(-1, 3)
        weights = [far(part + one), near(part), near(one - part), far((one - part) + one)]
        return np.clip(low[:, None].astype(np.int64) + offsets, 0, n - 1), weights
    at = at if align else np.maximum(at, np.float32(0))
    low = np.minimum(at.astype(np.int64), n - 1)
    part = np.clip(at - low.astype(np.float32), np.float32(0), one)
    return np.stack([low, np.minimum(low + 1, n - 1)], 1), [one - part, part]


def weighed(x: Any, axis: int, index: np.ndarray, weights: list, in_turn: bool = False) -> Any:
    """An array's weighted sums along an axis; `in_turn`: the first product is the one that is rounded by itself, not the second."""
    if type(x) is np.ndarray and x.dtype in (np.float32, np.float64):
        around = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
        made = np.empty((around[0], len(index), around[2]), x.dtype)
        if weigh(row_order(x).reshape(around), made, index.T, np.array(weights, x.dtype), in_turn) is not None:
            return made.reshape(*x.shape[:axis], len(index), *x.shape[axis + 1 :])
    shaped = [w.reshape(-1, *[1] * (x.ndim - 1 - axis)) for w in weights]
    of = [*range(len(weights))] if in_turn else [1, 0, *range(2, len(weights))]
    total = x.take(index[:, of[0]], axis) * shaped[of[0]]
    for k in of[1:]:
        total = fused(x.take(index[:, k], axis), shaped[k], total)
    return total


def spread(grad: Any, axis: int, n: int, index: np.ndarray, weights: np.ndarray) -> Any:
    """The transpose of `weighed`: each element of an axis, times its weights, added to those of n that it was summed of."""
    moved = np.moveaxis(grad, axis, 0)
    rows = np.ascontiguousarray(moved).reshape(len(moved), -1)
    out = np.zeros((n, rows.shape[1]), grad.dtype)
    for at, by in zip(index.T, weights.T.astype(grad.dtype), strict=True):
        add_along(np, out, 0, np.ascontiguousarray(at), rows * by[:, None], True)
    return np.moveaxis(out.reshape(n, *moved.shape[1:]), 0, axis)


def compiled(x: Any, rows: tuple, columns: tuple) -> Any:
    """An image resized by the kernel, by the settings of `single_taps` for its sides; None where there is none."""
    *outer, h, w = x.shape
    m, n = rows[1], columns[1]
    made = np.empty((*outer, m, n), np.float32)
    planes, out = row_order(x).reshape(-1, h, w), made.reshape(-1, m, n)
    return None if resize(planes, out, *by_tap(*rows), *by_tap(*columns)) is None else made


@lru_cache(64)
def by_tap(*settings: Any) -> tuple:
    """The taps of a side as the kernel wants them: a row for each; only read."""
    index, weights = single_taps(*settings)
    return np.ascontiguousarray(index.T), np.array(weights)


resize, nearest, nearest_sums, weigh = (
    kernel(name, unsuited) for name in ("resize", "nearest", "nearest_sums", "weigh")
)


def of_nearest(x: Any, size: tuple, *settings: Any) -> Any:
    """An image of the elements nearest to those of a size; None where there is no kernel."""
    shape = x.shape[-len(size) :]
    if channels_are_last(x) and not x.dtype.names:  # all channels of a place are one element
        behind = channels_behind(x)
        whole = of_nearest(behind.view(f"V{behind.shape[-1] * x.itemsize}")[..., 0], size, *settings)
        return None if whole is None else channels_before(whole[..., None].view(x.dtype))
    rows, columns = nearest_along(shape, size, *settings)
    made = np.empty((math.prod(x.shape[: -len(size)]), len(rows), len(columns)), x.dtype)
    planes = row_order(x).reshape(len(made), -1, shape[-1])
    return None if nearest(planes, made, rows, columns) is None else made.reshape(x.shape[: -len(size)] + size)


def sums_of_nearest(g: Any, shape: tuple, size: tuple, *settings: Any) -> Any:
    """The transpose of `of_nearest`, for images of a shape."""
    rows, columns = nearest_along(shape, size, *settings)
    made = np.empty((*g.shape[: -len(size)], *shape), g.dtype)
    planes = row_order(g).reshape(-1, len(rows), len(columns))
    sums = made.reshape(-1, math.prod(shape[:-1]), shape[-1])
    return None if nearest_sums(planes, sums, rows, columns) is None else made


def of_corners(x: Any, rows: tuple, columns: tuple) -> Any:
    """A float32 image's sums of four neighbours, each weighed by a product."""
    (y, by_row), (z, by_column) = rows, columns
    a, b, c, d = (x.take(y[:, i], -2).take(z[:, j], -1) for i in (0, 1) for j in (0, 1))
    weights = [by_row[i][:, None] * by_column[j] for i in (0, 1) for j in (0, 1)]
    total = fused(c, weights[2], fused(a, weights[0], b * weights[1]))
    return fused(d, weights[3], total)


def of_bytes(x: Any, size: tuple, mode: str, align: bool, scales: tuple) -> Any:
    """An image of bytes as Pillow resizes it: the weights are whole numbers of 16 bits, and what is resized along the width is
    rounded before it is along the height."""
    for at in (-1, -2):
        index, weights = taps(x.shape[at], size[at], mode, align, scales[at])
        weights = weights.copy()
        for k in range(index.shape[1] - 1, 0, -1):  # what lies beyond an edge is the edge
            same = index[:, k] == index[:, k - 1]
            weights[same, k - 1] += weights[same, k]
            weights[same, k] = 0
        bits = min(int(np.log2((1 << 15) - 0.5) - np.log2(weights.max())), 22)
        whole = np.copysign(np.floor(np.abs(weights) * (1 << bits) + 0.5), weights).astype(np.int32)
        total = weighed(x.astype(np.int32), x.ndim + at, index, list(whole.T))
        x = np.clip((total + (1 << bits >> 1)) >> bits, 0, 255).astype(np.uint8)
    return row_order(x)
