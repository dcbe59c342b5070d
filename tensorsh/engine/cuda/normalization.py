"""softmax and log_softmax, the layer, group, RMS and batch norms, and their gradients: by rows, or by sums and one pass.

x̂ = (x - mean) * rstd; the gradient of x̂ goes to x as rstd * (g - mean(g) - x̂ * mean(g * x̂)).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ..arrays.backend import cupy
from ..ops.nn.normalization import KEPT, update
from ..ops.reductions.softmax import one_axis
from .kernels import Elementwise, total
from .rows import exact, norm, norm_backward, softmax, softmax_backward


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


def softmax_gradient(t: Any, g: Any, result: Any, dim: int) -> Any:
    return softmax_backward(cupy(), g, result, dim, 0)


def log_softmax_gradient(t: Any, g: Any, result: Any, dim: int) -> Any:
    return softmax_backward(cupy(), g, result, dim, 1)


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
        return input.copy(), xp.empty(kept, input.dtype), xp.empty(kept, input.dtype)
    return norm(xp, input, prod(normalized_shape), weight, bias, eps, kept)


def layer_backward(
    t: Any, g: Any, needs: list, input: Any, normalized_shape: tuple, weight: Any, mean: Any, rstd: Any
) -> tuple:
    g, outer = g[0], tuple(range(input.ndim - len(normalized_shape)))
    one, dx = input.dtype.type(1), None
    if needs[0]:
        n = prod(normalized_shape)
        dx = norm_backward(cupy(), g, weight, input, mean, rstd, n) if g.size else g
    dw = AGAINST(g, one, input, mean, rstd, axis=outer) if needs[1] else None
    return dx, dw, g.sum(outer) if needs[2] else None


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
        return input.copy(), xp.empty(kept, exact(input.dtype))
    return norm(xp, input, prod(normalized_shape), weight, None, eps, kept, centred=False)[::2]


def rms_backward(t: Any, g: Any, needs: list, input: Any, normalized_shape: tuple, weight: Any, rstd: Any) -> tuple:
    kind, dx, dw = exact(input.dtype), None, None
    if needs[0]:
        dx = norm_backward(cupy(), g, weight, input, None, rstd, prod(normalized_shape)) if g.size else g
    if needs[1]:
        wide = g.astype(kind, copy=False), kind.type(1), input.astype(kind, copy=False), kind.type(0), rstd
        dw = AGAINST(*wide, axis=tuple(range(input.ndim - len(normalized_shape)))).astype(weight.dtype, copy=False)
    return dx, dw


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
    "softmax": softmax_gradient,
    "log_softmax": log_softmax_gradient,
    "_safe_softmax": softmax_gradient,
    "native_layer_norm": layer_backward,
    "_native_group_norm": group_backward,
    "_fused_rms_norm": rms_backward,
    "_native_batch_norm": batch_backward,
}
