"""Convolutions by the compiled kernels: lines and volumes of one layer taken as planes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from .. import kernels
from ..arrays.blas import alone
from ..arrays.extents import strided
from ..arrays.layout import row_order
from ..arrays.parallel import SHARED
from ..arrays.state import state


def suits(x: Any, other: Any, kernel: tuple) -> bool:
    """Whether the compiled kernels are made for this: lines or planes, also as a volume of one layer, windows of several elements."""
    flat = len(kernel) <= 2 or kernel[0] == x.shape[2] == other.shape[2] == 1
    return flat and max(kernel) > 1 and 0 not in x.shape and kernels.suits(x, other)


def steps(stride: tuple, dilation: tuple) -> tuple:
    """The last arguments of a kernel: none where all are one."""
    return () if max(stride) == max(dilation) == 1 else (*(1, *stride)[-2:], *(1, *dilation)[-2:])


@lru_cache(256)
def geometry(shape: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> tuple:
    """The size of the result, and the kernel's last arguments."""
    several = zip(shape, padding, kernel, stride, dilation, strict=True)
    out = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, k, s, d in several)
    return out, (0, *padding)[-2:], steps(stride, dilation)


def planes(x: Any) -> Any:
    """Lines as planes of one row, volumes of one layer as planes, in C order."""
    return np.ascontiguousarray(x if x.ndim == 4 else x[:, :, None] if x.ndim == 3 else x[:, :, 0])


def compiled_forward(x: Any, w: Any, bias: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    """The convolution by the compiled kernel; None if it is not made for this."""
    if len(padding) == 3 and padding[0]:
        return None
    out, border, more = geometry(x.shape[2:], w.shape[2:], stride, padding, dilation)
    y = np.empty((len(x), len(w), *out), x.dtype)
    x, w, target = planes(x), planes(w), planes(y)
    return y if kernels.compiled.convolution(x, w, bias, target, *border, groups, *more) is not None else None


columns_made = kernels.kernel("columns_made", kernels.unsuited)
COLUMNS = 1 << 17
"""Elements of a matrix of columns: it stays in the cache between being made and being multiplied."""


def of_few(x: Any, w: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    """The convolution of few windows, whose columns a kernel makes at once; None for others."""
    out = geometry(x.shape[2:], w.shape[2:], stride, padding, dilation)[0]
    if not 0 < len(x) * x.shape[1] * prod(w.shape[2:]) * prod(out) <= COLUMNS:
        return None
    made = columns_made(x, (*w.shape[2:], *stride, *padding, *dilation, *out))
    if made is None:
        return None
    o, places = len(w), made.shape[-1]
    y = np.empty((len(x), groups, o // groups, places), x.dtype)
    for part in alone((made.reshape(len(x), groups, -1, places),)):
        np.matmul(w.reshape(groups, o // groups, -1), part, out=y)
    return y.reshape(len(x), o, *out)


LAYERED = 1 << 14
"""Convolutions of volumes of fewer products are one product of matrices."""


def layered(x: Any, w: Any) -> bool:
    """Whether volumes are convolved layer by layer."""
    return w.ndim == 5 and max(w.shape[3:]) > 1 and 0 not in x.shape and kernels.suits(x, w)


MOST = 1 << 22
"""Elements of volumes' layers that are laid together as images at a time."""


def stacked(x: Any, kernel: int, stride: int, padding: int, dilation: int, out: int) -> Iterator[tuple[slice, Any]]:
    """Volumes as images, one for each layer of the result, whose channels are those of all layers in its window; and which layers
    these are."""
    if padding:
        wide = np.zeros((*x.shape[:2], x.shape[2] + 2 * padding, *x.shape[3:]), x.dtype)
        wide[:, :, padding : padding + x.shape[2]] = x
        x = wide
    n, c, _, *image = x.shape
    a, b, step, *rest = x.strides
    together = max(1, MOST // max(1, n * c * kernel * prod(image)))
    for first in range(0, out, together):
        some = min(together, out - first)
        shape, steps = (n, some, c, kernel, *image), (a, step * stride, b, step * dilation, *rest)
        view = strided(x[:, :, first * stride :], shape, steps)
        yield slice(first, first + some), np.ascontiguousarray(view).reshape(n * some, c * kernel, *image)


def layered_forward(x: Any, w: Any, bias: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    """The convolution of volumes as one of images of their layers; None where that is no faster."""
    out, *_ = geometry(x.shape[2:], w.shape[2:], stride, padding, dilation)
    if not layered(x, w) or len(x) * prod(out) * w.size < LAYERED:
        return None
    made = np.empty((len(x), len(w), *out), x.dtype)
    (s, *step), (p, *border), (d, *spread) = stride, padding, dilation
    flat = w.reshape(len(w), -1, *w.shape[3:])
    for layers, images in stacked(x, w.shape[2], s, p, d, out[0]):
        y = compiled_forward(images, flat, bias, tuple(step), tuple(border), tuple(spread), groups)
        if y is None:
            return None
        made[:, :, layers] = y.reshape(len(x), -1, *y.shape[1:]).swapaxes(1, 2)
    return made


def layered_weight(x: Any, g: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    """The gradient of the weight for volumes, likewise; None where there is no kernel."""
    w = np.zeros((g.shape[1], x.shape[1] // groups, *kernel), x.dtype)
    if not layered(x, w) or g.size * w[:1].size < LAYERED:
        return None
    (s, *step), (p, *border), (d, *spread) = stride, padding, dilation
    for layers, images in stacked(x, kernel[0], s, p, d, g.shape[2]):
        slopes = np.ascontiguousarray(g[:, :, layers].swapaxes(1, 2)).reshape(-1, g.shape[1], *g.shape[3:])
        part = compiled_weight(images, slopes, kernel[1:], tuple(step), tuple(border), tuple(spread), groups)
        if part is None:
            return None
        w += part.reshape(w.shape)
    return w


PIECES = 4
"""The samples are cut into so many parts for the gradient of a weight: by as many threads as there are, added in order."""


def compiled_weight(x: Any, g: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, groups: int) -> Any:
    """The gradient of the weight by the compiled kernel; None if it is not made for this."""
    if len(padding) == 3 and padding[0]:
        return None
    more = steps(stride, dilation)
    border = (0, *padding)[-2:]
    x, g = planes(x), planes(g)
    shape = (g.shape[1], x.shape[1] // groups, *(1, *kernel)[-2:])
    pieces = min(PIECES, len(x)) if g.size * prod(shape[1:]) >= SHARED else 1
    sums = np.empty((pieces, *shape), x.dtype)
    if kernels.compiled.convolution_weight(x, g, sums, *border, groups, *more) is None:
        return None
    w = sums[0] if pieces == 1 else np.add.reduce(sums, 0)
    return w.reshape(*shape[:2], *kernel)


products = kernels.kernel("products", kernels.unsuited)


def pointwise(kernel: tuple, stride: tuple, padding: tuple, groups: int) -> bool:
    """Whether each place of the result is made of the channels at the same place."""
    return groups == 1 and max(kernel) == 1 == max(stride) and not any(padding)


def of_places(matrix: Any, x: Any) -> Any:
    """A matrix times the channels of many places [N, C, *S], without a copy of them; None for others."""
    if type(x) is not np.ndarray:
        return None
    n, channels, *size = x.shape
    if n < state.threads > 1 and x.size >= SHARED:  # threads share samples
        return None
    rows, columns = matrix.shape
    y = products(strided(matrix, (n, rows, columns), (0, *matrix.strides)), row_order(x).reshape(n, channels, -1), True)
    return None if y is None else y.reshape(n, rows, *size)


TOGETHER = 1 << 20
"""Elements of the samples' products that are made before they are added up."""


def across_places(g: Any, x: Any) -> Any:
    """The sum of the products of samples [N, O, *S] and [N, C, *S] over their places, one sample after the other [O, C]; None for
    others."""
    (n, o), c, places = g.shape[:2], x.shape[1], prod(x.shape[2:])
    if type(x) is not np.ndarray:
        return None
    turned = o > 16 >= c  # the kernel makes sixteen or more columns at a time
    left, right = (x, g) if turned else (g, x)
    left = row_order(left).reshape(n, -1, places)
    right = row_order(right).reshape(n, -1, places).swapaxes(1, 2)
    total = np.zeros((c, o) if turned else (o, c), x.dtype)
    some = max(1, TOGETHER // total.size)
    for first in range(0, n, some):
        parts = products(left[first : first + some], right[first : first + some], True)
        if parts is None:
            return None
        for part in parts:
            total += part
    return np.ascontiguousarray(total.T) if turned else total
