"""Running sums, products, extremes and log-sums along a dimension.

Sums and products are carried in double and each is rounded, as PyTorch does."""

from __future__ import annotations

import numpy as np

from ...arrays.dtype import of
from ...arrays.errors import cpp_name, not_implemented
from ...arrays.layout import row_order
from ...arrays.on_arrays import on_arrays
from ...kernels import kernel as kernel_named
from ...kernels import unsuited
from ...loading.table import find_operator
from ...numerics import cumulative
from ...numerics.cumulative import running_sums
from ...operators.declare import Array, operator
from ...operators.reduction import FLOAT32, FLOAT64, constant
from ...tape.worlds import raw
from ...tensors.inplace import write
from .sums import one_axis, widened


def accumulate(xp, name, a, dim, dtype):
    """The running sum or product of an array in a given dtype (integers: int64)."""
    axis = one_axis(name, dim, a.ndim)
    if dtype is not None:
        if dtype.name == "bool":
            raise not_implemented(name + "_out_cpu", dtype)
        a = a.astype(dtype.numpy)
    if xp is np:
        result = getattr(cumulative, name)(a, axis)
    else:
        result = getattr(xp, name)(widened(a, None), axis if a.ndim else None).reshape(a.shape)
    return result if dtype is None or result.dtype == dtype.numpy else result.astype(dtype.numpy)


def sums_along(a, dim, dtype):
    """As cumsum, of an array of floats."""
    if dtype is not None or type(dim) is not int:
        return None
    sums = running_sums(row_order(a), dim)
    if sums is None and a.dtype is FLOAT64:
        return np.add.accumulate(row_order(a), dim)
    return np.add.accumulate(a.astype(FLOAT64, "C"), dim).astype(FLOAT32) if sums is None else sums


def in_place(name):
    """The in-place form of a running sum or product, which keeps the dtype."""

    def form(input, dim, *, dtype=None):
        kept = of(input._array)
        if dtype is not None and dtype is not kept:
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {cpp_name(input._array)} and output tensor dtype {cpp_name(dtype)} should match"
            )
        if kept.name == "bool":
            raise not_implemented(name + "_out_cpu", kept)
        return write(find_operator(name), [input, dim, None])

    return form


@operator(inplace=in_place("cumsum"), long="once")
def cumsum(xp, input: Array, dim, *, dtype=None):
    """The running sum along `dim`; integers and booleans give int64.
    The shape stays. IndexError: no such dimension."""
    return accumulate(xp, "cumsum", input, dim, dtype)


def flipped(x, dim, f):
    return np.flip(f(np.flip(x, dim)), dim) if type(x) is np.ndarray else None


@on_arrays(flipped)
def backwards(t, x, dim, f):
    """`f` along `dim` from the end."""
    return t.flip(f(t.flip(x, (dim,))), (dim,))


@on_arrays(lambda g, dim: running_sums(row_order(g), dim, True) if running_sums and type(g) is np.ndarray else None)
def reverse_cumsum(t, g, dim):
    return backwards(t, g, dim, lambda x: t.cumsum(x, dim)) if g.ndim else g


cumsum.fast = sums_along
cumsum.gradient(input=lambda t, g, dim: reverse_cumsum(t, g, dim))


@operator(inplace=in_place("cumprod"), long="once")
def cumprod(xp, input: Array, dim, *, dtype=None):
    """The running product along `dim`; integers and booleans give int64."""
    return accumulate(xp, "cumprod", input, dim, dtype)


def around_zeros(g, input, result, dim):
    """The gradient of running products among which are zeros, as PyTorch has it: quotients before the first zero along `dim`; at that
    one a sum up to the second; none behind."""
    if type(input) is not np.ndarray:
        return None
    x = np.conj(input)
    zeros = np.cumsum(input == 0, dim)
    up_to, first = zeros == 0, (zeros == 1) & (input == 0)
    between = (zeros == 1) & ~first
    terms = np.where(up_to, g * np.conj(result), 0).astype(g.dtype)
    found = np.where(up_to, reverse_cumsum(raw, terms, dim) / np.where(up_to, x, 1), 0).astype(g.dtype)
    behind = cumulative.cumprod(np.where(between, x, 1).astype(x.dtype), dim)
    total = np.sum(np.where(zeros == 1, behind * g, 0), dim, keepdims=True, dtype=g.dtype)
    before = cumulative.cumprod(np.where(up_to, x, 1).astype(x.dtype), dim).take([-1], dim)
    return np.where(first, total * before, found)


@on_arrays(around_zeros)
def cumprod_of_zeros(t, g, input, result, dim):
    """``tail[i] = g[i] + input[i + 1] * tail[i + 1]``; the gradient is tail[i] times all inputs before i."""
    n = input.shape[dim]
    x = t.conj(input)
    tails = [t.select(g, dim, n - 1)]
    before = [constant(t, np.ones_like, t.select(g, dim, 0))]
    for i in range(n - 2, -1, -1):
        tails.append(t.select(g, dim, i) + t.select(x, dim, i + 1) * tails[-1])
    for i in range(n - 1):
        before.append(before[-1] * t.select(x, dim, i))
    return t.stack(tails[::-1], dim) * t.stack(before, dim) + 0  # a sum that begins with zero: none is negative


@cumprod.gradient_of("input")
def cumprod_gradient(t, g, input, result, dim):
    """``sum over k >= i of g[k] * result[k] / input[i]``; where an input is zero, without dividing by it."""
    if not input.ndim:
        return g
    dim = dim % input.ndim
    if (t.array(input) != 0).all().item():
        return reverse_cumsum(t, g * t.conj(result), dim) / t.conj(input)
    return cumprod_of_zeros(t, g, input, result, dim)


def running(name, direction):
    """cummax and cummin: the last place among equal elements; NaN stays."""
    compiled = kernel_named("running_maxima" if direction == "maximum" else "running_minima", unsuited)

    def kernel(xp, input: Array, dim):
        if not input.ndim and type(dim) is int and dim not in (0, -1):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        axis = one_axis(name, dim, input.ndim)
        if input.dtype.kind == "c":
            raise not_implemented(f"{name}_cpu", input)
        if not input.ndim:
            return input.copy(), xp.zeros((), np.int64)
        ufunc = getattr(xp, direction)
        input = row_order(input)
        if (found := compiled(input, axis)) is not None:
            return found
        values = ufunc.accumulate(input, axis=axis)
        places = xp.arange(input.shape[axis]).reshape((-1,) + (1,) * (input.ndim - 1 - axis))
        renewed = input == values
        if input.dtype.kind in "fV":
            renewed |= xp.isnan(input)
        return values, xp.maximum.accumulate(xp.where(renewed, places, 0), axis=axis)

    kernel.__doc__ = f"The running {direction} along `dim` and where it stands (the last place among equals)."
    op = operator(name, outputs="values (indices)", wide=True, long="hosted")(kernel)
    op.gradient(input=running_gradient)


def running_gradient(t, g, indices, input_shape, dim):
    g = g[0]
    if not input_shape or not g.shape[dim]:
        return g
    zeros = constant(t, np.zeros_like, g)
    return t.scatter_add(zeros, dim, indices, g)


running("cummax", "maximum")
running("cummin", "minimum")


def log_add_exp(xp, a, b):
    """``log(exp(a) + exp(b))`` of complex numbers, by the one with the larger real part; of two infinite ones as PyTorch has it."""
    below = a.real < b.real
    smaller, larger = xp.where(below, a, b), xp.where(below, b, a)
    with np.errstate(invalid="ignore", over="ignore"):
        added = xp.log1p(xp.exp(smaller - larger)) + larger
        endless = xp.where(smaller.real < 0, smaller, xp.log(xp.exp(smaller) + xp.exp(larger)))
    found = xp.where(xp.isinf(smaller.real) & (smaller.real == larger.real), endless, added)
    return xp.where(xp.isnan(a) | xp.isnan(b), complex(np.nan, np.nan), found)


@operator(inplace=False, wide=True, long="hosted")
def logcumsumexp(xp, input: Array, dim):
    """The logarithm of the running sum of exponentials along `dim`."""
    axis = one_axis("logcumsumexp", dim, input.ndim)
    kind = input.dtype
    if kind.kind not in "fc":
        raise not_implemented("logcumsumexp_out_cpu", input)
    if not input.ndim or not input.size:
        return input.copy()
    if kind.kind == "f":
        sums = xp.logaddexp.accumulate(row_order(input), axis=axis, dtype=np.float64).astype(kind)
        return xp.add(sums, kind.type(0), out=sums)  # they start from the logarithm of +0
    a = xp.moveaxis(input.astype(np.complex128), axis, 0)
    last = xp.full(a.shape[1:], -np.inf, a.dtype)
    sums = [last := log_add_exp(xp, row, last) for row in a]
    return xp.moveaxis(xp.stack(sums), 0, axis).astype(kind)


@logcumsumexp.gradient_of("input")
def logcumsumexp_gradient(t, g, input, result, dim):
    if not input.ndim or 0 in input.shape:
        return g

    def tail(log_g):
        return t.exp(backwards(t, log_g - result, dim, lambda x: t.logcumsumexp(x, dim)) + input)

    array = t.array(g)
    if array.dtype.kind == "c":
        return t.conj(tail(t.log(t.conj(g))))
    size = t.log(t.masked_fill(t.abs(g), constant(t, lambda a: a == 0, g), 1.0))
    least = float(np.finfo(array.dtype).min)
    return tail(t.masked_fill(size, constant(t, lambda a: ~(a > 0), g), least)) - tail(
        t.masked_fill(size, constant(t, lambda a: ~(a < 0), g), least)
    )
