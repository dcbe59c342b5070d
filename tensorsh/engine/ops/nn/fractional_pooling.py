"""Fractional max pooling: windows of one size whose places are drawn at random, about evenly spaced."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...arrays.dtype import is_half
from ...kernels import kernel as compiled
from ...kernels import unsuited
from ...loading.table import find_function
from ...numerics.halves import FLOAT32, converted
from ...operators.declare import Array, composite, operator

fractional_maxima = compiled("fractional_maxima", unsuited)
region_maxima = compiled("region_maxima", unsuited)


def starts(xp: Any, sample: Any, n: int, out: int, k: int) -> Any:
    """Where `out` windows of k elements begin in n, for each of the random numbers `sample` [M]: [M, out]."""
    at = xp.full((len(sample), out), n - k, np.int64)
    if out > 1:
        step = sample.dtype.type(n - k) / sample.dtype.type(out - 1)
        i = xp.arange(out - 1).astype(sample.dtype)
        at[:, :-1] = ((i + sample[:, None]) * step).astype(np.int64) - (sample * step).astype(np.int64)[:, None]
    return at


def maxima_of_regions(planes: Any, draws: Any, kernel: Any, size: Any) -> Any:
    """The largest elements of windows of planes [M, *S], and their flat indices, by a kernel; None where it is not for them."""
    begins = [starts(np, draws[:, k], planes.shape[1 + k], size[k], kernel[k]) for k in range(len(size))]
    edges = [edge for begin, width in zip(begins, kernel, strict=True) for edge in (begin, begin + width)]
    if len(size) == 2:
        first = np.zeros((len(planes), 1), np.int64)
        edges = [first, first + 1, *edges]
        planes, size = planes[:, None], (1, *size)
    half = planes.dtype if is_half(planes.dtype) else None
    x = planes if half is None else converted(planes, FLOAT32)
    found = region_maxima(np.ascontiguousarray(x), np.ascontiguousarray(np.concatenate(edges, 1)), tuple(size))
    return found if found is None or half is None else (converted(found[0], half), found[1])


@operator(
    "_fractional_max_pool", node=lambda input, kernel, size, samples: f"FractionalMaxPool{len(size)}DBackward0", outputs="_ (_)", method=False,
)  # fmt: skip
def fractional(xp, input: Array, kernel, size, samples):
    """The largest elements of windows of input [..., *S], and their flat indices in S."""
    d = len(kernel)
    spatial, outer = input.shape[-d:], input.shape[:-d]
    planes = input.reshape(prod(outer), *spatial)
    draws = samples.reshape(samples.size // d, d)[: len(planes)].astype(input.dtype, copy=False)
    if d == 2 and type(planes) is np.ndarray:
        found = fractional_maxima(*map(np.ascontiguousarray, (planes, draws)), (*kernel, *size))
        if found is not None:
            return tuple(each.reshape(*outer, *size) for each in found)
    # In two dimensions the first number of a sample belongs to the width, in three to the depth.
    order = range(d) if d == 3 else range(d - 1, -1, -1)
    if type(planes) is np.ndarray and (found := maxima_of_regions(planes, draws[:, order], kernel, size)) is not None:
        return tuple(each.reshape(*outer, *size) for each in found)
    index = xp.zeros((len(planes),) + (1,) * (2 * d), np.int64)
    first = index
    for axis, drawn in zip(range(d), order, strict=True):
        begin = starts(xp, draws[:, drawn], spatial[axis], size[axis], kernel[axis])
        inside = begin[:, :, None] + xp.arange(kernel[axis])
        shape = [len(planes)] + [1] * (2 * d)
        shape[1 + axis], shape[1 + d + axis] = inside.shape[1:]
        index = index * spatial[axis] + inside.reshape(shape)
        shape[1 + d + axis] = 1
        first = first * spatial[axis] + begin.reshape(shape)
    index = index.reshape(len(planes), *size, prod(kernel))
    rows = xp.arange(len(planes)).reshape((-1,) + (1,) * (d + 1))
    if not index.size:  # windows of no elements begin somewhere all the same
        return xp.full((*outer, *size), -np.inf, input.dtype), first.reshape(*outer, *size)
    values = planes.reshape(len(planes), prod(spatial))[rows, index]
    best, nan = values.argmax(-1), values != values
    best = xp.where(nan.any(-1), nan.shape[-1] - 1 - nan[..., ::-1].argmax(-1), best)[
        ..., None
    ]  # the last of several NaN
    pick = lambda x: xp.take_along_axis(x, best, -1).reshape(*outer, *size)
    return pick(values), pick(index)


fractional.gradient(
    input=lambda t, g, input_shape, size, result1: t._scatter_flat(g[0], result1, tuple(input_shape), len(size))
)


def _many(value: Any, d: int) -> tuple:
    return (value,) * d if isinstance(value, (int, float)) else tuple(value)


def _check_counts(name: str, d: int, kernel: tuple, size: tuple) -> None:
    ints = "tuple of Ints" if d == 2 else "tuple of three Ints"
    for what, given in (("kernel_size", kernel), ("output_size", size)):
        if len(given) != d:
            raise RuntimeError(f"{name}: {what} must either be a single Int or {ints}")


def _check_planes(name: str, d: int, shape: tuple) -> None:
    """RuntimeError where anything but the batch is empty."""
    title = name + ("_out" if d == 3 else "")
    if len(shape) not in (d + 1, d + 2):
        raise RuntimeError(f"{title}(): Expected {d + 1}D or {d + 2}D tensor, but got: {list(shape)}")
    for dim in range(len(shape) - d - (len(shape) == d + 2), len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"{title}(): Expected input to have non-zero size for non-batch dimensions, but got{list(shape)} with dimension "
                f"{dim} being empty."
            )


def _check_samples(d: int, shape: tuple, samples: tuple, same: bool) -> None:
    if not same:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    batch, channels = (shape[0] if len(shape) == d + 2 else 1), shape[-d - 1]
    if len(samples) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(samples)}")
    if samples[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples[1] != channels:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples[2] != d:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {d}; got {samples[2]}.")


def _forms(d: int) -> None:
    name = f"fractional_max_pool{d}d"
    title = name + ("_out" if d == 3 else "")

    def with_indices(
        input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
    ):
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        spatial = input.shape[-d:]
        if output_size is None:
            ratios = _many(output_ratio, d)
            if len(output_ratio if d == 2 else ratios) != d:
                what = "tuple of Ints" if d == 2 else "tuple of three Ints"
                raise ValueError(f"{name} requires output_ratio to either be a single Int or {what}.")
            output_size = [int(n * ratio) for n, ratio in zip(spatial, ratios, strict=True)]
        kernel, size = _many(kernel_size, d), _many(output_size, d)
        _check_counts(name, d, kernel, size)
        if _random_samples is None:
            at = input._array.shape.__getitem__ if input.ndim > d else input.size  # the latter says what is wrong
            batch = 1 if input.ndim == d + 1 else at(0)
            _random_samples = find_function("rand")(batch, at(-d - 1), d, dtype=input.dtype)
        _check_planes(name, d, input._array.shape)
        sides = list(zip(("time", "height", "width")[-d:], spatial, kernel, size, strict=True))
        for which, n, k, out in sides if d == 2 else (sides[0], sides[2], sides[1]):
            if out + k - (d == 2) > n:
                raise RuntimeError(f"{title}(): pool {which} {k} too large relative to input {which} {n}")
        if min(size) < 0:
            shape = [*input.shape[:-d], *size]
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {shape}")
        _check_samples(d, input._array.shape, _random_samples._array.shape, _random_samples.dtype is input.dtype)
        return fractional.function(input, kernel, size, _random_samples._array)

    def pool(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        both = with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        return tuple(both) if return_indices else both[0]

    pool.__name__, with_indices.__name__ = name, name + "_with_indices"
    pool.__doc__ = f"The maximum of randomly placed windows of the last {d} dimensions, `output_size` of them."
    with_indices.__doc__ = f"`{name}` together with flat indices."
    for f in (pool, with_indices):
        composite("nn.functional." + f.__name__, method=False)(f)


_forms(2)
_forms(3)
