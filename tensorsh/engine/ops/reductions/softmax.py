"""softmax, log_softmax and softmin: exponentials that sum to one.

Computed on one buffer: less the maximum, exponentiated, divided by the sum in place. The order of the sums is that of
PyTorch's vector code.
"""

from __future__ import annotations

import numpy as np

from ... import kernels
from ...arrays.dtype import of
from ...arrays.layout import row_order
from ...arrays.on_arrays import on_arrays
from ...arrays.parallel import BLOCK, rows, spread
from ...arrays.state import state
from ...arrays.warning import warn
from ...kernels import kernel, unsuited
from ...numerics.halves import converted
from ...operators.declare import Array, composite, operator
from ...operators.reduction import FLOAT32, FLOAT64
from .sums import one_axis

subtract, multiply, reciprocal = np.subtract, np.multiply, np.reciprocal
exp, log = kernels.PRECISE.get(np.exp, np.exp), kernels.PRECISE.get(np.log, np.log)
maxima, totals = np.maximum.reduce, np.add.reduce
EXACT_SIZE = 20000
"""Up to this many elements exponentials are computed in double and rounded (as in `fast.py`)."""
LANES = {FLOAT32: 16, FLOAT64: 8}
"""How many numbers PyTorch adds side by side along the last dimension (with AVX-512)."""


def exponential(xp, a, small):
    """exp, rounded from double where that costs little; may overwrite `a`."""
    if small:
        return xp.exp(a.astype(FLOAT64)).astype(FLOAT32)
    return exp(a, out=a) if xp is np and a.dtype is FLOAT64 else xp.exp(a, out=a)


def logarithm(xp, s):
    if s.dtype is FLOAT32 and s.size <= EXACT_SIZE:
        return xp.log(s.astype(FLOAT64)).astype(FLOAT32)
    return log(s) if xp is np and s.dtype is FLOAT64 else xp.log(s)


def small_exponential(a):
    """exp of a small array, rounded from double."""
    if a.dtype is FLOAT32:
        e = a.astype(FLOAT64)
        return exp(e, e).astype(FLOAT32)
    return exp(a)


def in_order(e):
    """The sums of the columns of a matrix, each from its first element to its last."""
    return totals(e, 0) if e.shape[1] > 1 else np.add.accumulate(e, 0)[-1]


def lane_sums(e, lanes):
    """The sums of the rows of a matrix, added in lanes, which are then folded in halves."""
    count, n = e.shape
    full = n // lanes
    total = e[:, : full * lanes].reshape(count, full, lanes)
    if full > 1:  # of all rows at a time: numpy's loops along few numbers are slow
        total = totals(total.transpose(1, 0, 2).reshape(full, -1), 0).reshape(count, lanes)
    else:
        total = total[:, 0]
    if full * lanes < n:
        if full == 1:
            total = total.copy()
        total[:, : n - full * lanes] += e[:, full * lanes :]
    while lanes > 1:
        lanes //= 2
        total = total[:, :lanes] + total[:, lanes : 2 * lanes]
    return total


def total_along(xp, e, axis):
    """The sums along an axis in PyTorch's order, that axis kept; large arrays in numpy's."""
    if xp is np and axis == e.ndim - 1 and e.size <= EXACT_SIZE and e.dtype in LANES and e.shape[-1] >= LANES[e.dtype]:
        return lane_sums(e.reshape(-1, e.shape[-1]), LANES[e.dtype]).reshape(*e.shape[:-1], 1)
    return xp.add.reduce(e, axis=axis, keepdims=True)


def turned(a, axis):
    """A small array with short rows as its transpose, whose columns numpy folds fast and in order; None for others."""
    n = a.ndim
    if axis != n - 1 or a.size > EXACT_SIZE or type(a) is not np.ndarray or a.shape[axis] >= LANES[a.dtype]:
        return None
    return (a if n == 2 else a.reshape(-1, a.shape[-1])).T.copy()


def is_large(a, axis):
    return type(a) is np.ndarray and a.size > BLOCK and axis == a.ndim - 1 and a.flags.c_contiguous and a.shape[-1] > 32


SAFE = 80.0
"""Exponentials of numbers up to this size need no maximum subtracted."""


def centred(out, a):
    """The rows less their maxima."""
    return np.subtract(a, spread(np.maximum.reduce(a, 1, keepdims=True), a.shape[1]), out)


def row_sums(a):
    """The sums of the rows, as a column."""
    return np.dot(a, np.ones(a.shape[1], a.dtype))[:, None]


def normalize_block(out, a):
    # Where no exponential or sum leaves the range, the maxima need not be known.
    safe = a.dtype is FLOAT32 and a.shape[1] < 1000 and np.max(a) <= SAFE and np.min(a) >= -SAFE
    exp(a if safe else centred(out, a), out)
    s = row_sums(out)
    np.multiply(out, spread(np.reciprocal(s, s), a.shape[1]), out)


def log_normalize_block(out, a):
    x = centred(out, a)
    s = row_sums(exp(x))
    np.subtract(x, spread(log(s, s), a.shape[1]), out)


def softmax_gradient_block(out, g, result):
    n = g.shape[1]
    np.subtract(g, spread(np.vecdot(g, result)[:, None], n), out)
    np.multiply(out, result, out)


def log_softmax_gradient_block(out, g, result):
    exp(result, out)
    np.multiply(out, spread(row_sums(g), g.shape[1]), out)
    np.subtract(g, out, out)


def normalized(xp, a, axis):
    """softmax of a floating-point array with elements: along the last dimension times 1/sum, else by the sum."""
    e = whole(softmax_kernel, axis, a)
    if e is not None:
        return e
    if a.size > BLOCK and is_large(a, axis):
        return rows(normalize_block, np.empty_like(a), a)
    b = turned(a, axis)
    if b is not None:
        e = small_exponential(subtract(b, maxima(b, 0), b))
        s = in_order(e)
        e = multiply(e, reciprocal(s, s), e).T.copy()
        return e if a.ndim == 2 else e.reshape(a.shape)
    a = row_order(a)
    e = xp.subtract(a, xp.max(a, axis=axis, keepdims=True))
    e = exponential(xp, e, a.dtype == FLOAT32 and a.size <= EXACT_SIZE)
    s = total_along(xp, e, axis)
    return xp.multiply(e, xp.reciprocal(s), out=e) if axis == a.ndim - 1 else xp.true_divide(e, s, out=e)


def log_normalized(xp, a, axis):
    """log_softmax of a floating-point array with elements."""
    r = whole(log_softmax_kernel, axis, a)
    if r is not None:
        return r
    if a.size > BLOCK and is_large(a, axis):
        return rows(log_normalize_block, np.empty_like(a), a)
    r = turned(a, axis)
    if r is not None:
        s = in_order(small_exponential(subtract(r, maxima(r, 0), r)))
        r = subtract(r, logarithm(np, s), r).T.copy()
        return r if a.ndim == 2 else r.reshape(a.shape)
    a = row_order(a)
    r = xp.subtract(a, xp.max(a, axis=axis, keepdims=True))
    small = a.dtype == FLOAT32 and a.size <= EXACT_SIZE
    e = exponential(xp, r if small else r.copy(), small)
    return xp.subtract(r, logarithm(xp, total_along(xp, e, axis)), out=r)


def log_normalized_halves(a, narrow):
    """log_softmax along the last dimension of a half type's array, widened. PyTorch keeps the sums in the half type, and
    their logarithms."""

    def block(out, a):
        subtract(a, maxima(a, 1, None, None, True), out)
        e = kernels.compiled.exp(out) if kernels.suits(out) else exponential(np, out.copy(), out.size <= EXACT_SIZE)
        sums = total_along(np, e, 1).astype(narrow).astype(FLOAT32)
        subtract(out, logarithm(np, sums).astype(narrow).astype(FLOAT32), out)

    a = row_order(a)
    return rows(block, np.empty_like(a), a)


log_softmax_halves = kernel("log_softmax_halves", unsuited)
softmax_kernel, log_softmax_kernel = kernel("softmax", unsuited), kernel("log_softmax", unsuited)
softmax_backward_kernel = kernel("softmax_backward", unsuited)
log_softmax_backward_kernel = kernel("log_softmax_backward", unsuited)


def whole(kernel, axis, *arrays):
    """A compiled kernel of arrays, or of blocks of their rows for several threads; None where they do not suit it."""
    a = arrays[0]
    if a.size > BLOCK and state.threads > 1 and kernels.suits(*arrays) and is_large(a, axis):
        contiguous = [np.ascontiguousarray(each) for each in arrays]
        return rows(lambda out, *blocks: kernel(*blocks, 1, out), np.empty_like(a), *contiguous)
    return kernel(*arrays, axis)


def prepared(name, a, dim):
    axis = one_axis(name, dim, a.ndim)
    if a.dtype.kind not in "fV":
        which = "lastdim_" if a.ndim and axis == a.ndim - 1 else ""
        raise NotImplementedError(f"\"{name}_{which}kernel_impl\" not implemented for '{of(a).short}'")
    if a.dtype.itemsize <= 2:
        return converted(a, FLOAT32), axis, a.dtype
    return a, axis, None


def fold(name, f, doc):
    """The kernel of softmax or log_softmax."""

    def kernel(xp, input: Array, dim, dtype=None):
        if dtype is not None and dtype.numpy != input.dtype:
            return None
        if input.dtype.itemsize == 2 and f is log_normalized and one_axis(name, dim, input.ndim) == input.ndim - 1:
            found = log_softmax_halves(row_order(input)) if xp is np and input.ndim and input.size > 0 else None
            if found is not None:
                return found
        a, axis, narrow = prepared(name, input, dim)
        if not a.ndim:
            result = f(xp, a.reshape(1), 0).reshape(())
        elif narrow is not None and f is log_normalized and axis == a.ndim - 1 and a.size and xp is np:
            result = log_normalized_halves(a, narrow)
        else:
            result = f(xp, a, axis) if a.size else a.copy()
        return result if narrow is None else converted(result, narrow)

    kernel.__name__, kernel.__doc__ = name, doc
    return kernel


def made(name, f, compiled, doc):
    """softmax or log_softmax."""

    def along(a, dim, dtype):
        if dtype is not None or type(dim) is not int:
            return None
        a = row_order(a)
        found = compiled(a, dim) if a.size <= BLOCK else None
        return f(np, a, dim % a.ndim) if found is None and -a.ndim <= dim < a.ndim else found

    op = operator(name)(fold(name, f, doc))
    op.fast = along
    # PyTorch converts first, a step of its own in the graph.
    op.otherwise = lambda input, dim, dtype: op.function(input.to(dtype), dim)
    return op


softmax = made(
    "softmax",
    normalized,
    softmax_kernel,
    """``exp(input) / sum(exp(input))`` along `dim`, without overflow.

The shape stays; the values along `dim` are positive and add up to 1. `dtype` converts first; integers want one. Losses take
logits (`cross_entropy`) or `log_softmax`, not this.""",
)
log_softmax = made(
    "log_softmax",
    log_normalized,
    log_softmax_kernel,
    """The logarithm of softmax along `dim`, computed without it.

The shape stays; the values are at most 0, and `nll_loss` takes them. `dtype` converts first; integers want one.""",
)


def softmax_backward(g, result, dim):
    if type(result) is np.ndarray and result.ndim:
        g = g if g.flags.c_contiguous else np.ascontiguousarray(g)
        found = whole(softmax_backward_kernel, dim % result.ndim, result, g)
        if found is not None:
            return found
        if is_large(result, dim % result.ndim) and type(g) is np.ndarray and g.dtype == result.dtype:
            return rows(softmax_gradient_block, np.empty_like(result), g, result)
        gr = g * result
        s = np.add.reduce(gr, dim, None, None, True)
        return np.subtract(gr, np.multiply(result, s), gr)
    return None


@on_arrays(softmax_backward)
def softmax_gradient(t, g, result, dim):
    return t._softmax_backward_data(g, result, dim)


@operator("_softmax_backward_data", node="SoftmaxBackwardDataBackward0", method=False, wide=True)
def softmax_again(xp, grad_output: Array, output: Array, dim, input_dtype=None):
    """``g * result - result * sum(g * result, dim, True)``."""
    found = softmax_backward(grad_output, output, dim)
    if found is None:
        found = grad_output * output
        found = found - output * found.sum(dim, keepdims=True)
    return found


softmax_again.gradient(
    grad_output=lambda t, g, output, dim: t._softmax_backward_data(g, output, dim),
    output=lambda t, g, grad_output, output, dim: (
        grad_output * g - t.sum(output * grad_output, dim, True) * g - grad_output * t.sum(output * g, dim, True)
    ),
)


@operator("_safe_softmax", node="SafeSoftmaxBackward0", method=False)
def safe_softmax(xp, input: Array, dim):
    """softmax that gives zeros, not NaN, where all of a row is minus infinity."""
    found = softmax.kernel(xp, input, dim)
    return xp.where(xp.isneginf(input).all(dim, keepdims=True), found.dtype.type(0), found)


safe_softmax.gradient(input=softmax_gradient)


def log_softmax_backward(g, result, dim):
    if type(result) is np.ndarray and result.ndim:
        g = g if g.flags.c_contiguous else np.ascontiguousarray(g)
        found = whole(log_softmax_backward_kernel, dim % result.ndim, result, g)
        if found is not None:
            return found
        if is_large(result, dim % result.ndim) and type(g) is np.ndarray and g.dtype == result.dtype:
            return rows(log_softmax_gradient_block, np.empty_like(result), g, result)
        p = exp(result)
        np.multiply(p, np.add.reduce(g, dim, None, None, True), p)
        return np.subtract(g, p, p)
    return None


@on_arrays(log_softmax_backward)
def log_softmax_gradient(t, g, result, dim):
    return t._log_softmax_backward_data(g, result, dim)


@operator("_log_softmax_backward_data", node="LogSoftmaxBackwardDataBackward0", method=False, wide=True)
def log_softmax_again(xp, grad_output: Array, output: Array, dim, input_dtype=None):
    """``g - exp(result) * sum(g, dim, True)``."""
    found = log_softmax_backward(grad_output, output, dim)
    if found is None:
        found = grad_output - xp.exp(output) * grad_output.sum(dim, keepdims=True)
    return found


log_softmax_again.gradient(
    grad_output=lambda t, g, output, dim: g - t.sum(g * t.exp(output), dim, True),
    output=lambda t, g, grad_output, output, dim: -t.sum(grad_output, dim, True) * t.exp(output) * g,
)


softmax.gradient(input=softmax_gradient)
log_softmax.gradient(input=log_softmax_gradient)


def implicit_dim(ndim: int) -> int:
    """The dimension that nn.functional's forms take when none is given; they warn about it."""
    return 0 if ndim in (0, 1, 3) else 1


def functional(name, op):
    """The form in nn.functional: its dim may be left out."""

    def function(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            warn(
                f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
            )
            dim = implicit_dim(input.ndim)
        if name == "softmin":
            input = -input
        return op.function(input, dim) if dtype is None else op.function(input, dim, dtype=dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.function.__doc__ if name != "softmin" else "softmax of ``-input``."
    composite("nn.functional." + name, method=False)(function)


functional("softmax", softmax)
functional("log_softmax", log_softmax)
functional("softmin", softmax)
