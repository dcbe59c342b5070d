"""Batch, group and layer norm by the compiled kernels, which have PyTorch's bits: in the array's own layout."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import kernels
from ..arrays.dtype import is_half
from ..arrays.layout import channels_are_last, row_order, with_channels_last
from ..arrays.state import state
from .halves import FLOAT32, converted, in_rows
from .rounding import fused


def side_by_side(weight: Any) -> Any:
    """The weights of a norm side by side in memory, where there are any."""
    return None if weight is None else np.ascontiguousarray(weight)


def are_doubles(x: Any) -> bool:
    """Whether there are kernels, and an array is numpy's, of float64."""
    return kernels.compiled is not None and type(x) is np.ndarray and x.dtype is kernels.FLOAT64


def laid_out(x: Any) -> Any:
    """x [N, C, *S] as it lies: [N, C, S] in C order, or a copy of what lies in such an order in steps; [N * S, C] with the channels
    last; None where it is neither."""
    shape, x = x.shape, in_rows(x)
    if len(shape) == 2 or prod(shape[2:]) == 1:
        return x.reshape(shape[:2]) if x.flags.c_contiguous else None
    if x.flags.c_contiguous:
        return x.reshape(*shape[:2], -1)
    last = np.moveaxis(x, 1, -1)
    return last.reshape(-1, shape[1]) if last.flags.c_contiguous else None


def batch(x: Any, weight: Any, bias: Any, given: tuple, eps: float, running: tuple) -> Any:
    """The result with means and reciprocal deviations, running statistics updated; None if the kernel is not made for it."""
    laid = laid_out(x) if x.size else None
    if laid is None:
        return None
    out = np.empty_like(x)
    column = (1, -1) + (1,) * (x.ndim - 2)
    mean, rstd = np.empty(x.shape[1], x.dtype), np.empty(x.shape[1], x.dtype)
    target = laid_out(out)
    f = kernels.compiled.batch_norm
    if f(laid, weight, bias, eps, target, mean, rstd, *running, *given) is None:
        return None
    return out, (mean if given[0] is None else given[0]).reshape(column), rstd.reshape(column)


def batch_gradient(g: Any, needs: list, x: Any, weight: Any, mean: Any, rstd: Any, training: bool) -> Any:
    """The gradients of input, weight and bias; None if the kernel is not made for this."""
    laid, gradient = (laid_out(x), laid_out(g)) if x.size else (None, None)
    if laid is None or gradient is None or laid.shape != gradient.shape:
        return None
    dx = np.empty_like(x) if needs[0] else None
    target = None if dx is None else laid_out(dx)
    sums = [np.empty(x.shape[1], x.dtype) if needed else None for needed in needs[1:]]
    f = kernels.compiled.batch_norm_backward
    done = f(gradient, laid, weight, mean.reshape(-1), rstd.reshape(-1), training, target, *sums)
    return None if done is None else (dx, *sums)


MANY = 1 << 16
"""Fewer elements of half types are normalised as others are, in float32."""


def in_halves(x: Any) -> bool:
    """Whether an array of a half type is normalised by the kernels as it is: a large one."""
    if type(x) is not np.ndarray or not is_half(x.dtype) or kernels.compiled is None:
        return False
    return x.flags.c_contiguous and x.size > MANY


def singles(*vectors: Any) -> list:
    """Vectors of numbers as float32, where there are any."""
    return [None if v is None else np.ascontiguousarray(converted(v.reshape(-1), FLOAT32)) for v in vectors]


def of_moments(x: Any) -> Any:
    """The dtype of means and deviations."""
    return FLOAT32 if is_half(x.dtype) else x.dtype


def batch_of_halves(x: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float, running: tuple) -> Any:
    """As `batch`, for a half type; None for others."""
    if not in_halves(x) or x.ndim < 3:
        return None
    samples, channels = x.shape[:2]
    *weights, mean, var = singles(weight, bias, mean, var)
    moving = singles(*running[:2])
    out, means, rstd = np.empty_like(x), np.empty(channels, FLOAT32), np.empty(channels, FLOAT32)
    laid, target = (a.reshape(samples, channels, -1) for a in (x, out))
    f = kernels.compiled.batch_norm
    if f(laid, *weights, eps, target, means, rstd, *moving, running[2], mean, var) is None:
        return None
    column = (1, -1) + (1,) * (x.ndim - 2)
    for to, v in zip(running[:2], moving, strict=True):
        if to is not None:
            to[...] = converted(v, to.dtype)
    means = means if mean is None else mean
    return out, means.reshape(column), rstd.reshape(column)


def group(x: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """The result, means and reciprocal deviations [N, groups, 1]; None if the kernel is not made for this."""
    if not x.size:
        return None
    x = row_order(x)
    kind, shape = of_moments(x), (len(x), groups, 1)
    out, mean, rstd = np.empty(x.shape, x.dtype), np.empty(shape, kind), np.empty(shape, kind)
    found = kernels.compiled.group_norm(x, weight, bias, eps, out, mean, rstd, groups)
    return None if found is None else (out, mean, rstd)


def group_gradient(g: Any, needs: list, x: Any, weight: Any, groups: int, mean: Any, rstd: Any) -> Any:
    """The gradients of input, weight and bias; None if the kernel is not made for this."""
    if not x.size:
        return None
    images = channels_are_last(x)
    x = row_order(x)
    samples, channels = x.shape[:2]
    shape = (samples * groups, channels // groups, -1)
    dx = np.empty_like(x) if needs[0] else None
    sums = [np.empty((*shape[:2], 1), x.dtype) for _ in range(2)]
    moments = [a.reshape(-1, 1) for a in (mean, rstd)]
    target = None if dx is None else dx.reshape(shape)
    f = kernels.compiled.group_norm_backward
    done = f(row_order(g).reshape(shape), x.reshape(shape), weight, *moments, *sums, target, groups)
    weights = [np.empty(channels, x.dtype) if needed else None for needed in needs[1:]]
    if done is not None and (needs[1] or needs[2]):
        done = kernels.compiled.group_norm_weights(*sums, *moments, *weights, groups)
    dx = with_channels_last(dx) if images and needs[0] else dx
    return None if done is None else (dx, *weights)


def layer(x: Any, dims: int, weight: Any, bias: Any, eps: float) -> Any:
    """The compiled kernel, which has PyTorch's bits; None if it is not made for this."""
    shape = (*x.shape[: x.ndim - dims], *(1,) * dims)
    n = prod(x.shape[x.ndim - dims :])
    if not x.size:
        return None
    weight, bias = side_by_side(weight), side_by_side(bias)
    flat = row_order(x).reshape(-1, n)
    out, mean, rstd = np.empty_like(flat), *np.empty((2, len(flat), 1), of_moments(x))
    if kernels.compiled.layer_norm(flat, weight, bias, eps, out, mean, rstd) is None:
        return None
    return out.reshape(x.shape), mean.reshape(shape), rstd.reshape(shape)


def layer_of_halves(x: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    """As `layer`, for a half type; None for others."""
    if not in_halves(x):
        return None
    weight, bias = singles(weight, bias)
    return layer(x, len(normalized_shape), weight, bias, eps)


def group_of_halves(x: Any, weight: Any, bias: Any, num_groups: int, eps: float) -> Any:
    """As `group`, for a half type; None for others."""
    if not in_halves(x):
        return None
    weight, bias = singles(weight, bias)
    return group(x, weight, bias, num_groups, eps)


def layer_gradient(g: Any, needs: list, x: Any, shape: tuple, weight: Any, mean: Any, rstd: Any) -> Any:
    """The gradients by the compiled kernel, which has PyTorch's bits; None if it is not made for this."""
    n = prod(shape)
    if not x.size:
        return None
    weight = side_by_side(weight)
    flat, g = (np.ascontiguousarray(a).reshape(-1, n) for a in (x, g))
    mean, rstd = mean.reshape(-1, 1), rstd.reshape(-1, 1)
    dx = np.empty_like(flat) if needs[0] else None
    sums = [np.zeros(shape, x.dtype) if needed else None for needed in needs[1:]]
    # Threads share the rows, or the columns of sums over the rows: not both at once.
    apart = state.threads > 1 and dx is not None and any(needs[1:])
    for some in ((dx, None, None), (None, *sums)) if apart else ((dx, *sums),):
        if kernels.compiled.layer_norm_backward(g, flat, weight, mean, rstd, *some) is None:
            return None
    return (None if dx is None else dx.reshape(x.shape), *sums)


def layer_gradient_of_doubles(g: Any, needs: list, x: Any, shape: tuple, weight: Any, mean: Any, rstd: Any) -> tuple:
    """The gradients of a layer norm of double precision in PyTorch's steps, whose rests show where a gradient is zero."""
    n, full = prod(shape), x.shape
    x, g = x.reshape(-1, n), g.reshape(-1, n)
    mean, rstd = mean.reshape(-1, 1), rstd.reshape(-1, 1)
    dx = dw = db = None
    if needs[0]:
        w = 1.0 if weight is None else weight.reshape(-1)
        along, total = (np.sum(v, -1, keepdims=True) for v in (g * x * w, g * w))
        slope = (total * mean - along) * rstd * rstd * rstd * (1.0 / n)
        shift = -slope * mean - total * rstd * (1.0 / n)
        dx = (fused(slope, x, rstd * g * w) + shift).reshape(full)
    if needs[1]:
        dw = np.sum(g * fused(rstd, x, -rstd * mean), 0).reshape(shape)
    if needs[2]:
        db = np.sum(g, 0).reshape(shape)
    return dx, dw, db


def batch_gradient_of_doubles(g: Any, needs: list, x: Any, w: Any, mean: Any, rstd: Any, training: bool) -> tuple:
    """The gradients of a batch norm of double precision in PyTorch's steps; `w`, the mean and the deviation lie along the channels."""
    axes = (0, *range(2, x.ndim))
    n = x.size // x.shape[1] if x.size else 1
    total, along = (np.sum(v, axes, keepdims=True) for v in (g, (x - mean) * g))
    dx = None
    if needs[0]:
        dx = fused(mean - x, along * rstd * rstd / n, g - total / n) * rstd if training else g * rstd
        dx = dx if w is None else dx * w
    return dx, (along * rstd).reshape(-1) if needs[1] else None, total.reshape(-1) if needs[2] else None


def group_gradient_of_doubles(g: Any, needs: list, x: Any, weight: Any, groups: int, mean: Any, rstd: Any) -> tuple:
    """The gradients of a group norm of double precision in PyTorch's steps."""
    shape = (len(x), groups, x.shape[1] // groups, -1)
    flat, slope = x.reshape(shape), g.reshape(shape)
    share = 1.0 / (flat.shape[2] * flat.shape[3])
    mean, rstd = mean[..., None], rstd[..., None]
    total, along = (np.sum(v, 3, keepdims=True) for v in (slope, slope * flat))
    w = 1.0 if weight is None else weight.reshape(1, groups, -1, 1)
    dx = dw = None
    if needs[0]:
        plain, with_x = (np.sum(v * w, 2, keepdims=True) for v in (total, along))
        b = fused(plain, mean, -with_x) * rstd * rstd * rstd * share
        shift = fused(-(plain * rstd), np.full_like(plain, share), -b * mean)
        dx = (fused(rstd * w, slope, b * flat) + shift).reshape(x.shape)
    if needs[1]:
        dw = np.sum(fused(-total, mean, along) * rstd, 0).reshape(-1)
    return dx, dw, np.sum(total, 0).reshape(-1) if needs[2] else None
