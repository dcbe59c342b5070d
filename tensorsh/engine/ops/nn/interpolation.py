"""Resizing: nearest, linear in one to three dimensions, bicubic, area.

Every kind but nearest is separable: resizing is a product with one sparse matrix per dimension, its gradient with the transposes.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays.dtype import uint8
from ...arrays.errors import combination_error, not_implemented
from ...arrays.extents import sized
from ...arrays.layout import channels_are_last, with_channels_last
from ...arrays.type_names import type_name
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading.table import find_function
from ...numerics.rounding import fused
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor

NODES = {
    "nearest": {1: "UpsampleNearest1DBackward0", 2: "UpsampleNearest2DBackward0", 3: "UpsampleNearest3DBackward0"},
    "nearest-exact": {n: f"UpsampleNearestExact{n}DBackward0" for n in (1, 2, 3)},
    "linear": {1: "UpsampleLinear1DBackward0"}, "bilinear": {2: "UpsampleBilinear2DBackward0"},
    "trilinear": {3: "UpsampleTrilinear3DBackward0"}, "bicubic": {2: "UpsampleBicubic2DBackward0"},
    "bilinear-aa": {2: "UpsampleBilinear2DAaBackward0"}, "bicubic-aa": {2: "UpsampleBicubic2DAaBackward0"},
}  # fmt: skip


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


FLAT = 1 << 10
"""The places of so many outputs are remembered as those in a whole plane."""


@lru_cache(64)
def nearest_of_few(sizes: tuple, size: tuple, mode: str, align: bool, scales: tuple) -> np.ndarray:
    """The place in a plane, or a volume, of the element nearest to each output; only read."""
    places = np.zeros((), np.int64)
    for n, m, scale in zip(sizes, size, scales, strict=True):
        places = places[..., None] * n + taps(n, m, mode, align, scale)[0][:, 0]
    return places


def nearest_along(sizes: tuple, size: tuple, mode: str, align: bool, scales: tuple) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the image's rows, and those of its columns, that are nearest to each output's; only read. A line is one row, a
    volume has the rows of all its planes."""
    few = max(size) <= FEW and all([scale is None or type(scale) is float for scale in scales])
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
    shaped = [w.reshape(-1, *[1] * (x.ndim - 1 - axis)) for w in weights]
    of = [*range(len(weights))] if in_turn else [1, 0, *range(2, len(weights))]
    total = x.take(index[:, of[0]], axis) * shaped[of[0]]
    for k in of[1:]:
        total = fused(x.take(index[:, k], axis), shaped[k], total)
    return total


def compiled(x: Any, rows: tuple, columns: tuple) -> Any:
    """An image resized by the kernel; None where there is none."""
    (y, by_row), (z, by_column) = rows, columns
    made = np.empty((*x.shape[:-2], len(y), len(z)), np.float32)
    planes = np.ascontiguousarray(x).reshape(-1, *x.shape[-2:])
    numbers = [np.ascontiguousarray(at.T) for at in (y, z)]
    weights = [np.array(w) for w in (by_row, by_column)]
    out = made.reshape(-1, len(y), len(z))
    return None if resize(planes, out, numbers[0], weights[0], numbers[1], weights[1]) is None else made


resize, nearest, nearest_sums = (kernel(name, unsuited) for name in ("resize", "nearest", "nearest_sums"))


def of_nearest(x: Any, size: tuple, *settings: Any) -> Any:
    """An image of the elements nearest to those of a size; None where there is no kernel."""
    shape = x.shape[-len(size) :]
    rows, columns = nearest_along(shape, size, *settings)
    made = np.empty((*x.shape[: -len(size)], *size), x.dtype)
    planes = np.ascontiguousarray(x).reshape(-1, math.prod(shape[:-1]), shape[-1])
    return None if nearest(planes, made.reshape(-1, len(rows), len(columns)), rows, columns) is None else made


def sums_of_nearest(g: Any, shape: tuple, size: tuple, *settings: Any) -> Any:
    """The transpose of `of_nearest`, for images of a shape."""
    rows, columns = nearest_along(shape, size, *settings)
    made = np.empty((*g.shape[: -len(size)], *shape), g.dtype)
    planes = np.ascontiguousarray(g).reshape(-1, len(rows), len(columns))
    sums = made.reshape(-1, math.prod(shape[:-1]), shape[-1])
    return None if nearest_sums(planes, sums, rows, columns) is None else made


def of_corners(x: Any, rows: tuple, columns: tuple) -> Any:
    """A float32 image's sums of four neighbours, each weighed by a product; a few planes or rows at a time, as the cache holds
    them and the allocator keeps them."""
    (y, by_row), (z, by_column) = rows, columns
    planes = x.reshape(-1, *x.shape[-2:])
    height, width = len(y), len(z)
    made = np.empty((len(planes), height, width), np.float32)
    some = max(1, AT_ONCE // max(1, height * width))
    lines = max(1, AT_ONCE // max(1, width)) if some == 1 else height
    for top in range(0, height, lines):
        part = slice(top, top + lines)
        weights = [by_row[i][part, None] * by_column[j] for i in (0, 1) for j in (0, 1)]
        for start in range(0, len(planes), some):
            sides = [planes[start : start + some].take(y[part, i], -2) for i in (0, 1)]
            a, b, c, d = (sides[i].take(z[:, j], -1) for i in (0, 1) for j in (0, 1))
            total = fused(a, weights[0], np.multiply(b, weights[1], b))
            made[start : start + some, part] = fused(d, weights[3], fused(c, weights[2], total))
    return made.reshape(*x.shape[:-2], height, width)


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
    return np.ascontiguousarray(x)


AT_ONCE = 1 << 14
"""So many numbers are resized at a time."""


FEW_ELEMENTS = 1 << 12
"""More are resized by products of matrices, which are faster, and in which a zero loses its sign."""


@operator(
    "_upsample", node=lambda input, size, mode, *rest: NODES[mode][len(size)], method=False, wide=True, laid="images 1"
)
def upsample(xp, input: Array, size, mode, align, scales):
    """input [N, C, *S] resized to [N, C, *size]."""
    d = len(size)
    if (
        type(input) is np.ndarray
        and input.dtype == np.float32
        and not mode.startswith("nearest")
        and not mode.endswith("-aa")
    ):
        if d == 2:
            sides = [
                single_taps(n, m, mode, align, scale)
                for n, m, scale in zip(input.shape[-2:], size, scales, strict=True)
            ]
            found = compiled(input, *sides)
            if found is not None:
                return found
            if mode == "bilinear":
                return of_corners(input, *sides)
        for at in range(d - 1, -1, -1):  # as nested sums, the last dimension's innermost
            axis = input.ndim - d + at
            input = weighed(input, axis, *single_taps(input.shape[axis], size[at], mode, align, scales[at]))
        return np.ascontiguousarray(input)
    if mode.startswith("nearest") and type(input) is np.ndarray and math.prod(size) <= FLAT and input.size:
        planes = input.reshape(*input.shape[:-d], -1)
        return planes.take(nearest_of_few(input.shape[-d:], tuple(size), mode, align, tuple(scales)), -1)
    if mode.startswith("nearest") and type(input) is np.ndarray and input.size:
        found = of_nearest(input, tuple(size), mode, align, scales)
        if found is not None:
            return found
    few = type(input) is np.ndarray and input.size <= FEW_ELEMENTS
    for at in range(d - 1, -1, -1) if few else range(d):
        m, scale = size[at], scales[at]
        axis = input.ndim - d + at
        n = input.shape[axis]
        if mode.startswith("nearest"):
            index, _ = taps(n, m, mode, align, scale)
            input = xp.take(input, xp.asarray(index[:, 0]), axis=axis)
        elif few:
            index, weights = taps(n, m, mode, align, scale)
            input = weighed(input, axis, index, list(weights.T.astype(_float(input.dtype))), mode.endswith("-aa"))
        else:
            by = matrix(xp, n, m, mode, align, scale, _float(input.dtype))
            input = xp.moveaxis(xp.moveaxis(input, axis, -1).astype(by.dtype, copy=False) @ by.T, -1, axis)
    return xp.ascontiguousarray(input)


def _float(dtype):
    return dtype if dtype.kind == "f" else np.dtype(np.float32)


@operator("_upsample_spread", method=False, wide=True, laid="images 1")
def upsample_spread(xp, grad: Array, shape, size, mode, align, scales):
    """The transpose of `_upsample`."""
    d = len(size)
    if mode.startswith("nearest") and type(grad) is np.ndarray and grad.size:
        found = sums_of_nearest(grad, tuple(shape[-d:]), tuple(size), mode, align, scales)
        if found is not None:
            return found
    for at, (m, scale) in enumerate(zip(size, scales, strict=True)):
        axis = grad.ndim - d + at
        by = matrix(xp, shape[axis], m, mode, align, scale, grad.dtype)
        grad = xp.moveaxis(xp.moveaxis(grad, axis, -1) @ by, -1, axis)
    return xp.ascontiguousarray(grad)


upsample.gradient(
    input=lambda t, g, input_shape, size, mode, align, scales: t._upsample_spread(
        g, tuple(input_shape), size, mode, align, scales
    )
)
upsample_spread.gradient(grad=lambda t, g, size, mode, align, scales: t._upsample(g, size, mode, align, scales))


def whole(n: Any) -> bool:
    """Whether a size is one: a whole number, or a tensor that stands for one."""
    if isinstance(n, Tensor):
        return n._array.size == 1 and n._array.dtype.kind in "iu"
    return isinstance(n, (int, np.integer))


def by_name(mode: str, d: int, *rest: Any) -> TypeError:
    """PyTorch's error for settings that a kernel does not take."""
    name = f"{'_' if mode == 'nearest-exact' else ''}upsample_{mode.replace('-', '_')}{d if mode != 'linear' else 1}d"
    return combination_error(name, *rest[:2], *([] if mode.startswith("nearest") else [False]), *rest[2:])


def check_sizes(array, mode, wanted, align_corners, scale_factor) -> None:
    """What the kernels check: their arguments' types, sizes above 0, a dtype that they take."""
    d = len(wanted)
    name = f"upsample_{mode.removesuffix('-aa').replace('-', '_')}{d if mode != 'linear' else 1}d"
    if any(isinstance(n, str) for n in wanted):
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (Tensor, list, NoneType), but expected one of:"
        )
    if not isinstance(align_corners, bool) and align_corners is not None:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (Tensor, "
            f"{'list' if scale_factor is None else 'NoneType'}, {type_name(align_corners)}, "
            f"{'NoneType' if scale_factor is None else 'list'}), but expected one of:"
        )
    if min((*wanted, *array.shape[2:])) <= 0:
        shown = [
            ", ".join(f"{a}: {n}" for a, n in zip("DHW"[-d:], sizes, strict=True))
            for sizes in (array.shape[2:], wanted)
        ]
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({shown[0]}) {'and ' if d == 1 else ''}output ({shown[1]})"
        )
    kind = mode[2 * (mode in ("bilinear", "bicubic")) + 3 * (mode == "trilinear") :].removesuffix("-exact")
    whole = array.dtype.kind == "u" and (array.dtype.itemsize > 1 or d != 2 and kind == "linear")
    if array.dtype.kind in "bic" or whole:
        planes = d == 2 and kind != "cubic"
        kernel = f"{name.replace('_exact', '')}_channels_last" if planes else f"compute_indices_weights_{kind}"
        raise not_implemented(kernel, array)


def unsupported(input: Tensor, mode: str) -> NotImplementedError:
    return NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


@composite("nn.functional.interpolate", method=False)
def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False
):  # fmt: skip
    """input [N, C, *S] resized to `size`, or by `scale_factor`.
    `mode` is 'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area', by the number of
    dimensions of S (1 to 3). `align_corners` lets the corners meet, `antialias` smooths what shrinks. ValueError:
    both or neither of `size` and `scale_factor`. NotImplementedError: a mode that does not fit the dimensions.
    """
    d = input.ndim - 2
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
            )
    elif align_corners is None:
        align_corners = False
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    scales: tuple = (None,) * d
    if size is not None:
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        wanted = tuple(size) if isinstance(size, (tuple, list)) else (size,) * d
        if isinstance(size, (tuple, list)) and len(wanted) != d:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
                f"{list(input.shape[2:])} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
                "format and output size in (o1, o2, ...,oK) format."
            )
        listed = isinstance(size, (tuple, list))
        if (
            mode != "area"
            and d in (1, 2, 3)
            and (any(isinstance(n, bool) for n in wanted[:1]) or not listed and not whole(size))
        ):
            raise by_name(mode, d, input, [*wanted], None)
        if listed and not all(map(whole, wanted)):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size with "
                f"types {[type(n) for n in wanted]}"
            )
    else:
        scales = tuple(scale_factor) if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * d
        if isinstance(scale_factor, (tuple, list)) and len(scales) != d:
            raise ValueError(
                "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of "
                f"{list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, "
                "d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
            )
        if not all(isinstance(s, (int, float, np.number)) for s in scales):
            raise by_name(mode, d, input, None, [*scales])
        if not all(map(math.isfinite, scales)):
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
        wanted = tuple(math.floor(n * s) for n, s in zip(input.shape[2:], scales, strict=False))
        scales = tuple(float(s) for s in scales)
        if recompute_scale_factor:
            scales = (None,) * d
    if d not in (1, 2, 3):
        raise unsupported(input, mode)
    if (
        mode in ("linear", "bilinear", "trilinear", "bicubic")
        and {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}[mode] != d
    ):
        shown = f"{input.ndim}D"
        wants = {"linear": "3D", "bilinear": "4D", "trilinear": "5D", "bicubic": "4D"}[mode]
        if mode == "bicubic":
            raise unsupported(input, mode)
        raise NotImplementedError(f"Got {shown} input, but {mode} mode needs {wants} input")
    if mode == "area":
        return find_function(f"nn.functional.adaptive_avg_pool{d}d")(input, wanted)
    if mode not in ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic"):
        raise unsupported(input, mode)
    if antialias:
        if mode not in ("bilinear", "bicubic") or d != 2:
            raise ValueError(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
            )
        mode += "-aa"
    check_sizes(input._array, mode, wanted, align_corners, scale_factor)
    sized((*input._array.shape[:2], *map(int, wanted)), input._array.itemsize)
    if input.dtype is uint8 and not mode.startswith("nearest"):
        if type(input._array) is np.ndarray:
            found = of_bytes(input._array, tuple(map(int, wanted)), mode, bool(align_corners), scales)
            return wrap(with_channels_last(found) if channels_are_last(input._array) else found)
        found = upsample.function(input.float(), tuple(int(n) for n in wanted), mode, bool(align_corners), scales)
        return found.round().clamp(0, 255).to(uint8)
    return upsample.function(input, tuple(int(n) for n in wanted), mode, bool(align_corners), scales)


@composite("nn.functional.upsample", method=False)
def upsample_(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """`interpolate` under its old name."""
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite("nn.functional.upsample_nearest", method=False)
def upsample_nearest(input, size=None, scale_factor=None):
    """`interpolate` to the nearest element."""
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "nearest")


@composite("nn.functional.upsample_bilinear", method=False)
def upsample_bilinear(input, size=None, scale_factor=None):
    """`interpolate` bilinearly with aligned corners."""
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "bilinear", True)
