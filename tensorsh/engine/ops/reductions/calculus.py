"""Differences, areas under curves and numerical gradients of sampled functions: all made of other operators."""

from __future__ import annotations

import numpy as np

from ...arrays.dtype import BOOL
from ...arrays.errors import combination_error, own_dim, wrap_dim, wrap_dims
from ...arrays.state import here
from ...graph.fields import wrap
from ...loading.table import find_function
from ...operators.composite import not_tensor
from ...operators.declare import composite
from ...tensors.tensor import Tensor
from ..elementwise.by_number import over, times
from ..shapes.views import slice_


def part(x: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Some neighbours along a dimension that has them."""
    if type(x._array) is np.ndarray and (x._node is None or not here.grad_enabled):
        return wrap(x._array[(*(slice(None),) * dim, slice(start, start + length))])
    return slice_.function(x, dim, start, start + length)


def ends(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """All but the last, and all but the first."""
    n = x._array.shape[dim]
    return (part(x, dim, 0, n - 1), part(x, dim, 1, n - 1)) if n else (x, x)


@composite()
def diff(input, n=1, dim=-1, prepend=None, append=None):
    """The differences of neighbours along `dim`, `n` times; of booleans, whether they differ."""
    if not isinstance(input, Tensor):
        raise not_tensor("diff", input=input)
    ndim = input._array.ndim
    if not ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    others = [x for x in (prepend, append) if x is not None]
    for x in others:
        if x.ndim != ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    if n == 0 and not others:
        return input.new_zeros(input.shape).copy_(input)
    dim = wrap_dim(dim, ndim)
    for x in others:
        for i in range(ndim):
            if i != dim and x._array.shape[i] != input._array.shape[i]:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({i}) = {input._array.shape[i]}, but got tensor.size({i}) = "
                    f"{x._array.shape[i]}"
                )
    if n == 0:
        return input.new_zeros(input.shape).copy_(input)
    if others:
        input = find_function("cat")([x for x in (prepend, input, append) if x is not None], dim)
    for _ in range(min(n, input._array.shape[dim])):
        behind, ahead = ends(input, dim)
        input = ahead.logical_xor(behind) if input._array.dtype.kind == "b" else ahead - behind
        if not input._array.shape[dim]:
            break
    return input


def one_spacing(name, y, x, dx):
    if x is not None and dx is not None:
        raise combination_error(name, y, x, dx=dx)
    if isinstance(dx, (complex, bool)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def spacings(name, y, x, dim):
    """The distances between sample points, shaped to go with `y`."""
    if BOOL in (y.dtype.category, x.dtype.category):
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    if x.ndim == 1:
        if x._array.shape[0] != y._array.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([-1 if i == dim else 1 for i in range(y.ndim)])
    elif x.ndim < y.ndim:
        x = x.view((1,) * (y.ndim - x.ndim) + x._array.shape)
    left, right = ends(x, dim)
    return right - left


def samples(name, y, x, dx, dim):
    """The checks that both areas begin with; the dimension."""
    one_spacing(name, y, x, dx)
    dim = own_dim(wrap_dim(dim, y.ndim), y.ndim)
    if x is None and y.dtype.category == BOOL:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    return dim


@composite("trapezoid trapz", method=False)
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The area under `y` by the trapezoidal rule along `dim`, at the points `x` or evenly `dx` apart."""
    dim = samples("trapezoid", y, x, dx, dim)
    n = y._array.shape[dim]
    if not n:
        return y.sum(dim)
    if x is None:
        rims = y.select(dim, 0) + y.select(dim, n - 1)
        return times(y.sum(dim) - times(rims, 0.5), 1.0 if dx is None else float(dx))
    steps = spacings("trapezoid", y, x, dim)
    left, right = ends(y, dim)
    return over(((left + right) * steps).sum(dim), 2.0)


@composite("cumulative_trapezoid", method=False)
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The running area under `y` along `dim`."""
    dim = samples("cumulative_trapezoid", y, x, dx, dim)
    left, right = ends(y, dim)
    if x is None:
        return times(left + right, (1.0 if dx is None else float(dx)) / 2.0).cumsum(dim)
    steps = spacings("cumulative_trapezoid", y, x, dim)
    return over(((left + right) * steps).cumsum(dim), 2.0)


def even_gradient(y, dim, step, edge_order):
    """Central differences of samples evenly apart."""
    n = y._array.shape[dim]

    def at(i):
        return part(y, dim, i, 1)

    def by_step(x):
        plain = type(step) is int and step == 1 and x._node is None and x._array.dtype.kind in "fc"
        return x if plain else over(x, step)  # 1 changes no number

    middle = over(by_step(part(y, dim, 2, n - 2) - part(y, dim, 0, n - 2)), 2)
    if edge_order == 1:
        return by_step(at(1) - at(0)), middle, by_step(at(n - 1) - at(n - 2))
    first = by_step(times(at(0), -1.5) + times(at(1), 2) - times(at(2), 0.5))
    return first, middle, by_step(times(at(n - 3), 0.5) - times(at(n - 2), 2) + times(at(n - 1), 1.5))


def uneven_gradient(y, dim, points, edge_order):
    """Differences of second order between points unevenly apart."""
    n = y._array.shape[dim]
    shape = [-1 if i == dim else 1 for i in range(y.ndim)]
    steps = diff(points)
    one, two = part(steps, 0, 0, n - 2), part(steps, 0, 1, n - 2)

    def at(i):
        return part(y, dim, i, 1)

    a = (-two / (one * (one + two))).reshape(shape)
    b = ((two - one) / (one * two)).reshape(shape)
    c = (one / (two * (one + two))).reshape(shape)
    middle = a * part(y, dim, 0, n - 2) + b * part(y, dim, 1, n - 2) + c * part(y, dim, 2, n - 2)
    if edge_order == 1:
        return (at(1) - at(0)) / steps[0], middle, (at(n - 1) - at(n - 2)) / steps[n - 2]
    p, q = steps[0], steps[1]
    first = (-(2 * p + q) / (p * (p + q))) * at(0) + ((p + q) / (p * q)) * at(1) - (p / (q * (p + q))) * at(2)
    p, q = steps[n - 3], steps[n - 2]
    last = (q / (p * (p + q))) * at(n - 3) - ((p + q) / (p * q)) * at(n - 2) + ((2 * q + p) / (q * (p + q))) * at(n - 1)
    return first, middle, last


@composite("gradient", method=False)
def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """The derivative of samples by central differences, for each dimension; `spacing` is a step, steps or points."""
    spacing = 1 if spacing is None else spacing
    if dim is None:
        count = len(spacing) if isinstance(spacing, (list, tuple)) else None
        if count is not None and count != input.ndim:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
                f"{input.ndim}', since dim argument was not given, but got a list of length {count}"
            )
        dims = tuple(range(input.ndim))
    else:
        dims = wrap_dims((dim,) if isinstance(dim, (int, np.integer)) else dim, input.ndim)
        if isinstance(spacing, (list, tuple)) and len(spacing) != len(dims):
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
                f"same length, but got a spacing argument of length {len(spacing)} and a dim argument of length {len(dims)}."
            )
    if input._array.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for d in dims:
        if input._array.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    steps = spacing if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    cat = find_function("cat")
    found = []
    for d, step in zip(dims, steps, strict=True):
        pieces = uneven_gradient if isinstance(step, Tensor) and step.ndim else even_gradient
        found.append(cat(pieces(input, d, step, edge_order), d))
    return tuple(found)
