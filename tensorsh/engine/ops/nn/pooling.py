"""Pooling over windows: maxima (with indices), averages, powers, adaptive forms, and unpooling.

A window is walked position by position: for a 2x2 window four strided slices are compared or added, whole arrays at a time.
The backward pass walks the same way, so overlapping windows need no scattered additions.
"""

from __future__ import annotations

from functools import lru_cache, partial
from inspect import signature
from math import prod
from typing import Any

import numpy as np

from ....sandbox.wrapping import wraps
from ...arrays.dtype import is_half
from ...arrays.errors import not_implemented
from ...arrays.extents import strided
from ...arrays.layout import channels_are_last, row_order, with_channels_last
from ...arrays.state import here
from ...graph.fields import Saved, keep_result
from ...graph.nodes import Hidden
from ...kernels import kernel, unsuited
from ...loading import table
from ...numerics.extremes import extremes
from ...numerics.halves import converted
from ...numerics.windows import INT, check_max_pool1d, check_pool_input, check_window, remembered, settings
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor

NAMES = {1: "MaxPool1D", 2: "MaxPool2D", 3: "MaxPool3D"}


def out_size(n: int, k: int, s: int, p: int, d: int, ceil: bool) -> int:
    """How many windows fit; with `ceil` the last may reach beyond, if it begins inside."""
    span = n + 2 * p - d * (k - 1) - 1
    count = -(-span // s) + 1 if ceil else span // s + 1
    if ceil and (count - 1) * s >= n + p:
        count -= 1
    return count


@remembered
def places(kernel: tuple, stride: tuple, dilation: tuple, out: tuple) -> list[tuple]:
    """For each position in the window: its place, and the slice of the padded input that all windows have there."""
    return [
        (
            at,
            (slice(None), slice(None)) + tuple(
                slice(a * d, a * d + s * (m - 1) + 1, s) for a, d, s, m in zip(at, dilation, stride, out, strict=True)
            ),
        )
        for at in np.ndindex(*kernel)
    ]  # fmt: skip


def surrounded(
    xp: Any, x: Any, padding: tuple, kernel: tuple, stride: tuple, dilation: tuple, out: tuple, value: Any
) -> Any:
    """x with a border wide enough for every window."""
    needed = [
        max((m - 1) * s + d * (k - 1) + 1 - p - n, 0)
        for m, s, d, k, p, n in zip(out, stride, dilation, kernel, padding, x.shape[2:], strict=True)
    ]
    if not any(padding) and not any(needed):
        return x
    shape = (*x.shape[:2], *(n + p + e for n, p, e in zip(x.shape[2:], padding, needed, strict=True)))
    full = xp.full(shape, value, x.dtype)
    full[(slice(None), slice(None), *(slice(p, p + n) for p, n in zip(padding, x.shape[2:], strict=True)))] = x
    return full


def lowest(dtype: np.dtype) -> Any:
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


def batchwise(kernel: Any, laid: bool = False) -> Any:
    """A kernel of images [N, C, *S] as one that also takes a single image [C, *S]; `laid`: whose layout, with three dimensions, its
    results have."""
    names = list(signature(kernel).parameters)[2:]
    at = next(i for i, name in enumerate(names) if name in ("kernel_size", "kernel"))
    shape = names.index("shape") if "shape" in names else None

    @wraps(kernel)
    def either(xp: Any, first: Any, *rest: Any) -> Any:
        d = len(rest[at])
        if first.ndim == d + 2:
            return kernel(xp, first, *rest)
        given = [each[None] if getattr(each, "ndim", 0) == d + 1 else each for each in rest]
        if shape is not None:
            given[shape] = (1, *given[shape])
        found = kernel(xp, image := first[None], *given)
        if laid and d == 3 and channels_are_last(strided(first, image.shape, (first.nbytes, *first.strides))):
            found = tuple(map(with_channels_last, found)) if type(found) is tuple else with_channels_last(found)
        return tuple(each[0] for each in found) if type(found) is tuple else found[0]

    return either


by_layout = partial(batchwise, laid=True)


def max_pool(xp: Any, x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil_mode: bool) -> tuple:
    """Maxima of the windows of x [N, C, *S], and their places in the window; a NaN is the largest, the last one counts."""
    out = outputs(x.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    found = compiled_maxima(x, kernel, stride, padding, dilation, out, True)
    if found is not None:
        return found
    full = surrounded(xp, x, padding, kernel, stride, dilation, out, lowest(x.dtype))
    parts = [full[place] for _, place in places(kernel, stride, dilation, out)]
    best = parts[0].copy()
    where = xp.zeros(best.shape, np.int16 if len(parts) > 255 else np.uint8)
    better = xp.empty(best.shape, bool)
    for number, part in enumerate(parts[1:], 1):
        xp.greater(part, best, out=better)
        equal = best == part
        xp.copyto(best, xp.maximum(best, part), where=~equal)  # of zeros the first counts
        xp.copyto(where, number, where=better)
    if x.dtype.kind == "f" and (type(best) is not np.ndarray or (best != best).any()):
        for number, part in enumerate(parts):
            xp.copyto(where, number, where=part != part)
    return best, where


pool, spread = kernel("max_pool", unsuited), kernel("max_pool_gradient", unsuited)


def as_planes(x: Any, d: int) -> Any:
    """An array [N, C, *S] as [N * C, D, H, W]."""
    shape = x.shape
    if d == 2 and shape[0] * shape[1]:
        return x.reshape(shape[0] * shape[1], 1, shape[2], shape[3])
    return x.reshape(-1, *(1,) * (3 - d), *shape[2:])


@remembered
def numbers(kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> tuple:
    """The settings as the compiled kernels want them: each for three dimensions."""
    rest = 3 - len(kernel)
    return (1,) * rest + kernel + (1,) * rest + stride + (0,) * rest + padding + (1,) * rest + dilation


def compiled_maxima(
    x: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, out: tuple, placed: bool
) -> tuple | None:
    """Maxima, and their places where these are wanted, by the compiled kernel; None for what it is not made for."""
    if type(x) is not np.ndarray or prod(kernel) > 256:
        return None
    x = row_order(x)
    kind = x.dtype
    if kind is not FLOAT32 and kind is not FLOAT64 and kind.char not in "fd":
        wide = exactly(x)
        found = None if wide is None else compiled_maxima(wide, kernel, stride, padding, dilation, out, placed)
        return None if found is None else (converted(found[0], x.dtype), found[1])
    best = np.empty(x.shape[:2] + out, kind)
    where = np.empty(best.shape, np.uint8) if placed else None
    done = pool(x, best, where, numbers(kernel, stride, padding, dilation))
    return None if done is None else (best, where)


def exactly(x: Any) -> Any:
    """An array of half types or of whole numbers, which is not large, as one of floats that hold the same numbers, and sums of a
    few of them; None for others."""
    kind = x.dtype.kind
    if not 0 < x.size <= MANY:
        return None
    if is_half(x.dtype):
        return converted(x, FLOAT32)
    if kind not in "iu" or x.dtype.itemsize == 8 and max(map(abs, map(int, extremes(x)))) > EXACT:
        return None
    return x.astype(np.float64)


FEW, MANY, EXACT = 4096, 1 << 20, 1 << 40
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


@operator("_max_pool_values", method=False, wide=False, laid="images 1")
def max_pool_values(xp, input: Array, kernel_size, stride, padding, dilation, ceil_mode):
    """Maxima of windows without their places."""
    out = outputs(input.shape[2:], kernel_size, stride, padding, dilation, ceil_mode)
    found = compiled_maxima(input, kernel_size, stride, padding, dilation, out, False)
    if found is not None:
        return found[0]
    return max_pool(xp, input, kernel_size, stride, padding, dilation, ceil_mode)[0]


@lru_cache(64)
def windows_of_few(size: tuple, *settings: tuple) -> tuple:
    """Where each window begins, as a flat index of the input, and how far from there its places are; only read."""
    kernel, stride, padding, dilation, out = settings
    steps = [prod(size[axis + 1 :]) for axis in range(len(size))]
    begins, offsets = np.zeros(out, np.int64), np.zeros(kernel, np.int64)
    for axis, step in enumerate(steps):
        column = (-1,) + (1,) * (len(size) - 1 - axis)
        begins += ((np.arange(out[axis]) * stride[axis] - padding[axis]) * step).reshape(column)
        offsets += (np.arange(kernel[axis]) * dilation[axis] * step).reshape(column)
    return begins, offsets.reshape(-1)


def flat_indices(xp, where, size, kernel, stride, padding, dilation, out):
    """Places in windows as flat indices in the input."""
    if xp is np and prod(out) <= FEW:
        begins, offsets = windows_of_few(tuple(size), kernel, stride, padding, dilation, tuple(out))
        return begins + offsets.take(where)
    flat = xp.zeros(where.shape, np.int64)
    rest = where.astype(np.int64)
    for axis in range(len(kernel) - 1, -1, -1):
        at = rest % kernel[axis]
        rest //= kernel[axis]
        begin = np.arange(out[axis]) * stride[axis] - padding[axis]
        begin = xp.asarray(begin).reshape((-1,) + (1,) * (len(kernel) - 1 - axis))
        flat += (begin + at * dilation[axis]) * prod(size[axis + 1 :])
    return flat


def _max_pool_with_indices(d: int) -> Any:
    @operator(
        f"_max_pool{d}d",
        node=NAMES[d] + "WithIndicesBackward0",
        outputs="values (where)",
        method=False,
        laid="images 1",
    )
    @by_layout
    def kernel(xp, input: Array, kernel_size, stride, padding, dilation, ceil_mode):
        """Maxima of windows, with their places there."""
        return max_pool(xp, input, kernel_size, stride, padding, dilation, ceil_mode)

    kernel.gradient(
        input=lambda t, g, input_shape, where, kernel_size, stride, padding, dilation: t._max_pool_spread(
            g[0], tuple(input_shape), where, kernel_size, stride, padding, dilation
        )
    )
    return kernel


@operator("_max_pool_spread", method=False, laid="images 1")
@by_layout
def max_pool_spread(xp, grad: Array, shape, where: Array, kernel_size, stride, padding, dilation):
    """Gradients of window maxima, added at the elements they came from."""
    out, d = grad.shape[2:], len(kernel_size)
    if (
        xp is np
        and grad.flags.c_contiguous
        and where.flags.c_contiguous
        and where.dtype == np.uint8
        and grad.dtype.char in "fd"
    ):
        full = np.zeros(shape, grad.dtype)
        given = numbers(kernel_size, stride, padding, dilation)
        if spread(as_planes(grad, d), as_planes(full, d), as_planes(where, d), given) is not None:
            return full
    full = surrounded(xp, xp.zeros(shape, grad.dtype), padding, kernel_size, stride, dilation, out, 0)
    apart = all(s >= d * (k - 1) + 1 for k, s, d in zip(kernel_size, stride, dilation, strict=True))
    for number, (_, place) in enumerate(places(kernel_size, stride, dilation, out)):
        if apart:
            xp.add(xp.multiply(grad, where == number), 0, out=full[place])  # a sum from zero: none of them is negative
        else:
            full[place] += grad * (where == number)
    if full.shape != tuple(shape):
        full = full[(slice(None), slice(None), *(slice(p, p + n) for p, n in zip(padding, shape[2:], strict=True)))]
    return xp.ascontiguousarray(full)


@operator("_max_pool_indices", method=False, laid="images 1")
@by_layout
def max_pool_indices(xp, where: Array, size, kernel_size, stride, padding, dilation):
    """The places of maxima in their windows as flat indices in the input's spatial dimensions."""
    return flat_indices(xp, where, size, kernel_size, stride, padding, dilation, where.shape[2:])


def _picked(t, g, shape, where, kernel_size, stride, padding, dilation):
    d = len(kernel_size)
    index = t._max_pool_indices(where, tuple(shape[-d:]), kernel_size, stride, padding, dilation)
    return t.gather(t.flatten(g, -d), -1, t.flatten(index, -d)).reshape(where.shape)


max_pool_spread.gradient(
    grad=lambda t, g, shape, where, kernel_size, stride, padding, dilation: _picked(
        t, g, shape, where, kernel_size, stride, padding, dilation
    )
)


def batched(input: Tensor, d: int) -> tuple[Tensor, bool]:
    """The input with a batch dimension, and whether it had none."""
    return (input.unsqueeze(0), True) if input.ndim == d + 1 else (input, False)


@remembered
def outputs(sizes: Any, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, ceil_mode: bool) -> tuple:
    """How many windows fit in each dimension."""
    several = zip(sizes, kernel, stride, padding, dilation, strict=True)
    return tuple(out_size(n, k, s, p, w, ceil_mode) for n, k, s, p, w in several)


def of_lines(shape: tuple, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple:
    """The settings of a pooling of lines with indices, once they fit: that of images of one row, in its words."""
    if len(shape) not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 'self' (while checking arguments "
            "for max_pool1d)"
        )
    given = {"kernel_size": kernel_size, "stride": kernel_size if stride in (None, [], ()) else stride}
    given |= {"padding": padding, "dilation": dilation}
    lines = []
    for name, value in given.items():
        alone = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        if len(alone) != 1:
            raise RuntimeError(f"max_pool1d() argument '{name}' should contain one int (got {len(alone)})")
        lines.append(alone)
    if max(abs(n) for (n,) in lines) > INT:
        raise RuntimeError("value cannot be converted to type int without overflow")
    rows = kernel, step, border, spread = [(n, *alone) for n, alone in zip((1, 1, 0, 1), lines, strict=True)]
    image = (*shape[:-1], 1, shape[-1])
    check_window("max", image, kernel, step, border, spread, lambda: outputs(image[-2:], *rows, ceil_mode))
    return tuple(lines)


def shown_as(node: Any, where: Tensor, indices: Tensor) -> None:
    """Let a node that keeps the places of maxima in their windows refuse to be run once the indices have been changed."""
    shown = Hidden(where._array, keep_result(indices, 1))
    is_it = lambda entry: type(entry) is Saved and entry._array is where._array  # noqa: E731
    node._saved = tuple([shown if is_it(entry) else entry for entry in node._saved])


def plain(input: Tensor) -> bool:
    """Whether nothing is recorded of an array in row order: its lines are pooled as such, otherwise as images of one row."""
    a = input._array
    return type(a) is np.ndarray and a.flags.c_contiguous and (input._node is None or not here.grad_enabled)


def refused(kernel: str, array: Any, kinds: str = "bc") -> None:
    if array.dtype.kind in kinds:
        raise not_implemented(kernel, array)


@operator("_max_pool_placed", method=False, outputs="values indices", laid="images 1")
@by_layout
def max_pool_placed(xp, input: Array, kernel_size, stride, padding, dilation, ceil_mode):
    """Maxima of windows, and their places as flat indices in the input's spatial dimensions."""
    values, where = max_pool(xp, input, kernel_size, stride, padding, dilation, ceil_mode)
    return values, flat_indices(xp, where, input.shape[2:], kernel_size, stride, padding, dilation, values.shape[2:])


def _max_forms(d: int) -> None:
    record = _max_pool_with_indices(d)

    def run(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
        if input._node is None or not here.grad_enabled:
            if return_indices:
                return tuple(max_pool_placed.function(input, kernel_size, stride, padding, dilation, ceil_mode))
            x, single = batched(input, d)
            values = max_pool_values.function(x, kernel_size, stride, padding, dilation, ceil_mode)
            return values.squeeze(0) if single else values
        values, where = record.function(input, kernel_size, stride, padding, dilation, ceil_mode)
        if not return_indices:
            return values
        size = tuple(input.shape[-d:])
        indices = max_pool_indices.function(where, size, kernel_size, stride, padding, dilation)
        if values._node is not None:
            shown_as(values._node._parent, where, indices)
        return values, indices

    @remembered
    def geometry(
        shape: tuple, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, placed: bool
    ) -> tuple:
        """The settings for each dimension, once they fit the shape of the input."""
        if d == 1 and placed:
            return of_lines(shape, kernel_size, stride, padding, dilation, ceil_mode)
        if d == 1:
            check_pool_input("max", d, shape)
        (kernel,) = settings("max", d, kernel_size=kernel_size)
        steps = settings("max", d, stride=stride)[0] if stride not in (None, [], ()) else kernel
        border, spread = settings("max", d, padding=padding, dilation=dilation)
        given = (kernel, steps, border, spread)
        fitting = lambda: outputs(shape[-d:], *given, ceil_mode)  # noqa: E731
        if d == 1:
            check_max_pool1d(kernel[0], steps[0], border[0], spread[0], lambda: fitting()[0])
        else:
            check_pool_input("max", d, shape)
            check_window("max", shape, *given, fitting)
        return given

    def pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        given = geometry(input._array.shape, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
        if d == 1:
            refused(
                "max_pool2d" if return_indices else "max_pool1d_impl", input._array, "bc" if return_indices else "biuc"
            )
            if plain(input) and (not return_indices or input._array.dtype.kind in "fV"):
                return run(input, *given, ceil_mode, return_indices)
            flat = [(n, m[0]) for n, m in zip((1, 1, 0, 1), given, strict=True)]
            found = table.FUNCTIONS["_max_pool2d_form"](input.unsqueeze(-2), *flat, ceil_mode, return_indices)
            if return_indices:
                return found[0].squeeze(-2), found[1].squeeze(-2)
            lines = found.squeeze(-2)
            return lines if lines._node is not None else lines.contiguous()  # unrecorded, PyTorch pools lines as such
        refused(f"max_pool{d}d", input._array)
        return run(input, *given, ceil_mode, return_indices)

    def with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    table.FUNCTIONS[f"_max_pool{d}d_form"] = run
    pool.__name__ = f"max_pool{d}d"
    pool.__doc__ = (
        f"The largest element of each window of input [N, C, ...] ({d} dimensions); ties go to the first.\n\n"
        "`kernel_size`, `stride` (that of the kernel by default), `padding` (with -inf, at most half the kernel) and "
        "`dilation` are one number, or one a dimension.\nThe dtype stays; N may be missing. `ceil_mode` keeps windows that "
        "reach over the end. RuntimeError: windows that do not fit."
    )
    with_indices.__name__ = f"max_pool{d}d_with_indices"
    with_indices.__doc__ = f"`max_pool{d}d` together with the flat indices of the maxima."
    composite(f"nn.functional.max_pool{d}d max_pool{d}d", method=False, dtypes=d > 1)(pool)
    composite(
        f"nn.functional.max_pool{d}d_with_indices" + (" max_pool1d_with_indices" if d == 1 else ""), method=False
    )(with_indices)


for _d in (2, 1, 3):
    _max_forms(_d)
