"""Variance and standard deviation, covariance and correlation."""

from __future__ import annotations

from functools import partial

import numpy as np

from ....sandbox.long_calls import HUGE, apart
from ...arrays.bounds import refuse
from ...arrays.constants import FLOAT64
from ...arrays.device import absent
from ...arrays.dtype import BOOL, FLOAT, INTEGER, is_half
from ...arrays.errors import combination_error
from ...arrays.numbers import converted
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading.table import find_function
from ...numerics import cumulative
from ...numerics.cumulative import BLOCK
from ...operators.declare import Array, composite, operator
from ...operators.forms import form
from ...operators.reduction import FLOAT32, constant, spread_back
from ...tensors.tensor import Tensor
from ..elementwise.by_number import times
from .sums import axes_of, count


def checked_axes(name, a, dim):
    """The axes of a variance."""
    if a.dtype.kind not in "fcV":
        which = name if name.endswith("mean") else "std and var"
        raise RuntimeError(f"{which} only support floating point and complex dtypes")
    return axes_of(name, dim, a.ndim)


def moment(xp, name, a, dim, correction, keepdim):
    """The variance or the deviation, computed in double and rounded."""
    axes = checked_axes(name, a, dim)
    correction = 1 if correction is None else converted(correction, FLOAT64)
    if correction >= max(1, count(a.shape, axes)):
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
            "divided by output numel)."
        )
    if not count(a.shape, axes):
        correction = 0  # there is no mean to be at some distance of
    if xp is np:
        return (cumulative.std if name.startswith("std") else cumulative.var)(a, axes, keepdim, correction)
    free = max(count(a.shape, axes) - correction, 0)
    squares = xp.var(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64), axis=axes, keepdims=keepdim)
    squares = squares * count(a.shape, axes) / xp.float64(free)
    return (xp.sqrt(squares) if name.startswith("std") else squares).astype(a.real.dtype)


def middle(xp, a, dim, keepdim):
    """The mean that goes with a variance."""
    axes = tuple(range(a.ndim)) if dim is None else axes_of("mean", dim, a.ndim)
    n = count(a.shape, axes)
    total = xp.add.reduce(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64), axis=axes, keepdims=keepdim)
    mean = (total / n if n else total * np.nan).astype(a.dtype)
    if xp is np and a.dtype.kind == "f" and not np.isfinite(total).all():
        # PyTorch's running mean turns NaN at the element behind an infinite one.
        rows = a.reshape(1, -1) if len(axes) == a.ndim else np.moveaxis(a, axes, range(-len(axes), 0))
        rows = rows.reshape(*rows.shape[: rows.ndim - len(axes)], -1) if len(axes) != a.ndim else rows[0]
        mean = np.where(np.isinf(rows[..., :-1]).any(-1).reshape(mean.shape), a.dtype.type(np.nan), mean)
    return mean


def arguments(name, args, keywords):
    """PyTorch's three ways of saying it, as (dim, correction, keepdim)."""
    given, original, args = dict(keywords), args, list(args)
    unbiased = given.pop("unbiased", None)
    if args and isinstance(args[0], bool):
        if len(args) > 1 or unbiased is not None or given:
            raise combination_error(name, *args, **keywords)
        return None, int(args[0]), False
    dim = args.pop(0) if args else given.pop("dim", given.pop("axis", None))
    if args:
        unbiased = args.pop(0)
    if args:
        given["keepdim"] = args.pop(0)
    keepdim = given.pop("keepdim", given.pop("keepdims", False))
    correction = given.pop("correction", None)
    if args or given or (unbiased is not None and "correction" in keywords):
        raise combination_error(name, *original, **keywords)
    return dim, correction if unbiased is None else int(unbiased), keepdim


def blocked_variance(a, dim):
    """The same for a large array: sums and sums of squares of what exceeds a rough mean."""
    if a.dtype is FLOAT32 and dim in (None, -1, a.ndim - 1):
        found = cumulative.spread_of(a, tuple(range(a.ndim)) if dim is None else (a.ndim - 1,))
        if found is not None:
            shape = () if dim is None else a.shape[:-1]
            return found.reshape(shape) / ((a.size if dim is None else a.shape[-1]) - 1)
    if dim is None:
        rows = a.reshape(1, -1) if a.flags.c_contiguous else np.ascontiguousarray(a).reshape(1, -1)
    else:
        rows = np.moveaxis(a, dim, -1)
        shape = rows.shape[:-1]
        rows = rows.reshape(-1, rows.shape[-1])
    count, n = rows.shape
    total = np.add.reduce if a.size < HUGE else partial(apart, np.add.reduce)
    rough = total(rows, 1, keepdims=True) / rows.dtype.type(n)
    first, second = np.zeros(count), np.zeros(count)
    width = min(n, BLOCK)
    height = max(1, BLOCK // width)
    for top in range(0, count, height):
        rise = slice(top, top + height)
        for left in range(0, n, width):
            away = rows[rise, left : left + width].astype(FLOAT64)
            away -= rough[rise]
            first[rise] += np.add.reduce(away, 1)
            second[rise] += np.einsum("ij,ij->i", away, away)
    found = (second - first * first / n) / (n - 1)
    return found[0] if dim is None else found.reshape(shape)


def quick_variance(a, dim):
    """The variance of a real array, of all or along a dimension of two elements at least, in double."""
    if a.size > BLOCK:
        return blocked_variance(a, dim)
    wide = a.astype(FLOAT64)
    if dim is None:
        n = a.size
        away = (wide - np.add.reduce(wide, None) / n).reshape(-1)
        return away.dot(away) / (n - 1)
    n = a.shape[dim]
    away = wide - np.add.reduce(wide, dim, keepdims=True) / n
    np.multiply(away, away, away)
    return np.add.reduce(away, dim) / (n - 1)


variances = kernel("variances", unsuited)


def along(root):
    """The array function of a variance, or of its root."""

    def compute(a, dim, correction, keepdim):
        if correction is not None or keepdim or dim is not None and type(dim) is not int:
            return None
        if (a.size if dim is None else a.shape[dim] if -a.ndim <= dim < a.ndim else 0) < 2:
            return None
        if a.dtype is FLOAT32 and a.size <= BLOCK and (found := variances(a, dim, False, root, False)) is not None:
            return found
        r = quick_variance(a, dim)
        r = np.sqrt(r) if root else r
        return r.astype(a.dtype, "C") if type(r) is np.ndarray else np.asarray(r, a.dtype)

    return compute


def along_both(root):
    """The array function of a variance, or of its root, and the mean. Of float32 their sums in double are the same in any order."""

    def compute(a, dim, correction, keepdim):
        usual = correction is None and (dim is None or type(dim) is int)
        if a.size > BLOCK or not usual or not a.flags.c_contiguous:
            return None
        n = a.size if dim is None else a.shape[dim] if -a.ndim <= dim < a.ndim else 0
        if n < 2 or a.dtype is FLOAT32:
            return variances(a, dim, keepdim, root, True) if n > 1 else None
        over = tuple(range(a.ndim)) if dim is None else (dim % a.ndim,)
        mean = np.add.reduce(a, over, None, None, True) / n
        away = a - mean
        np.multiply(away, away, away)
        r = np.add.reduce(away, over, None, None, keepdim) / (n - 1)
        if np.count_nonzero(np.isfinite(r)) < np.size(r):
            return None
        return np.asarray(np.sqrt(r) if root else r), mean if keepdim else mean.reshape(np.shape(r))

    return compute


def of_halves(function):
    """An array function for floats as one for half types: in float32, and rounded again."""

    def compute(a, *settings):
        if type(a) is not np.ndarray or not is_half(a.dtype) or not 0 < a.size <= BLOCK:
            return None
        found = function(a.astype(FLOAT32), *settings)
        if type(found) is tuple:
            return tuple([each.astype(a.dtype) for each in found])
        return None if found is None else found.astype(a.dtype)

    return compute


def named_first(name, keywords):
    """The first operand, given by one of its names, taken out of the keywords."""
    for each in ("input", "x", "a", "x1"):
        if each in keywords:
            return keywords.pop(each)
    raise combination_error(name, **keywords)


def binding(op, usual):
    """The form of std, var and their pairs, which take arguments in three ways."""
    op.fast = (along if op.outputs == 1 else along_both)(op.name[:3] == "std")
    op.same = of_halves(op.fast)

    def unusual(*operands, out=None, **keywords):
        if not operands:
            operands = (named_first(op.name, keywords),)
        input, *args = operands
        dim, correction, keepdim = arguments(op.name, args, keywords)
        if out is not None:
            return op.call(input, dim, correction=correction, keepdim=keepdim, out=out)
        return op.run([input, dim, correction, keepdim])

    choices = {types: op for types in ((Tensor,), (Tensor, int), (Tensor, "dim", int))}
    return form(usual._title, unusual, dtypes=False, out=False, choices=choices)


def var_gradient(t, g, input, dim, correction, keepdim):
    """``2 / (n - correction) * (input - mean)`` for each element."""
    n = count(input.shape, dim)
    free = n - (1 if correction is None else correction)
    factor = 2.0 / free if free > 0 else float("nan") if free == 0 else 2.0 / free
    away = input - t.mean(input, dim, True) if input.shape else input - input
    return spread_back(t, g * factor, input.shape, dim, keepdim) * away


def of_deviation(t, g, result):
    """The gradient of a deviation as one of its variance; zero where the deviation is."""
    zero = constant(t, lambda r: r == 0, result)
    half = g / (result * 2)
    return np.where(zero, half.dtype.type(0), half) if t.raw else t.masked_fill(half, zero, 0)


@operator(short=binding)
def var(xp, input: Array, dim=None, *, correction=None, keepdim=False):
    """The variance over `dim` (all when None); divided by n - `correction`, 1 by default.
    A dimension goes, or has size 1 with `keepdim`; a single element gives NaN. RuntimeError: integers."""
    return moment(xp, "var", input, dim, correction, keepdim)


var.gradient(input=var_gradient)


@operator(short=binding)
def std(xp, input: Array, dim=None, *, correction=None, keepdim=False):
    """The standard deviation over `dim` (all when None).
    A dimension goes, or has size 1 with `keepdim`; a single element gives NaN. RuntimeError: integers."""
    return moment(xp, "std", input, dim, correction, keepdim)


std.gradient(
    input=lambda t, g, input, result, dim, correction, keepdim: var_gradient(
        t, of_deviation(t, g, result), input, dim, correction, keepdim
    )
)


@operator(outputs=2, method=False, short=binding)
def var_mean(xp, input: Array, dim=None, *, correction=None, keepdim=False):
    """Variance and mean over `dim`."""
    return moment(xp, "var_mean", input, dim, correction, keepdim), middle(xp, input, dim, keepdim)


@operator(outputs=2, method=False, short=binding)
def std_mean(xp, input: Array, dim=None, *, correction=None, keepdim=False):
    """Standard deviation and mean over `dim`."""
    return moment(xp, "std_mean", input, dim, correction, keepdim), middle(xp, input, dim, keepdim)


@var_mean.gradient_of("input")
def pair_gradient(t, g, input, dim, correction, keepdim):
    """The gradients of the two results, added."""
    of_first, of_mean = g
    found = None if of_first is None else var_gradient(t, of_first, input, dim, correction, keepdim)
    if of_mean is None:
        return found
    even = spread_back(t, of_mean / count(input.shape, dim), input.shape, dim, keepdim)
    return even if found is None else found + even


@std_mean.gradient_of("input")
def _(t, g, input, result, dim, correction, keepdim):
    of_variance = None if g[0] is None else of_deviation(t, g[0], result)
    return pair_gradient(t, (of_variance, g[1]), input, dim, correction, keepdim)


def weights_of(name, weights, n, integral):
    """Checked weights of observations."""
    if weights is None:
        return None
    kind = weights.dtype
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions"
        )
    if integral and kind.category != INTEGER:
        raise RuntimeError(f"cov(): expected {name} to have integral dtype but got {name} with {kind.short} dtype")
    if not integral and kind.category != FLOAT:
        raise RuntimeError(
            f"cov(): expected {name} to have floating point dtype but got {name} with {kind.short} dtype"
        )
    if weights._array.size != n:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights._array.size} != {n}"
        )
    if n:
        refuse(weights._array < 0, lambda: RuntimeError(f"cov(): {name} cannot be negative"))
    return weights


@composite()
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables (rows) from observations (columns), counted `fweights` times, weighed `aweights`."""
    if input.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    if input.dtype.category == BOOL:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.view(1, -1) if input.ndim < 2 else input
    n = rows._array.shape[1]
    fweights, aweights = weights_of("fweights", fweights, n, True), weights_of("aweights", aweights, n, False)
    w = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    w_sum = wrap(np.asarray(n)) if w is None else w.sum()
    if w is not None and n:
        refuse(w_sum._array == 0, lambda: RuntimeError("cov(): weights sum to zero, can't be normalized"))
    mean = (rows if w is None else rows * w).sum(1) / w_sum
    if w is not None and aweights is not None and correction != 0:
        norm = w_sum - times((w * aweights).sum(), correction) / w_sum
    else:
        norm = w_sum - correction
    if not absent(norm._array) and norm.item() <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
        norm = wrap(np.zeros_like(norm._array))
    away = rows - mean.unsqueeze(1)
    weighted = away if w is None else away * w
    if weighted._array.dtype.kind == "c":
        product = away.mm(weighted.t().conj())
        if product._array.size == 1:  # a variance is real
            real = product.real
            product = find_function("complex")(real, wrap(np.zeros_like(real._array)))
        return (product / norm).squeeze()
    return (away.mm(weighted.t()) / norm).squeeze()


@composite()
def corrcoef(input):
    """The matrix of correlation coefficients of variables (rows) from observations (columns)."""
    if input.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    c = cov(input)
    if c.ndim == 0:
        return c / c
    d = c.diagonal()
    deviations = (d.real if c._array.dtype.kind == "c" else d).sqrt()
    c = c / deviations.view(-1, 1) / deviations.view(1, -1)
    if c._array.dtype.kind == "c":
        return find_function("complex")(c.real.clamp(-1, 1), c.imag.clamp(-1, 1))
    return c.clamp(-1, 1)
