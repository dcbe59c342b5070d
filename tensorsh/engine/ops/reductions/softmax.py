"""softmax, log_softmax and softmin: exponentials that sum to one.

Computed by compiled loops, whose sums are in the order of PyTorch's vector code, or less the maximum, exponentiated,
divided by the sum."""

from __future__ import annotations

import numpy as np

from ...arrays.dtype import of
from ...arrays.layout import row_order
from ...arrays.on_arrays import on_arrays
from ...arrays.parallel import BLOCK
from ...arrays.warning import warn
from ...kernels import kernel, unsuited
from ...numerics.halves import converted
from ...numerics.rounding import rounded
from ...operators.declare import Array, composite, operator
from ...operators.reduction import FLOAT32
from .sums import one_axis


def normalized(xp, a, axis):
    """softmax of a floating-point array with elements."""
    a = row_order(a)
    if (found := softmax_kernel(a, axis)) is not None:
        return found
    e = rounded(xp.exp, xp.subtract(a, xp.max(a, axis=axis, keepdims=True)))
    return xp.true_divide(e, xp.add.reduce(e, axis=axis, keepdims=True), out=e)


def log_normalized(xp, a, axis):
    """log_softmax of a floating-point array with elements."""
    a = row_order(a)
    if (found := log_softmax_kernel(a, axis)) is not None:
        return found
    r = xp.subtract(a, xp.max(a, axis=axis, keepdims=True))
    total = xp.add.reduce(rounded(xp.exp, r), axis=axis, keepdims=True)
    return xp.subtract(r, rounded(xp.log, total), out=r)


log_softmax_halves = kernel("log_softmax_halves", unsuited)
softmax_kernel, log_softmax_kernel = kernel("softmax", unsuited), kernel("log_softmax", unsuited)


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


def backward(op, node, kernel, formula, gradient):
    """The gradient of softmax or log_softmax, and the operator that is it where it is differentiated in turn."""

    def of_arrays(g, result, dim):
        if type(result) is not np.ndarray or not result.ndim:
            return None
        found = kernel(result, row_order(g), dim % result.ndim)
        return formula(np, g, result, dim) if found is None else found

    def again(xp, grad_output: Array, output: Array, dim, input_dtype=None):
        found = of_arrays(grad_output, output, dim)
        return formula(xp, grad_output, output, dim) if found is None else found

    again.__doc__ = formula.__doc__
    gradient = on_arrays(of_arrays)(gradient)
    op.gradient(input=gradient)
    return gradient, operator(f"_{op.name}_backward_data", node=node, method=False, wide=True)(again)


def softmax_slope(xp, g, result, dim):
    """``g * result - result * sum(g * result, dim, True)``."""
    found = g * result
    return found - result * found.sum(dim, keepdims=True)


def log_softmax_slope(xp, g, result, dim):
    """``g - exp(result) * sum(g, dim, True)``."""
    return g - xp.exp(result) * g.sum(dim, keepdims=True)


softmax_gradient, softmax_again = backward(
    softmax, "SoftmaxBackwardDataBackward0", kernel("softmax_backward", unsuited), softmax_slope,
    lambda t, g, result, dim: t._softmax_backward_data(g, result, dim),
)  # fmt: skip
softmax_again.gradient(
    grad_output=lambda t, g, output, dim: t._softmax_backward_data(g, output, dim),
    output=lambda t, g, grad_output, output, dim: (
        grad_output * g - t.sum(output * grad_output, dim, True) * g - grad_output * t.sum(output * g, dim, True)
    ),
)
_, log_softmax_again = backward(
    log_softmax, "LogSoftmaxBackwardDataBackward0", kernel("log_softmax_backward", unsuited), log_softmax_slope,
    lambda t, g, result, dim: t._log_softmax_backward_data(g, result, dim),
)  # fmt: skip
log_softmax_again.gradient(
    grad_output=lambda t, g, output, dim: g - t.sum(g * t.exp(output), dim, True),
    output=lambda t, g, grad_output, output, dim: -t.sum(grad_output, dim, True) * t.exp(output) * g,
)


@operator("_safe_softmax", node="SafeSoftmaxBackward0", method=False)
def safe_softmax(xp, input: Array, dim):
    """softmax that gives zeros, not NaN, where all of a row is minus infinity."""
    found = softmax.kernel(xp, input, dim)
    return xp.where(xp.isneginf(input).all(dim, keepdims=True), found.dtype.type(0), found)


safe_softmax.gradient(input=softmax_gradient)


def functional(name, op):
    """The form in nn.functional: its dim may be left out."""

    def function(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            warn(
                f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
            )
            dim = 0 if input.dim() in (0, 1, 3) else 1
        if name == "softmin":
            input = -input
        return op.function(input, dim) if dtype is None else op.function(input, dim, dtype=dtype)

    function.__doc__ = op.function.__doc__ if name != "softmin" else "softmax of ``-input``."
    composite("nn.functional." + name, method=False)(function)


functional("softmax", softmax)
functional("log_softmax", log_softmax)
functional("softmin", softmax)
