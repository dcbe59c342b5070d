"""Pooling by means of windows, and the response of a channel beside its neighbours'."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...arrays.errors import refuse_halves
from ...arrays.layout import channels_are_last, channels_before, channels_behind, row_order
from ...kernels import kernel, unsuited
from ...loading import table
from ...numerics.windows import check_pool_input, check_window, remembered, settings
from ...operators.declare import Array, composite, operator
from .pooling import FEW, as_planes, batched, batchwise, exactly, outputs, places, plain, refused, surrounded


@operator(
    "_avg_pool",
    node=lambda input, kernel, *rest: f"AvgPool{len(kernel)}DBackward0",
    method=False,
    wide=True,
    laid="planes 1",
)
@batchwise
def average_pool(xp, input: Array, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """Means of the windows of input [N, C, *S]."""
    shape, total = input.shape, None
    rows = type(input) is not np.ndarray or input.flags.c_contiguous
    last = not rows and input.ndim == 4 and input.dtype.char in "fd" and channels_are_last(input)
    x = input if type(input) is np.ndarray and (last or 0 < input.size <= FEW) else None
    if x is not None and x.dtype.char not in "fd":
        x = exactly(x) if prod(kernel_size) < FEW and x.dtype.kind in "iu" else None
    if x is not None:
        settings = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        out, bounds, planar, counts = regions(shape[2:], *settings)
        planes = channels_behind(x)[:, None] if last else as_planes(row_order(x), len(out))
        varied = type(counts) is np.ndarray
        total = region_sums(planes, bounds, planar, False, 1 if varied else counts)
    if total is not None:
        total = channels_before(total[:, 0]) if last else total.reshape(shape[:2] + out)
        if varied:
            np.divide(total, counts.astype(total.dtype), total)
        return total if x is input else np.trunc(total).astype(input.dtype)
    ones = (1,) * len(kernel_size)
    out = outputs(shape[2:], kernel_size, stride, padding, ones, ceil_mode)
    full = surrounded(xp, input, padding, kernel_size, stride, ones, out, 0)
    for _, place in places(kernel_size, stride, ones, out):
        if total is None:
            total = xp.ascontiguousarray(full[place]) + 0  # a sum from zero: -0 is none
        else:
            total = xp.add(total, full[place], out=total)
    by = divisor(xp, shape, out, kernel_size, stride, padding, count_include_pad, divisor_override, total.dtype)
    return total / by if total.dtype.kind != "i" else xp.trunc(total / by).astype(total.dtype)


region_sums = kernel("region_sums", unsuited)


@lru_cache(64)
def regions(
    shape: tuple, kernel: tuple, stride: tuple, padding: tuple, ceil: bool, include: bool, override: int | None
) -> tuple:
    """How many windows there are; where they begin and end within the input, and their number, in three dimensions; how many
    elements each one's mean counts."""
    out = outputs(shape, kernel, stride, padding, (1,) * len(kernel), ceil)
    found = [np.array([0, 1])] * (3 - len(out))
    for n, m, k, s, p in zip(shape, out, kernel, stride, padding, strict=True):
        begin = np.arange(m) * s - p
        found += [np.clip(begin, 0, n), np.clip(begin + k, 0, n)]
    counts = override or window_counts(shape, out, kernel, stride, padding, include)
    return out, np.concatenate(found).astype(np.int64), (1,) * (3 - len(out)) + out, counts


def divisor(xp, shape, out, kernel, stride, padding, include, override, dtype):
    """How many elements each window's mean counts, as a divisor of sums."""
    counts = override or window_counts(shape[2:], out, kernel, stride, padding, include)
    return xp.asarray(counts.astype(dtype)) if type(counts) is np.ndarray else dtype.type(counts)


@lru_cache(32)
def window_counts(shape: tuple, out: tuple, kernel: tuple, stride: tuple, padding: tuple, include: bool) -> Any:
    """How many elements each window counts: a number where they are alike."""
    sizes = []
    for n, m, k, s, p in zip(shape, out, kernel, stride, padding, strict=True):
        begin = np.arange(m) * s - p
        end = np.minimum(begin + k, n + p)
        sizes.append(end - begin if include else np.minimum(end, n) - np.maximum(begin, 0))
    if all((each == k).all() for each, k in zip(sizes, kernel, strict=True)):
        return prod(kernel)
    counts = sizes[0]
    for size in sizes[1:]:
        counts = counts[..., None] * size
    return counts


average_pool.gradient(
    input=lambda t, g, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
        t._avg_pool_spread(
            g, tuple(input.shape), kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
    )
)


@operator("_avg_pool_spread", method=False, wide=True, laid="planes 1")
@batchwise
def average_pool_spread(
    xp, grad: Array, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    """Gradients of window means, spread over the windows."""
    out, ones = grad.shape[2:], (1,) * len(kernel_size)
    share = grad / divisor(
        xp, shape, out, kernel_size, stride, padding, count_include_pad, divisor_override, grad.dtype
    )
    full = surrounded(xp, xp.zeros(shape, grad.dtype), padding, kernel_size, stride, ones, out, 0)
    for _, place in places(kernel_size, stride, ones, out):
        full[place] += share
    if full.shape != tuple(shape):
        full = full[(slice(None), slice(None), *(slice(p, p + n) for p, n in zip(padding, shape[2:], strict=True)))]
    return xp.ascontiguousarray(full)


average_pool_spread.gradient(
    grad=lambda t, g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: t._avg_pool(
        g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
)


def _average_forms(d: int) -> None:
    @remembered
    def geometry(shape: tuple, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool) -> tuple:
        """The settings for each dimension, once they fit the shape of the input."""
        if d == 1:
            check_pool_input("avg", d, shape)
        (kernel,) = settings("avg", d, kernel_size=kernel_size)
        steps = settings("avg", d, stride=stride)[0] if stride not in (None, [], ()) else kernel
        (border,) = settings("avg", d, padding=padding)
        if d == 1:
            image, high, far, above = (*shape[:-1], 1, shape[-1]), (1, *kernel), (1, *steps), (0, *border)
            fitting = lambda: outputs(image[-2:], high, far, above, (1, 1), ceil_mode)  # noqa: E731
            check_window("avg", image, high, far, above, (1, 1), fitting)
        if d > 1:
            check_pool_input("avg", d, shape)
            ones = (1,) * d
            fitting = lambda: outputs(shape[-d:], kernel, steps, border, ones, ceil_mode)  # noqa: E731
            check_window("avg", shape, kernel, steps, border, ones, fitting)
        return kernel, steps, border

    def pool(
        input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        kernel, steps, border = geometry(input._array.shape, kernel_size, stride, padding, ceil_mode)
        if d == 1 and plain(input) and input._array.dtype.kind not in "bc":
            x, single = batched(input, d)
            y = average_pool.function(x, kernel, steps, border, ceil_mode, count_include_pad, divisor_override)
            return y.squeeze(0) if single else y
        if d == 1:
            sizes = [(n, m[0]) for n, m in zip((1, 1, 0), (kernel, steps, border), strict=True)]
            x = input.unsqueeze(-2)
            return table.FUNCTIONS["nn.functional.avg_pool2d"](x, *sizes, ceil_mode, count_include_pad).squeeze(-2)
        refused(f"avg_pool{d}d", input._array, "bc")
        if d == 3:
            refuse_halves("avg_pool3d_out_frame", input._array)
        return average_pool.function(input, kernel, steps, border, ceil_mode, count_include_pad, divisor_override)

    pool.__name__ = f"avg_pool{d}d"
    pool.__doc__ = (
        f"The mean of each window of input [N, C, ...] ({d} dimensions).\n\n"
        "`kernel_size`, `stride` (that of the kernel by default) and `padding` (with zeros) are one number, or one a "
        "dimension; `count_include_pad` counts the zeros.\nThe dtype stays; N may be missing. RuntimeError: windows that do "
        "not fit."
    )
    composite(f"nn.functional.avg_pool{d}d" + (" avg_pool1d" if d == 1 else ""), method=False)(pool)


for _d in (2, 1, 3):
    _average_forms(_d)


@composite("nn.functional.local_response_norm", method=False)
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Divide each channel by a power of the mean square of its neighbours."""
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )
    if input.numel() == 0:
        return input
    pad, avg_pool2d, avg_pool3d = (
        table.find_function("nn.functional." + n) for n in ("pad", "avg_pool2d", "avg_pool3d")
    )
    square = input.mul(input)
    if input.ndim == 3:
        mean = avg_pool2d(pad(square.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2)), (size, 1), stride=1).squeeze(1)
    else:
        shape = input.shape
        flat = square.view(shape[0], 1, shape[1], shape[2], -1)
        flat = pad(flat, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        mean = avg_pool3d(flat, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / mean.mul(alpha).add(k).pow(beta)
