"""Resizing: nearest, linear in one to three dimensions, bicubic, area."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.dtype import uint8
from ...arrays.errors import combination_error, not_implemented
from ...arrays.extents import LONG, sized
from ...arrays.layout import channels_are_last, with_channels_last
from ...arrays.numbers import overflow
from ...arrays.type_names import type_name
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...loading.table import find_function
from ...numerics.resizing import (
    compiled,
    matrix,
    of_bytes,
    of_corners,
    of_nearest,
    single_taps,
    spread,
    sums_of_nearest,
    taps,
    weighed,
)
from ...operators.declare import Array, composite, operator
from ...tensors.sizes import ints
from ...tensors.tensor import Tensor

NODES = {
    "nearest": {1: "UpsampleNearest1DBackward0", 2: "UpsampleNearest2DBackward0", 3: "UpsampleNearest3DBackward0"},
    "nearest-exact": {n: f"UpsampleNearestExact{n}DBackward0" for n in (1, 2, 3)},
    "linear": {1: "UpsampleLinear1DBackward0"}, "bilinear": {2: "UpsampleBilinear2DBackward0"},
    "trilinear": {3: "UpsampleTrilinear3DBackward0"}, "bicubic": {2: "UpsampleBicubic2DBackward0"},
    "bilinear-aa": {2: "UpsampleBilinear2DAaBackward0"}, "bicubic-aa": {2: "UpsampleBicubic2DAaBackward0"},
}  # fmt: skip


DENSE = 1 << 15
"""Matrices of more elements, nearly all of them 0, are not made."""


@operator(
    "_upsample", node=lambda input, size, mode, *rest: NODES[mode][len(size)], method=False, wide=True, laid="images 1"
)
def upsample(xp, input: Array, size, mode, align, scales):
    """input [N, C, *S] resized to [N, C, *size]."""
    d = len(size)
    single = type(input) is np.ndarray and input.dtype == np.float32
    if single and not mode.startswith("nearest") and not mode.endswith("-aa"):
        if d == 2:
            sides = [(input.shape[at - 2], size[at], mode, align, scales[at]) for at in (0, 1)]
            if (found := compiled(input, *sides)) is not None:
                return found
            if mode == "bilinear":
                return of_corners(input, *[single_taps(*side) for side in sides])
        for at in range(d - 1, -1, -1):  # as nested sums, the last dimension's innermost
            axis = input.ndim - d + at
            input = weighed(input, axis, *single_taps(input.shape[axis], size[at], mode, align, scales[at]))
        return np.ascontiguousarray(input)
    if mode.startswith("nearest") and type(input) is np.ndarray and input.size:
        if (found := of_nearest(input, tuple(size), mode, align, scales)) is not None:
            return found
    host = type(input) is np.ndarray
    for at in range(d - 1, -1, -1) if host else range(d):
        m, scale = size[at], scales[at]
        axis = input.ndim - d + at
        n = input.shape[axis]
        if mode.startswith("nearest"):
            index, _ = taps(n, m, mode, align, scale)
            input = xp.take(input, xp.asarray(index[:, 0]), axis=axis)
        elif host:
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
        if (found := sums_of_nearest(grad, tuple(shape[-d:]), tuple(size), mode, align, scales)) is not None:
            return found
    for at, (m, scale) in enumerate(zip(size, scales, strict=True)):
        axis = grad.ndim - d + at
        n = shape[axis]
        if type(grad) is np.ndarray and n * m > DENSE:
            grad = spread(grad, axis, n, *taps(n, m, mode, align, scale))
            continue
        by = matrix(xp, n, m, mode, align, scale, grad.dtype)
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
    usual = array.dtype.kind == "f" and {*map(type, wanted)} == {int} and type(align_corners) in (bool, type(None))
    if usual and min(wanted) > 0 and min(array.shape[2:]) > 0 and max(wanted) < 1 << 31:
        return
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
    wanted = ints(name, "output_size", wanted)
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


DIMENSIONS = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}


def sizes_given(input, mode, size) -> tuple:
    """The sizes asked for, checked."""
    d = input.ndim - 2
    listed = isinstance(size, (tuple, list))
    wanted = tuple(size) if listed else (size,) * d
    if listed and len(wanted) != d:
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
            f"{list(input.shape[2:])} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            "format and output size in (o1, o2, ...,oK) format."
        )
    if mode != "area" and d in (1, 2, 3):
        if any(isinstance(n, bool) for n in wanted[:1]) or not listed and not whole(size):
            raise by_name(mode, d, input, [*wanted], None)
    if listed and not all(map(whole, wanted)):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size with "
            f"types {[type(n) for n in wanted]}"
        )
    return wanted


def sizes_scaled(input, mode, scale_factor) -> tuple[tuple, tuple]:
    """The sizes that come of factors, and the factors, one for each dimension."""
    d = input._array.ndim - 2
    listed = isinstance(scale_factor, (tuple, list))
    scales = tuple(scale_factor) if listed else (scale_factor,) * d
    if listed and len(scales) != d:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of "
            f"{list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, "
            "d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    if not all([isinstance(s, (int, float, np.number)) for s in scales]):
        raise by_name(mode, d, input, None, [*scales])
    sizes = [n * s for n, s in zip(input._array.shape[2:], scales, strict=False)]
    if not all([-LONG <= n <= LONG for n in sizes]):  # the bound is a float: LONG itself passes
        raise overflow("int64_t")
    wanted = tuple(map(math.floor, sizes))
    if LONG in wanted:
        sized(wanted)
    return wanted, tuple(map(float, scales))


def check_mode(input, mode) -> None:
    """Raises where a mode does not fit the dimensions, or is none."""
    n = input._array.ndim
    if n not in (3, 4, 5) or not isinstance(mode, str):
        raise unsupported(input, mode)
    if mode in DIMENSIONS:
        if DIMENSIONS[mode] != n - 2:
            if mode == "bicubic":
                raise unsupported(input, mode)
            raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {DIMENSIONS[mode] + 2}D input")
    elif mode not in ("nearest", "nearest-exact", "area"):
        raise unsupported(input, mode)


def resized(input, wanted: tuple, mode: str, align: bool, scales: tuple):
    """The input in the sizes `wanted`; of bytes the nearest ones."""
    if input.dtype is not uint8 or mode.startswith("nearest"):
        return upsample.function(input, wanted, mode, align, scales)
    if type(input._array) is np.ndarray:
        found = of_bytes(input._array, wanted, mode, align, scales)
        return wrap(with_channels_last(found) if channels_are_last(input._array) else found)
    return upsample.function(input.float(), wanted, mode, align, scales).round().clamp(0, 255).to(uint8)


@composite("nn.functional.interpolate", method=False)
def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False
):  # fmt: skip
    """input [N, C, *S] resized to `size`, or by `scale_factor`.
    `mode` is 'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area', by the number of
    dimensions of S (1 to 3). `align_corners` lets the corners meet, `antialias` smooths what shrinks. ValueError:
    both or neither of `size` and `scale_factor`. NotImplementedError: a mode that does not fit the dimensions."""
    d = input._array.ndim - 2
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
    scales = (None,) * d
    if size is None:
        wanted, factors = sizes_scaled(input, mode, scale_factor)
        scales = scales if recompute_scale_factor else factors
    elif recompute_scale_factor:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    else:
        wanted = sizes_given(input, mode, size)
    check_mode(input, mode)
    if mode == "area":
        return find_function(f"nn.functional.adaptive_avg_pool{d}d")(input, wanted)
    if antialias:
        if mode not in ("bilinear", "bicubic"):
            raise ValueError(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
            )
        mode += "-aa"
    check_sizes(input._array, mode, wanted, align_corners, scale_factor)
    wanted = tuple(map(int, wanted))
    sized((*input._array.shape[:2], *wanted), input._array.itemsize)
    return resized(input, wanted, mode, bool(align_corners), scales)


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
