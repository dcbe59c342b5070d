"""softmax and log_softmax, the layer, group, RMS and batch norms, and their gradients: by rows, or by sums and one pass.

x̂ = (x - mean) * rstd; the gradient of x̂ goes to x as rstd * (g - mean(g) - x̂ * mean(g * x̂))."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..arrays import cupy_module, device_guard
from ..arrays.backend import cupy
from ..loading.table import OPERATORS
from ..ops.nn.normalization import KEPT, update
from ..ops.reductions.softmax import one_axis
from .kernels import Elementwise, dense, empty, total
from .rows import NORM_WEIGHTS, exact, norm, norm_backward, softmax, softmax_backward
from .sums import KINDS, columns, parts_of, suits


def folded(name: str, kind: int) -> Callable:
    """softmax or log_softmax of rows."""

    def kernel(xp: Any, input: Any, dim: int, dtype: Any = None) -> Any:
        if dtype is not None and dtype.numpy != input.dtype:
            return None
        axis = one_axis(name, dim, input.ndim)
        if not input.size:
            return input.copy()
        return softmax(xp, input, axis, kind) if input.ndim else kernel(xp, input.reshape(1), 0).reshape(())

    return kernel


def safe_softmax(xp: Any, input: Any, dim: int) -> Any:
    """softmax that is zero where all is masked."""
    return softmax(xp, input, dim, 2) if input.size and input.ndim else KERNELS["softmax"](xp, input, dim)


def softmax_gradient(kind: int) -> Callable:
    return lambda t, g, result, dim: softmax_backward(cupy(), g, result, dim, kind)


SQUARES = total("tensorsh_squares", "T x, T m", "(x - m) * (x - m)")
RSTD = Elementwise("T squares, T n, T eps", "T r", "r = rsqrt(squares / n + eps)", "tensorsh_rstd")
NORMALIZE = Elementwise("T x, T m, T r, T w, T b", "T y", "y = (x - m) * r * w + b", "tensorsh_normalize")
SCALED = total("tensorsh_scaled", "T g, T w", "g * w")
AGAINST = total("tensorsh_against", "T g, T w, T x, T m, T r", "g * w * (x - m) * r")
NORMALIZE_BACKWARD = Elementwise(
    "T g, T w, T x, T m, T r, T first, T second, T n",
    "T y",
    "y = r * (g * w - (first + (x - m) * r * second) / n)",
    "tensorsh_normalize_backward",
)
RESCALE = Elementwise("T g, T w, T r", "T y", "y = g * w * r", "tensorsh_rescale")


def moments(x: Any, axes: tuple, eps: float) -> tuple:
    """Mean, sum of squares about it, and the reciprocal of the deviation, over axes that are kept."""
    number = x.dtype.type
    n = prod(x.shape[a] for a in axes)
    mean = x.mean(axes, keepdims=True)
    squares = SQUARES(x, mean, axis=axes, keepdims=True)
    return mean, squares, RSTD(squares, number(n), number(eps))


def normalize(x: Any, mean: Any, rstd: Any, weight: Any, bias: Any) -> Any:
    number = x.dtype.type
    return NORMALIZE(x, mean, rstd, number(1) if weight is None else weight, number(0) if bias is None else bias)


def through(g: Any, weight: Any, x: Any, mean: Any, rstd: Any, axes: tuple) -> Any:
    """The gradient of `x` from that of the scaled result."""
    w = x.dtype.type(1) if weight is None else weight
    first = SCALED(g, w, axis=axes, keepdims=True)
    second = AGAINST(g, w, x, mean, rstd, axis=axes, keepdims=True)
    return NORMALIZE_BACKWARD(g, w, x, mean, rstd, first, second, x.dtype.type(prod(x.shape[a] for a in axes)))


def layer(
    xp: Any, input: Any, normalized_shape: tuple, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> tuple:
    first = input.ndim - len(normalized_shape)
    kept = (*input.shape[:first], *(1,) * len(normalized_shape))
    if not input.size:
        return input.copy(), empty(kept, input.dtype), empty(kept, input.dtype)
    return norm(xp, input, prod(normalized_shape), weight, bias, eps, kept)


def layer_at_once(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> tuple | None:
    """Of arrays of one dtype, half types computed in float on the way; None for others."""
    kind, shape = cupy_module.array_class, normalized_shape
    if type(input) is not kind or device_guard.several or input.dtype not in KINDS or not input.size:
        return None
    fits = shape and type(shape) is tuple and input.shape[-len(shape) :] == shape
    for a in weight, bias:
        if a is not None:
            if type(a) is not kind or a.dtype != input.dtype:
                return None
            fits = fits and a.shape == shape
    if not fits:
        OPERATORS["native_layer_norm"].check(input, shape, weight, bias, eps)
    return layer(cupy(), input, shape, weight, bias, eps)


def norm_weights(g: Any, x: Any, mean: Any, rstd: Any, n: int, wanted: tuple) -> tuple:
    """The gradients of the weight and the bias, each where it is wanted."""
    g, x, kind = dense(g), dense(x), exact(x.dtype)
    rows, tiles = x.size // n, -(-n // 128)
    chunk, parts = parts_of(rows, tiles, 64)
    made = [empty((parts, n), kind) if want else rstd for want in wanted]
    numbers = map(np.int64, (rows, n, chunk, tiles))
    given = np.int32(wanted[0] + 2 * wanted[1] + 4 * (mean is None))
    NORM_WEIGHTS(x.dtype, tiles * parts, 128, g, x, rstd if mean is None else mean, rstd, *made, *numbers, given)
    found = [
        columns(m, 1, parts, n, 1, (n,)) if want and parts > 1 else m for m, want in zip(made, wanted, strict=True)
    ]
    return tuple(
        m.astype(x.dtype, copy=False).reshape(n) if want else None for m, want in zip(found, wanted, strict=True)
    )


def layer_backward(
    t: Any, g: Any, needs: list, input: Any, normalized_shape: tuple, weight: Any, mean: Any, rstd: Any
) -> tuple:
    return norm_gradients(g[0], needs, input, normalized_shape, weight, mean, rstd)


def norm_gradients(
    g: Any, needs: list, input: Any, normalized_shape: tuple, weight: Any, mean: Any, rstd: Any
) -> tuple:
    """The gradients of the input, the weight and the bias."""
    xp, n, shape = cupy(), prod(normalized_shape), tuple(normalized_shape)
    if not g.size:
        return g if needs[0] else None, *(xp.zeros(shape, g.dtype) if need else None for need in needs[1:])
    dx = norm_backward(xp, g, weight, input, mean, rstd, n) if needs[0] else None
    wanted = bool(needs[1]), len(needs) > 2 and bool(needs[2])
    found = norm_weights(g, input, mean, rstd, n, wanted) if any(wanted) else (None, None)
    return dx, *(None if v is None else v.reshape(shape) for v in found)


def group(xp: Any, input: Any, weight: Any = None, bias: Any = None, num_groups: int = 1, eps: float = 1e-5) -> tuple:
    n, c = input.shape[:2]
    kept = (n, num_groups, 1)
    if not input.size:
        return input.copy(), xp.zeros(kept, input.dtype), xp.zeros(kept, input.dtype)
    inner = prod(input.shape[2:])
    return norm(xp, input, c // num_groups * inner, weight, bias, eps, kept, inner, num_groups)


def group_backward(
    t: Any, g: Any, needs: list, input: Any, weight: Any, num_groups: int, mean: Any, rstd: Any
) -> tuple:
    n, c = input.shape[:2]
    inner, dx, dw = prod(input.shape[2:]), None, None
    if needs[0]:
        one = (cupy(), g, weight, input, mean, rstd, c // num_groups * inner, inner, num_groups)
        dx = norm_backward(*one) if g.size else g
    if needs[1]:
        parts = (n, num_groups, c // num_groups, inner)
        of_groups = mean.reshape(n, num_groups, 1, 1), rstd.reshape(n, num_groups, 1, 1)
        g_, x = g.reshape(parts), input.reshape(parts)
        dw = AGAINST(g_, input.dtype.type(1), x, *of_groups, axis=(0, 3)).reshape(c)
    return dx, dw, g.sum((0, *range(2, input.ndim))) if needs[2] else None


def rms(xp: Any, input: Any, normalized_shape: tuple, weight: Any = None, eps: float = 1e-5) -> tuple:
    first = input.ndim - len(normalized_shape)
    kept = (*input.shape[:first], *(1,) * len(normalized_shape))
    if not input.size:
        return input.copy(), empty(kept, exact(input.dtype))
    return norm(xp, input, prod(normalized_shape), weight, None, eps, kept, centred=False)[::2]


def rms_backward(t: Any, g: Any, needs: list, input: Any, normalized_shape: tuple, weight: Any, rstd: Any) -> tuple:
    return norm_gradients(g, needs[:2], input, normalized_shape, weight, None, rstd)[:2]


def channels(v: Any, ndim: int) -> Any:
    return None if v is None else v.reshape((1, -1) + (1,) * (ndim - 2))


def batch(
    xp: Any, input: Any, weight: Any = None, bias: Any = None, mean: Any = None, var: Any = None, eps: float = 1e-5,
    running: tuple = KEPT,
) -> tuple:  # fmt: skip
    number = input.dtype.type
    axes = (0, *range(2, input.ndim))
    if mean is None:
        n = prod(input.shape[a] for a in axes)
        mean, squares, rstd = moments(input, axes, eps)
        update(running, mean, squares / number(n), n)
    else:
        mean, var = (channels(v, input.ndim).astype(input.dtype, copy=False) for v in (mean, var))
        rstd = RSTD(var, number(1), number(eps))
    return normalize(input, mean, rstd, channels(weight, input.ndim), channels(bias, input.ndim)), mean, rstd


def batch_backward(t: Any, g: Any, needs: list, input: Any, weight: Any, given: Any, mean: Any, rstd: Any) -> tuple:
    axes = (0, *range(2, input.ndim))
    one = input.dtype.type(1)
    w = channels(weight, input.ndim)
    dx = None
    if needs[0]:
        fixed = given is not None
        dx = RESCALE(g, one if w is None else w, rstd) if fixed else through(g, w, input, mean, rstd, axes)
    dw = AGAINST(g, one, input, mean, rstd, axis=axes) if needs[1] else None
    return dx, dw, g.sum(axes) if needs[2] else None


def rows_at_once(kind: int) -> Callable:
    """softmax or log_softmax of a float array; None for others."""

    def direct(input: Any, dim: Any, dtype: Any = None) -> Any:
        if dtype is not None or type(dim) is not int or not suits(input) or not -input.ndim <= dim < input.ndim:
            return None
        return softmax(cupy(), input, dim, kind)

    return direct


DIRECT: dict[str, Callable] = {
    "native_layer_norm": layer_at_once, "softmax": rows_at_once(0), "log_softmax": rows_at_once(1),
    "_safe_softmax": rows_at_once(2),
}  # fmt: skip
"""In place of an operator's own way to its kernel, for what it would convert first."""
KERNELS: dict[str, Callable] = {
    "softmax": folded("softmax", 0),
    "log_softmax": folded("log_softmax", 1),
    "_safe_softmax": safe_softmax,
    "native_layer_norm": layer,
    "_native_group_norm": group,
    "_fused_rms_norm": rms,
    "_native_batch_norm": batch,
}
GRADIENTS: dict[str, Callable] = {
    "softmax": softmax_gradient(0),
    "log_softmax": softmax_gradient(1),
    "_safe_softmax": softmax_gradient(0),
    "native_layer_norm": layer_backward,
    "_native_group_norm": group_backward,
    "_fused_rms_norm": rms_backward,
    "_native_batch_norm": batch_backward,
}
