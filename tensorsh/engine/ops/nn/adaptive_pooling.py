"""Adaptive, power-average and inverse pooling."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ... import kernels
from ...arrays.backend import fold_at
from ...arrays.determinism import chance
from ...arrays.dtype import of
from ...arrays.extents import count, sized, strided
from ...arrays.layout import channels_are_last, row_order, with_channels_last
from ...loading.table import find_function
from ...numerics.extremes import bounded
from ...numerics.halves import in_singles
from ...numerics.windows import check_adaptive, many, remembered
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor
from ...wording.overloads import refuse as refuse_arguments
from .pooling import plain, refused


def spans(n: int, m: int) -> tuple[Any, Any]:
    """Where the m windows that share n elements out begin, floor(i n / m), and end, ceil((i + 1) n / m)."""
    at = np.arange(m, dtype=np.int64)
    return at * n // m, -(-(at + 1) * n // m)


added_along = kernels.kernel("added_along", kernels.unsuited)
region_sums, region_spread, region_maxima = (
    kernels.kernel(name, kernels.unsuited) for name in ("region_sums", "region_spread", "region_maxima")
)


def volume(x: Any, d: int) -> Any:
    """An array [..., *S] as planes of three dimensions, for the compiled kernels."""
    shape = x.shape
    first = len(shape) - d
    return row_order(x).reshape(prod(shape[:first]), *(1,) * (3 - d), *shape[first:])


@lru_cache(64)
def edges(spatial: tuple, size: tuple) -> Any:
    """Where the windows of each of three dimensions begin and end, as the compiled kernels want them."""
    ones = (1,) * (3 - len(size))
    return np.concatenate(
        [side for n, m in zip((*ones, *spatial), (*ones, *size), strict=True) for side in spans(n, m)]
    )


def regions(x: Any, size: Any) -> tuple:
    """What a kernel of regions takes: planes, edges, sizes of the result."""
    d = len(size)
    return volume(x, d), edges(x.shape[x.ndim - d :], tuple(size)), (*(1,) * (3 - d), *size)


def averaging(xp, n: int, m: int, dtype) -> object:
    """The matrix [m, n] that averages each window."""
    matrix = np.zeros((m, n), dtype)
    for i, (a, b) in enumerate(zip(*spans(n, m), strict=True)):
        matrix[i, a:b] = 1.0 / (b - a)
    return xp.asarray(matrix)


@operator(
    "_adaptive_average",
    node=lambda input, size: f"AdaptiveAvgPool{len(size)}DBackward0",
    method=False,
    wide=True,
    laid="planes 1",
)
def adaptive_average(xp, input: Array, size):
    """Each spatial dimension averaged down to `size`."""
    if type(input) is np.ndarray and input.size and all(size) and input.dtype.kind == "f":
        found = region_sums(*regions(input, size), True)
        if found is not None:
            return found.reshape(*input.shape[: input.ndim - len(size)], *size)
    for axis, m in enumerate(size, input.ndim - len(size)):
        matrix = averaging(xp, input.shape[axis], m, input.dtype)
        input = xp.moveaxis(xp.moveaxis(input, axis, -1) @ matrix.T, -1, axis)
    return xp.ascontiguousarray(input)


@operator("_adaptive_average_spread", method=False, wide=True, laid="planes 1")
def adaptive_average_spread(xp, grad: Array, shape, size):
    """The transpose of `_adaptive_average`."""
    if type(grad) is np.ndarray and grad.size and prod(shape):
        image = np.zeros(shape, grad.dtype)
        if (
            region_spread(volume(grad, len(size)), volume(image, len(size)), edges(shape[-len(size) :], tuple(size)))
            is not None
        ):
            return image
    for axis, m in enumerate(size, grad.ndim - len(size)):
        grad = xp.moveaxis(xp.moveaxis(grad, axis, -1) @ averaging(xp, shape[axis], m, grad.dtype), -1, axis)
    return xp.ascontiguousarray(grad)


def filled(g: Any, size: Any, kind: str) -> Any:
    """The gradient of a pooling, which is to have elements but for the number of images."""
    for at, n in enumerate(g.shape[1:], 1):
        if not n:
            raise RuntimeError(
                f"adaptive_{kind}_pool{len(size)}d_backward(): Expected grad_output to have non-zero size for non-batch dimensions, "
                f"but grad_output has sizes {list(g.shape)} with dimension {at} being empty"
            )
    return g


adaptive_average.gradient(
    input=lambda t, g, input_shape, size: t._adaptive_average_spread(filled(g, size, "avg"), tuple(input_shape), size)
)
adaptive_average_spread.gradient(grad=lambda t, g, size: t._adaptive_average(g, size))


@operator(
    "_adaptive_max",
    node=lambda input, size: f"AdaptiveMaxPool{len(size)}DBackward0",
    outputs="_ (_)",
    method=False,
    wide=True,
    laid="planes 1",
)
def adaptive_max(xp, input: Array, size):
    """The largest element of each adaptive window, and its flat index."""
    spatial = input.shape[-len(size) :]
    outer = input.shape[: -len(size)]
    if type(input) is np.ndarray and input.size and all(size):
        found = region_maxima(*regions(input, size))
        if found is not None:
            return tuple(each.reshape(*outer, *size) for each in found)
    values = xp.empty((*outer, *size), input.dtype)
    indices = xp.empty((*outer, *size), np.int64)
    numbers = xp.arange(prod(spatial)).reshape(spatial)
    windows = [spans(n, m) for n, m in zip(spatial, size, strict=True)]
    for cell in np.ndindex(*size):
        box = tuple(slice(start[i], end[i]) for i, (start, end) in zip(cell, windows, strict=True))
        part = input[(..., *box)]
        part = part.reshape(*outer, prod(part.shape[len(outer) :]))
        best = part.argmax(-1)
        values[(..., *cell)] = xp.take_along_axis(part, best[..., None], -1)[..., 0]
        indices[(..., *cell)] = numbers[box].reshape(-1)[best]
    return values, indices


adaptive_max.gradient(
    input=lambda t, g, input_shape, size, result1: t._scatter_flat(
        filled(g[0], size, "max"), result1, tuple(input_shape), len(size)
    )
)


@operator("_scatter_flat", method=False)
def scatter_flat(xp, grad: Array, indices: Array, shape, dims):
    """Values added at flat indices of the last `dims` dimensions of a tensor of zeros."""
    outer = prod(shape[: len(shape) - dims])
    if type(grad) is np.ndarray and grad.size:
        out = np.zeros((outer, prod(shape[len(shape) - dims :])), grad.dtype)
        places, values = (np.ascontiguousarray(a).reshape(outer, -1) for a in (indices, grad))
        add = lambda to, given: added_along(to, 1, places, given)
        if add(out, values) or in_singles(add, out, values):
            found = out.reshape(shape)
            return with_channels_last(found) if dims == 2 and channels_are_last(indices) else found
    out = xp.zeros((outer, prod(shape[len(shape) - dims :])), grad.dtype)
    rows = xp.arange(outer)[:, None]
    cells = indices.size // outer if outer else 0
    fold_at(xp, "add", out, (rows, indices.reshape(outer, cells)), grad.reshape(outer, cells))
    return out.reshape(shape)


def gather_flat(t, g, indices, dims):
    flat = t.flatten(g, g.ndim - dims)
    return t.gather(flat, -1, t.flatten(indices, indices.ndim - dims)).reshape(indices.shape)


scatter_flat.gradient(grad=lambda t, g, indices, dims: gather_flat(t, g, indices, dims))


@remembered
def _sizes(kind: str, shape: tuple, item: int, output_size: Any, d: int) -> tuple:
    """The sizes asked for, checked."""
    whole = output_size is None or isinstance(output_size, int) or not getattr(output_size, "shape", True)
    wanted = (output_size,) * d if whole else tuple(output_size)
    if d == 1 and len(wanted) != 1:
        raise RuntimeError(
            f"adaptive_{kind}_pool1d() argument 'output_size' should contain one int (got {len(wanted)})"
        )
    wanted = tuple(
        n if m is None else int(m) for n, m in zip((*(1,) * d, *shape)[-len(wanted) :], wanted, strict=False)
    )
    check_adaptive(kind, d, shape, wanted)
    size = (*shape[:-d], *(1,) * (d == 1), *wanted)  # a line is a plane of one row
    if kind == "avg":
        count(size)
    sized(size, item)
    return wanted


def means(input: Any, d: int) -> Any:
    """The means of the last dimensions, each of size 1 then; the layout of images stays."""
    found = input.mean(tuple(range(-1, -d - 1, -1)), keepdim=True)
    if d == 2 and channels_are_last(input._array):
        n, c = found._array.strides[:2]
        found._array = strided(found._array, found._array.shape, (n, c, n, n))
    return found


def _adaptive_forms(d: int) -> None:
    def average(input, output_size):
        if d > 1 and type(output_size) is int and output_size == 1:
            return means(input, d)
        size = _sizes("avg", input._array.shape, input._array.itemsize, output_size, d)
        if d == 1 and size[0] > 1 and plain(input):
            refused("adaptive_avg_pool2d", input._array, "biuc")
            return adaptive_average.function(input, size)
        if d == 1:
            return find_function("nn.functional.adaptive_avg_pool2d")(input.unsqueeze(-2), (1, size[0])).squeeze(-2)
        if all(m == 1 for m in size):
            return means(input, d)
        refused(f"adaptive_avg_pool{d}d" + "_cpu" * (d == 3), input._array, "biuc")
        return adaptive_average.function(input, size)

    def maximum(input, output_size, return_indices=False):
        size = _sizes("max", input._array.shape, input._array.itemsize, output_size, d)
        if d == 1 and plain(input):
            refused("adaptive_max_pool2d", input._array, "biuc")
            values, indices = adaptive_max.function(input, size)
        elif d == 1:
            values, indices = find_function("nn.functional.adaptive_max_pool2d")(
                input.unsqueeze(-2), (1, size[0]), True
            )
            values, indices = values.squeeze(-2), indices.squeeze(-2)
        else:
            refused(f"adaptive_max_pool{d}d" + "_cpu" * (d == 3), input._array, "biuc")
            values, indices = adaptive_max.function(input, size)
        return (values, indices) if return_indices else values

    average.__name__, maximum.__name__ = f"adaptive_avg_pool{d}d", f"adaptive_max_pool{d}d"
    average.__doc__ = (
        f"The mean of windows that divide the last {d} dimensions into `output_size` parts.\n\n"
        "Input [N, C, ...] or [C, ...]; the dtype stays. Windows may differ in size by one and overlap where the sizes do not "
        "divide;\nNone in `output_size` keeps a dimension. RuntimeError: another number of dimensions, whole numbers."
    )
    maximum.__doc__ = (
        f"The maximum of windows that divide the last {d} dimensions into `output_size` parts.\n\n"
        "Input [N, C, ...] or [C, ...]; the dtype stays; with `return_indices` also the flat places of the maxima (int64).\n"
        "None in `output_size` keeps a dimension. RuntimeError: another number of dimensions, whole numbers."
    )

    def with_indices(input, output_size, return_indices=False):
        return maximum(input, output_size, True)

    with_indices.__name__ = f"adaptive_max_pool{d}d_with_indices"
    with_indices.__doc__ = f"`adaptive_max_pool{d}d` together with flat indices."
    composite(f"nn.functional.adaptive_avg_pool{d}d" + (" adaptive_avg_pool1d" if d == 1 else ""), method=False)(
        average
    )
    composite(f"nn.functional.adaptive_max_pool{d}d", method=False)(maximum)
    composite(
        f"nn.functional.adaptive_max_pool{d}d_with_indices" + (" adaptive_max_pool1d" if d == 1 else ""), method=False
    )(with_indices)


def _lp_forms(d: int) -> None:
    def pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        kernel = many(kernel_size, d)
        average = find_function(f"nn.functional.avg_pool{d}d")
        out = average(input.pow(norm_type), kernel if d > 1 else kernel_size, stride, 0, ceil_mode)
        return (out.sign() * out.abs().relu()).mul(prod(kernel)).pow(1.0 / norm_type)

    pool.__name__ = f"lp_pool{d}d"
    pool.__doc__ = f"The p-norm of each window of the last {d} dimensions."
    composite(f"nn.functional.lp_pool{d}d", method=False)(pool)


@operator(
    "_max_unpool", node=lambda input, indices, size: f"MaxUnpool{len(size)}DBackward0", method=False, laid="images 1"
)
def max_unpool(xp, input: Array, indices: Array, size):
    """Values put at flat indices of an output of spatial shape `size`; zeros elsewhere."""
    d = len(size)
    chance(f"max_unpooling{d}d_forward_out")
    outer = input.shape[:-d]
    count((*outer, *size))
    out = xp.zeros((prod(outer), prod(size)), input.dtype)
    flat = indices.reshape(prod(outer), prod(indices.shape[-d:]))
    volume = lambda: "x".join(map(str, size))
    bounded(
        flat,
        prod(size),
        lambda bad: RuntimeError(f"Found an invalid max index: {bad} (output volumes are of size {volume()})"),
    )
    out[xp.arange(len(flat))[:, None], flat] = input.reshape(flat.shape)
    return out.reshape(*outer, *size)


max_unpool.gradient(input=lambda t, g, indices, size: gather_flat(t, g, indices, len(size)))


def check_unpool(d: int, values: Array, indices: Array) -> None:
    count = values.ndim + (d == 1)
    single, d = d == 1, max(d, 2)
    if count not in (d + 1, d + 2):
        raise RuntimeError(
            f"Input to max_unpooling{d}d should be a {d + 1}d or {d + 2}d Tensor, but got a tensor with {count} dimensions."
        )
    if indices.dtype != np.int64:
        got = f" but got: {of(indices).short}" if d == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{got}")
    if indices.shape != values.shape:
        shown, given = ([*x.shape, 1] if single else list(x.shape) for x in (values, indices))
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({shown}) but got indices tensor with shape: "
            f"{given}"
        )


def unpooled_size(sizes: tuple, kernel: tuple, stride: tuple, padding: tuple, wanted: Any) -> Any:
    """The spatial size of the output of an unpooling; `wanted` may be one that the pooling could have come from too."""
    d = len(kernel)
    default = [(sizes[i - d] - 1) * stride[i] + kernel[i] - 2 * padding[i] for i in range(d)]
    found = default
    if wanted is not None:
        found = wanted[2:] if len(wanted) == d + 2 else wanted
        if len(found) != d:
            raise ValueError(
                f"output_size should be a sequence containing {d} or {d + 2} elements, but it has a length of '{len(found)}'"
            )
        for i in range(d):
            low, high = default[i] - stride[i], default[i] + stride[i]
            if not low < found[i] < high:
                raise ValueError(f'invalid output_size "{found}" (dim {i} must be between {low} and {high})')
    for i in range(d):
        if found[i] < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{i}]={found[i]}"
            )
    return found


def _unpool_forms(d: int) -> None:
    def unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        spread = lambda value: tuple(value) if hasattr(value, "__iter__") else (value,) * d
        kernel = spread(kernel_size)
        if d > 1 and len(kernel) < d:
            names = "two elements (height, width)" if d == 2 else "three elements (depth, height, width)"
            raise RuntimeError(f"There should be exactly {names} in output_size, but got {len(kernel)} elements.")
        step, pad = kernel if stride is None else spread(stride), spread(padding)
        size = unpooled_size(input.size(), kernel, step, pad, output_size)
        known = type(indices) is Tensor and {*map(type, (*size, *step, *pad))} == {int} and max(size) < 1 << 31
        if not known and d == 1:  # PyTorch's is that of two dimensions
            refuse_arguments("_nn.max_unpool2d", (input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]), {})
        elif not known:
            more = (step, pad) if d == 3 else ()
            refuse_arguments(f"_nn.max_unpool{d}d", (input, indices, size, *more), {})
        check_unpool(d, input._array, indices._array)
        if d == 3 and min(step) <= 0:
            raise RuntimeError(f"strides should be greater than zero, but got stride: {list(step)}")
        size = [int(n) for n in size]
        if d == 1:
            return max_unpool.function(input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1)).squeeze(-1)
        return max_unpool.function(input, indices, tuple(size))

    unpool.__name__ = f"max_unpool{d}d"
    unpool.__doc__ = f"Maxima put back where `max_pool{d}d` found them."
    composite(f"nn.functional.max_unpool{d}d", method=False)(unpool)


for _d in (2, 1, 3):
    _adaptive_forms(_d)
    _lp_forms(_d)
    _unpool_forms(_d)
