"""Convolution and pooling: each a kernel over the elements of its result, and a matrix product in between.

A convolution is cuDNN's where that is installed (`cudnn`). Elsewhere it copies its windows into the columns of one matrix [C * K, N * L] (im2col), multiplies, and turns the product
into [N, O, L] in the pass that adds the bias. Gradients of windows are gathered by the element that they go to, so nothing
is added twice at a time. One, two and three dimensions are three, with ones in front."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ..arrays import cupy_module, device_guard
from ..arrays.backend import cupy, rounded_products
from ..arrays.layout import channels_are_last, with_channels_last
from ..arrays.state import state
from ..ops.nn.convolution import _size
from ..ops.nn.pooling import batchwise, outputs
from . import cudnn
from .kernels import Elementwise, empty
from .sources import pieces
from .sums import suits

CODE = pieces(__file__)

MOST = 1 << 28
"""Elements of a matrix of columns; more samples are taken one part after the other."""

SHORT = 1 << 31


def windowed(inputs: str, outputs: str, operation: str, name: str) -> Callable:
    """A kernel over the elements of windows, and another one in `int` for arrays whose places fit in one: `s` tells which."""
    wide = Elementwise(inputs, outputs, operation, name)
    short = re.sub(r"\bi\b", "e", operation.replace("long long", "int").replace("0ll", "0"))
    narrow = Elementwise(inputs.replace("int64 s", "int32 s"), outputs, f"int e = int(i); {short}", name)

    def launch(*args: Any) -> Any:
        return (narrow if any(a.dtype == np.int32 for a in args[1:3]) else wide)(*args)

    return launch


# s: sizes of the input, of the output, of the window, steps, padding, dilation (three each), then what a kernel needs more.
OUTPUT = (
    "long long ow = i % s[5], oh = i / s[5] % s[4], od = i / (s[4] * s[5]) % s[3], plane = i / (s[3] * s[4] * s[5]);"
    "long long z0 = od * s[9] - s[12], y0 = oh * s[10] - s[13], x0 = ow * s[11] - s[14];"
)
"""Where the window of an output element begins."""
INPUT = (
    "long long iw = i % s[2], ih = i / s[2] % s[1], id = i / (s[1] * s[2]) % s[0], plane = i / (s[0] * s[1] * s[2]);"
)
THROUGH_WINDOW = (
    "int at = -1;"
    "for (int a = 0; a < s[6]; ++a) for (int b = 0; b < s[7]; ++b) for (int c = 0; c < s[8]; ++c) {{"
    "  ++at; long long z = z0 + a * s[15], y_ = y0 + b * s[16], x_ = x0 + c * s[17];"
    "  if (z >= 0 && z < s[0] && y_ >= 0 && y_ < s[1] && x_ >= 0 && x_ < s[2]) {{"
    "    T v = x[((plane * s[0] + z) * s[1] + y_) * s[2] + x_]; {0} }} }}"
)
"""All elements v of a window that lie in the input; `at` is the number of the place in the window."""
THROUGH_WINDOWS = CODE["THROUGH_WINDOWS"]
"""All windows that an input element lies in, and its place there."""

MAX_POOL = windowed(
    "raw T x, raw int64 s", "T y, S where",
    OUTPUT + "T best = T(0); int chosen = -1;"
    + THROUGH_WINDOW.format("if (chosen < 0 || v > best || v != v) { best = v; chosen = at; }")
    + "y = best; where = S(chosen)",
    "tensorsh_max_pool",
)  # fmt: skip
MAX_SPREAD = windowed(
    "raw T g, raw S where, raw int64 s", "T y",
    INPUT + "T sum = T(0);"
    + THROUGH_WINDOWS.format(
        "long long o = ((plane * s[3] + od) * s[4] + oh) * s[5] + ow; if (where[o] == at) sum = T(sum + g[o]);"
    ) + "y = sum",
    "tensorsh_max_spread",
)  # fmt: skip
SHARE = CODE["SHARE"]
"""What a mean divides by: s[18]: the padding counts; s[19]: a number instead."""
AVG_POOL = windowed(
    "raw T x, raw int64 s", "T y",
    OUTPUT + "T sum = T(0);" + THROUGH_WINDOW.format("sum = T(sum + v);") + SHARE + "y = T(sum / T(count))",
    "tensorsh_avg_pool",
)  # fmt: skip
AVG_SPREAD = windowed(
    "raw T g, raw int64 s", "T y",
    INPUT + "T sum = T(0);"
    + THROUGH_WINDOWS.format(
        SHARE + "sum = T(sum + g[((plane * s[3] + od) * s[4] + oh) * s[5] + ow] / T(count));"
    ) + "y = sum",
    "tensorsh_avg_spread",
)  # fmt: skip
COLUMNS = windowed(
    "raw T x, raw int64 s", "T y",
    CODE["COLUMNS"],
    "tensorsh_columns",
)  # fmt: skip
"""im2col: [C, *K, N, *out]. s[18] is N, s[19] is C."""
FROM_COLUMNS = windowed(
    "raw T x, raw int64 s", "T y",
    INPUT + "long long n = plane / s[19], channel = plane % s[19]; T sum = T(0);"
    + THROUGH_WINDOWS.format(
        "sum = T(sum + x[((((channel * s[6] * s[7] * s[8] + at) * s[18] + n) * s[3] + od) * s[4] + oh) * s[5] + ow]);"
    ) + "y = sum",
    "tensorsh_from_columns",
)  # fmt: skip
TURN = Elementwise(
    "raw T x, T b, int64 n, int64 o, int64 l",
    "T y",
    "y = T(x[(i / l % o * n + i / (l * o)) * l + i % l] + b)",
    "tensorsh_turn",
)
"""[O, N, L] as [N, O, L], with a bias for each O."""


def three(values: Any, fill: int) -> tuple:
    return (fill,) * (3 - len(values)) + tuple(int(v) for v in values)


@lru_cache(maxsize=512)
def on_device(module: Any, index: int, numbers: tuple) -> Any:
    """A kernel's numbers, copied to the device once; the last is how many planes there are."""
    largest = max(prod(numbers[:3]), prod(numbers[3:6]) * prod(numbers[6:9]))
    kind = np.int32 if largest * numbers[-1] < SHORT and max(numbers) < SHORT else np.int64
    with module.cuda.Device(index):
        return module.asarray(np.array(numbers[:-1], kind))


@lru_cache(maxsize=512)
def numbers_of(count: int, *settings: Any) -> tuple:
    """The numbers of a kernel for an input of so many elements: `settings` as in `sizes`."""
    fills = zip(settings, (1, 1, 1, 1, 0, 1), strict=False)
    planes = -(-count // max(1, prod(settings[0])))
    return (*sum((three(values, fill) for values, fill in fills), ()), *map(int, settings[6:]), planes)


def sizes(x: Any, *settings: Any) -> Any:
    """What a kernel is told: sizes of the input, of the result and of the window, stride, padding, dilation, and what it needs
    more."""
    return on_device(
        cupy(), x.device.id, numbers_of(x.size, *[tuple(s) if isinstance(s, list) else s for s in settings])
    )


def pooled(xp: Any, input: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple:
    out = outputs(input.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    x = xp.ascontiguousarray(input)
    y = empty((*x.shape[:2], *out), x.dtype)
    where = empty(y.shape, np.int16 if prod(kernel) > 255 else np.uint8)
    if y.size:
        MAX_POOL(x, sizes(x, x.shape[2:], out, kernel, stride, padding, dilation), y, where)
    return y, where


def pooled_values(xp: Any, *rest: Any) -> Any:
    return pooled(xp, *rest)[0]


def max_spread(
    xp: Any, grad: Any, shape: Any, where: Any, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> Any:
    g, where = xp.ascontiguousarray(grad), xp.ascontiguousarray(where)
    y = empty(shape, g.dtype)
    if y.size:
        MAX_SPREAD(g, where, sizes(g, shape[2:], g.shape[2:], kernel, stride, padding, dilation), y)
    return y


def averaged(
    xp: Any, input: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool, divisor: Any
) -> Any:
    ones = (1,) * len(kernel)
    out = outputs(input.shape[2:], kernel, stride, padding, ones, ceil_mode)
    x = xp.ascontiguousarray(input)
    y = empty((*x.shape[:2], *out), x.dtype)
    if y.size:
        AVG_POOL(x, sizes(x, x.shape[2:], out, kernel, stride, padding, ones, count_include_pad, divisor or 0), y)
    return y


def average_spread(
    xp: Any, grad: Any, shape: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
    divisor: Any,
) -> Any:  # fmt: skip
    g, ones = xp.ascontiguousarray(grad), (1,) * len(kernel)
    y = empty(shape, g.dtype)
    if y.size:
        AVG_SPREAD(
            g, sizes(g, shape[2:], g.shape[2:], kernel, stride, padding, ones, count_include_pad, divisor or 0), y
        )
    return y


def in_tf32(function: Callable) -> Callable:
    """A convolution: its products round to TF32 where ``torch.backends.cudnn.allow_tf32`` is on, as it is in PyTorch."""

    def run(*args: Any, **options: Any) -> Any:
        before = rounded_products(bool(state.__dict__.get("switches", {}).get("backends.cudnn.allow_tf32", True)))
        try:
            return function(*args, **options)
        finally:
            rounded_products(before)

    return run


def columns(xp: Any, x: Any, out: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    """The windows of x [N, C, *S] as [C * K, N * L]."""
    n, c = x.shape[:2]
    y = xp.empty((c * prod(kernel), n * prod(out)), x.dtype)
    COLUMNS(x, sizes(x, x.shape[2:], out, kernel, stride, padding, dilation, n, c), y)
    return y


def product(xp: Any, a: Any, b: Any, groups: int) -> Any:
    """The products of the groups' matrices, one below the other."""
    if groups == 1:
        return xp.dot(a, b)
    parts = xp.matmul(a.reshape(groups, -1, a.shape[-1]), b.reshape(groups, -1, b.shape[-1]))
    return parts.reshape(-1, b.shape[-1])


def turned(xp: Any, g: Any) -> Any:
    """[N, O, *out] as a matrix [O, N * L]."""
    return xp.ascontiguousarray(g.reshape(g.shape[0], g.shape[1], -1).swapaxes(0, 1)).reshape(g.shape[1], -1)


def parts_of(n: int, each: int) -> Any:
    """Samples, as many at a time as their columns may be large."""
    step = max(1, MOST // max(1, each))
    return [slice(at, min(n, at + step)) for at in range(0, n, step)]


@in_tf32
def by_columns(
    xp: Any, x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int, out: Any
) -> Any:
    kernel, o = w.shape[2:], w.shape[0]
    y = xp.empty((len(x), o, *out), x.dtype)
    x, flat = xp.ascontiguousarray(x), xp.ascontiguousarray(w).reshape(o, -1)
    number = np.int64
    b = x.dtype.type(0) if bias is None else bias.reshape(-1, *[1] * len(out))
    for part in parts_of(len(x), x.shape[1] * prod(kernel) * prod(out)) if y.size else ():
        made = product(xp, flat, columns(xp, x[part], out, kernel, stride, padding, dilation), groups)
        TURN(made, b, number(len(x[part])), number(o), number(prod(out)), y[part])
    return y


@in_tf32
def to_columns(
    xp: Any, g: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int, size: Any
) -> Any:
    kernel, channels = w.shape[2:], w.shape[1] * groups
    y = xp.zeros((len(g), channels, *size), g.dtype)
    flat = xp.ascontiguousarray(xp.ascontiguousarray(w).reshape(groups, w.shape[0] // groups, -1).swapaxes(1, 2))
    flat = flat.reshape(-1, w.shape[0] // groups)
    for part in parts_of(len(g), channels * prod(kernel) * prod(g.shape[2:])) if y.size and g.size else ():
        some = g[part]
        cols = product(xp, flat, turned(xp, some), groups)
        numbers = sizes(g, size, g.shape[2:], kernel, stride, padding, dilation, len(some), channels)
        FROM_COLUMNS(cols, numbers, y[part])
    if bias is not None:
        y += bias.reshape(-1, *[1] * (y.ndim - 2))
    return y


def convolution(
    xp: Any, input: Any, weight: Any, bias: Any = None, stride: Any = (1,), padding: Any = (0,), dilation: Any = (1,),
    transposed_: bool = False, output_padding: Any = (0,), groups: int = 1, backward: bool = False,
) -> Any:  # fmt: skip
    spatial = stride, padding, dilation, groups
    size = sizes_of(input, weight, stride, padding, dilation, transposed_, output_padding)
    y = by_cudnn(input, weight, bias, spatial, transposed_, size)
    if y is None:
        y = (to_columns if transposed_ else by_columns)(xp, input, weight, bias, *spatial, size)
        y = with_channels_last(y) if channels_are_last(input) or channels_are_last(weight) else y
    return y


def sizes_of(
    input: Any, weight: Any, stride: Any, padding: Any, dilation: Any, transposed_: bool, output_padding: Any
) -> tuple:
    """The spatial sizes of a convolution's result."""
    if transposed_:
        return _size(input, weight, stride, padding, dilation, output_padding)
    several = zip(input.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True)
    return tuple((m + 2 * p - d * (k - 1) - 1) // s + 1 for m, k, s, p, d in several)


def by_cudnn(input: Any, weight: Any, bias: Any, spatial: tuple, transposed_: bool, size: tuple) -> Any:
    """A convolution by cuDNN; None where it does not compute it."""
    if transposed_:
        kind, pair, channels = cudnn.DATA, (weight, input), weight.shape[1] * spatial[3]
    else:
        kind, pair, channels = cudnn.FORWARD, (input, weight), weight.shape[0]
    stride, padding, dilation, groups = spatial
    return cudnn.convolve(kind, *pair, (len(input), channels, *size), stride, padding, dilation, groups, bias)


def alike(*arrays: Any) -> bool:
    """Whether arrays are of one dtype of cuDNN's, on the one device that is used."""
    kind, dtype = cupy_module.array_class, getattr(arrays[0], "dtype", None)
    if dtype is None or device_guard.several or kind is None or dtype not in cudnn.DTYPES:
        return False
    return all(a is None or type(a) is kind and a.dtype == dtype for a in arrays)


def convolution_at_once(
    input: Any, weight: Any, bias: Any = None, stride: Any = (1,), padding: Any = (0,), dilation: Any = (1,),
    transposed_: bool = False, output_padding: Any = (0,), groups: int = 1, backward: bool = False,
) -> Any:  # fmt: skip
    """A convolution by cuDNN, of half types as they are; None for others, which the operator's own way leads to."""
    if not alike(input, weight, bias):
        return None
    size = sizes_of(input, weight, stride, padding, dilation, transposed_, output_padding)
    return by_cudnn(input, weight, bias, (stride, padding, dilation, groups), transposed_, size)


def weight_gradient_at_once(
    input: Any, grad: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """The gradient of a weight by cuDNN; None for others."""
    if not alike(input, grad):
        return None
    shape = (grad.shape[1], input.shape[1] // groups, *kernel)
    return cudnn.convolve(cudnn.FILTER, input, grad, shape, stride, padding, dilation, groups)


def weight_gradient(
    xp: Any, input: Any, grad: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    shape = (grad.shape[1], input.shape[1] // groups, *kernel)
    w = cudnn.convolve(cudnn.FILTER, input, grad, shape, stride, padding, dilation, groups)
    return weight_by_columns(xp, input, grad, kernel, stride, padding, dilation, groups) if w is None else w


@in_tf32
def weight_by_columns(
    xp: Any, input: Any, grad: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    o, c = grad.shape[1], input.shape[1] // groups
    total = None
    x = xp.ascontiguousarray(input)
    for part in parts_of(len(x), x.shape[1] * prod(kernel) * prod(grad.shape[2:])) if grad.size and x.size else ():
        cols = columns(xp, x[part], grad.shape[2:], kernel, stride, padding, dilation)
        g = turned(xp, grad[part])
        if groups == 1:
            w = xp.dot(g, cols.T)
        else:
            w = xp.matmul(g.reshape(groups, o // groups, -1), cols.reshape(groups, -1, cols.shape[-1]).swapaxes(1, 2))
        total = w if total is None else total + w
    return xp.zeros((o, c, *kernel), grad.dtype) if total is None else total.reshape(o, c, *kernel)


def pooled_at_once(kernel: Callable) -> Callable:
    """A pooling's kernel for arrays in row order; None for others."""

    def direct(input: Any, *settings: Any) -> Any:
        return kernel(cupy(), input, *settings) if suits(input) and input.itemsize > 2 else None

    return direct


DIRECT: dict[str, Callable] = {
    "_convolution": convolution_at_once, "_convolution_weight": weight_gradient_at_once,
    "_max_pool_values": pooled_at_once(pooled_values), "_max_pool2d": pooled_at_once(batchwise(pooled)),
    "_max_pool_spread": pooled_at_once(batchwise(max_spread)), "_avg_pool": pooled_at_once(batchwise(averaged)),
    "_avg_pool_spread": pooled_at_once(batchwise(average_spread)),
}  # fmt: skip
"""In place of an operator's own way to its kernel, which would make half types wide."""
KERNELS: dict[str, Callable] = {
    "_convolution": convolution, "_convolution_weight": weight_gradient, "_max_pool_values": pooled_values,
    "_max_pool_spread": batchwise(max_spread), "_avg_pool": batchwise(averaged),
    "_avg_pool_spread": batchwise(average_spread),
    "_max_pool1d": batchwise(pooled), "_max_pool2d": batchwise(pooled), "_max_pool3d": batchwise(pooled),
}  # fmt: skip
