"""Sums, means, products, and what else folds a tensor along some or all of its dimensions.

Sums are made in the order of PyTorch's own loops (`engine/numerics/sums.py`), so that losses print alike to the last digit.
"""

from __future__ import annotations

from functools import partial
from math import prod as prod_of

import numpy as np

from ...arrays.constants import constant as constant_number
from ...arrays.dtype import FLOAT, is_half, of
from ...arrays.errors import combination_error, wrap_dim, wrap_dims
from ...arrays.layout import along_in_memory, row_order
from ...arrays.parallel import BLOCK, PIECE, blocks_of_rows
from ...kernels import kernel, unsuited
from ...numerics import cumulative, sums
from ...numerics.halves import FLOAT32, computed, converted
from ...numerics.rounding import rounded
from ...operators.declare import Array, composite, operator
from ...operators.reduction import FLOATS, constant, filled, reduced_shape, spread_back
from ...operators.registration import add_method
from ...tape.worlds import differentiable
from ...tensors.tensor import Tensor


def numbered(name: str):
    """Node names of reductions that have a form for all dimensions (0) and one for some (1)."""
    whole, along = name + "Backward0", name + "Backward1"
    return lambda input, dim=None, *rest: whole if dim is None else along


def axes_of(name: str, dim, ndim: int):
    """The axes to reduce, None for all."""
    if dim is None:
        return None
    if isinstance(dim, Tensor):
        dim = dim._array.item()
    if isinstance(dim, bool) or not isinstance(dim, (int, np.integer, list, tuple)):
        raise combination_error(name, dim)
    return wrap_dims(dim, ndim)


def one_axis(name: str, dim, ndim: int) -> int:
    """The axis to work along, counted from the front."""
    if isinstance(dim, (bool, np.bool_)) or not isinstance(dim, (int, np.integer)):
        if isinstance(dim, Tensor):
            return wrap_dim(int(dim._array), ndim)
        raise TypeError(
            f"{name}(): argument 'dim' (position 1) must be int, not {'NoneType' if dim is None else type(dim).__name__}"
        )
    return wrap_dim(int(dim), ndim)


def widened(a, dtype):
    """The array to fold: cast to `dtype`, or integers and booleans to int64."""
    if dtype is not None:
        return a.astype(dtype.numpy, copy=False)
    return a.astype(np.int64, copy=False) if a.dtype.kind in "biu" else a


def countable(xp, a, dtype):
    """The array to add up: whole numbers are added in int64 as they are."""
    return a if dtype is None and a.dtype.kind in "biu" and xp is np else widened(a, dtype)


def total(xp, a, axes=None, keepdims=False):
    """The sum in PyTorch's order."""
    return sums.sum(a, axes, keepdims) if xp is np else xp.sum(a, axis=axes, keepdims=keepdims)


def average(xp, a, axes=None, keepdims=False):
    return sums.mean(a, axes, keepdims) if xp is np else xp.mean(a, axis=axes, keepdims=keepdims)


def count(shape, dim) -> int:
    """How many elements are folded into one."""
    return prod_of(shape if dim is None else [shape[d] for d in wrap_dims(dim, len(shape))])


def along(f):
    """The array function of a reduction over all dimensions or one, by ``f(a, axis, keepdim)``."""

    def compute(a, dim, keepdim, dtype=None):
        return f(a, dim, keepdim) if dtype is None and (dim is None or type(dim) is int) else None

    return compute


@operator(node=numbered("Sum"), long="once")
def sum(xp, input: Array, dim=None, keepdim=False, *, dtype=None):
    """The sum over `dim` (a number or several; all when None). Integers and booleans give int64.
    A summed dimension goes, or has size 1 with `keepdim`. IndexError: no such dimension; RuntimeError: one named
    twice."""
    result = total(xp, countable(xp, input, dtype), axes_of("sum", dim, input.ndim), keepdim)
    return result if dtype is None or result.dtype == dtype.numpy else result.astype(dtype.numpy)


@sum.gradient_of("input")
def sum_gradient(t, g, input_shape, dim, keepdim):
    if dim is None and t.raw and type(g) is np.ndarray:
        return filled(input_shape, g, True)
    return spread_back(t, g, input_shape, dim, keepdim, True)


sum.fast = sums.kernel_sum


@operator(node=numbered("Mean"), long="once")
def mean(xp, input: Array, dim=None, keepdim=False, *, dtype=None):
    """The arithmetic mean over `dim` (a number or several; all when None) of a floating-point or complex tensor.
    A dimension goes, or has size 1 with `keepdim`; no elements give NaN. RuntimeError: integers without a float
    `dtype`."""
    kind = of(input) if dtype is None else dtype
    if kind.category < FLOAT:
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
            f"Got: {kind.short}"
        )
    a = input if dtype is None else input.astype(dtype.numpy, copy=False)
    return average(xp, a, axes_of("mean", dim, a.ndim), keepdim)


@mean.gradient_of("input")
def mean_gradient(t, g, input_shape, dim, keepdim):
    n = count(input_shape, dim)
    if t.raw and type(g) is np.ndarray and g.dtype in FLOATS:
        if dim is None:
            return filled(input_shape, g[()] / g.dtype.type(n))
        return spread_back(t, np.true_divide(g, constant_number(n, g.dtype)), input_shape, dim, keepdim)
    return spread_back(t, g / n, input_shape, dim, keepdim)


mean.fast = sums.kernel_mean


def present(a):
    """Where an array is a number."""
    return np.isnan(a) ^ True


@operator()
def nansum(xp, input: Array, dim=None, keepdim=False, *, dtype=None):
    """The sum over `dim`, NaN counted as zero."""
    if input.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    axes = axes_of("nansum", dim, input.ndim)
    found = total(xp, widened(input, dtype), axes, keepdim) if xp is np else None
    if found is None or input.dtype.kind in "fV" and np.isnan(found).any():
        if input.dtype.kind in "fV":
            input = xp.where(xp.isnan(input), input.dtype.type(0), input)
        found = total(xp, widened(input, dtype), axes, keepdim)
    return found if dtype is None else found.astype(dtype.numpy)


nansum.gradient(
    input=lambda t, g, input, dim, keepdim: spread_back(t, g, input.shape, dim, keepdim) * constant(t, present, input)
)


@composite()
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean over `dim` of the elements that are not NaN."""
    kind = input.dtype
    if kind.category < FLOAT:
        raise RuntimeError(f"nanmean(): expected input to have floating point or complex dtype but got {kind.short}")
    if dtype is not None and dtype.category < FLOAT:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: "
            + dtype.short
        )
    there = Tensor.isnan(input.detach()).logical_not().sum(dim, keepdim)
    return nansum.function(input, dim, keepdim, dtype=dtype).div(there)


def product(a, axis=None, keepdims=False):
    """The product in PyTorch's order: from 16 (float64) or 32 elements on, in four vectors."""
    n = a.size if axis is None else a.shape[axis]
    if (n >= 16 and a.dtype.kind == "f") or is_half(a.dtype):
        return cumulative.prod(a, axis, keepdims)
    return row_order(np.multiply.reduce(a, axis=axis, keepdims=keepdims, dtype=a.dtype))


@operator(node=numbered("Prod"), long="once")
def prod(xp, input: Array, dim=None, keepdim=False, *, dtype=None):
    """The product over `dim` (a number; all when None). Integers and booleans give int64.
    The dimension goes, or has size 1 with `keepdim`; no elements give 1. `dtype` is that in which is multiplied.
    IndexError: no such dimension."""
    if isinstance(dim, (list, tuple)):
        raise combination_error("prod", *([dim] if dim else []), **({} if dim else {"dim": None}))
    a = widened(input, dtype)
    axis = None if dim is None else one_axis("prod", dim, a.ndim)
    axis = axis if a.ndim else None
    if a.dtype.kind == "b":
        return xp.all(a, axis=axis, keepdims=keepdim)
    return product(a, axis, keepdim) if xp is np else xp.prod(a, axis=axis, keepdims=keepdim)


def others_product(t, x, dim):
    """For each element, the product of all others along `dim`: what comes before times what comes after."""
    n = x.shape[dim]
    ones = t.ones_like(t.narrow(x, dim, 0, 1))
    before = t.cumprod(t.cat([ones, t.narrow(x, dim, 0, n - 1)], dim), dim)
    after = t.flip(t.cumprod(t.cat([ones, t.flip(t.narrow(x, dim, 1, n - 1), (dim,))], dim), dim), (dim,))
    return before * after


@prod.gradient_of("input")
def prod_gradient(t, g, input, result, dim, keepdim):
    shape = input.shape
    if not shape:
        return g
    g = spread_back(t, g, shape, dim, keepdim)
    array = t.array(input)
    if (array != 0).all().item():
        if not keepdim and dim is not None:
            result = result.reshape(reduced_shape(shape, dim))
        return g * t.conj(result / input)
    if not array.size:
        return g
    if dim is None:
        if (array == 0).sum().item() > 1:
            return t.zeros_like(input)
        return g * t.conj(others_product(t, input.reshape((-1,)), 0)).reshape(shape)
    return g * t.conj(others_product(t, input, wrap_dim(dim, len(shape))))


prod.fast = along(product)


def logical(name, ufunc):
    def kernel(xp, input: Array, dim=None, keepdim=False):
        axes = () if isinstance(dim, (tuple, list)) and not dim else axes_of(name, dim, input.ndim)
        found = getattr(xp, name)(input, axis=axes, keepdims=keepdim)
        return found.astype(np.uint8) if input.dtype == np.uint8 else found

    kernel.__doc__ = (
        f"Whether {'every' if name == 'all' else 'any'} element along `dim` is true (each one, where `dim` is empty)."
    )

    made = operator(name, long="once")(kernel)
    made.fast = along(lambda a, axis, keepdims: ufunc.reduce(a, axis, None, None, keepdims))
    made.same = lambda a, dim, keepdim: (
        made.fast(a, dim, keepdim) if type(a) is np.ndarray and a.dtype.kind == "b" else None
    )
    return made


all = logical("all", np.logical_and)
any = logical("any", np.logical_or)


@operator(out=False, long="once")
def count_nonzero(xp, input: Array, dim=None):
    """How many elements along `dim` are not zero.
    int64: one number for all elements where `dim` is None, else without the dimensions `dim` (a number or several).
    Booleans count as their True. IndexError: no such dimension."""
    axes = axes_of("count_nonzero", dim, input.ndim)
    if axes is None and type(input) is np.ndarray:
        return np.asarray(np.count_nonzero(input != 0), np.int64)
    return xp.add.reduce(input != 0, axis=axes if axes is not None else tuple(range(input.ndim)), dtype=np.int64)


@operator(long="hosted")
def hash_tensor(xp, input: Array, dim=(), *, keepdim=False, mode=0):
    """The exclusive or of the elements' bits (of floats, of the same numbers in double) over `dim`, as uint64."""
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if not input.size and dim == ():
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
            "'dim' argument."
        )
    if input.dtype.kind == "c":
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{of(input).short}'")
    kind = np.dtype(np.float64 if input.dtype.kind in "fV" else np.int64)
    axes = wrap_dims(dim, input.ndim)
    if input.size > PIECE and len(axes) == input.ndim:  # in pieces that stay in the cache
        flat, shape = input.reshape(-1), (1,) * input.ndim if keepdim else ()
        bits = (flat[at : at + PIECE].astype(kind).view(np.uint64) for at in range(0, input.size, PIECE))
        return xp.bitwise_xor.reduce(xp.stack([xp.bitwise_xor.reduce(x) for x in bits])).reshape(shape)
    return xp.bitwise_xor.reduce(input.astype(kind).view(np.uint64), axis=axes, keepdims=keepdim)


log_sums = kernel("log_sums", unsuited)


def log_of_sums(a, axes, keepdims=False, xp=np):
    """``log(sum(exp(a)))`` over axes; infinite maxima are not subtracted. Rows of a large array come a block at a time."""
    if type(a) is np.ndarray and a.size > BLOCK and axes == (a.ndim - 1,) and sorted(a.strides)[::-1] == [*a.strides]:
        made = np.empty((*a.shape[:-1], 1), a.dtype)

        def block(part, out):
            out[...] = log_of_row_sums(part, (1,), True, np)

        blocks_of_rows(block, [row_order(a).reshape(-1, a.shape[-1]), made.reshape(-1, 1)])
        return made if keepdims else made[..., 0]
    return log_of_row_sums(a, axes, keepdims, xp)


def log_of_row_sums(a, axes, keepdims, xp):
    """The same of what is no larger than a block, or in another order."""
    if type(a) is np.ndarray and axes is not None and len(axes) == 1:
        found = along_in_memory(log_sums, a, axes[0])
        if found is not None:
            return np.expand_dims(found, axes[0]) if keepdims else found
    exp = partial(rounded, xp.exp) if a.dtype.itemsize == 2 or a.dtype == np.float64 else xp.exp
    if a.dtype.itemsize == 2 and type(a) is np.ndarray:
        top = converted(np.max(converted(a, FLOAT32), axis=axes, keepdims=True), a.dtype)
    else:
        most = np.maximum.reduce if type(a) is np.ndarray else xp.max
        top = most(a.real if a.dtype.kind == "c" else a, axis=axes, keepdims=True)
    less = computed(np.subtract, a, top) if type(a) is np.ndarray else None
    result = xp.log(total(xp, exp(a - top if less is None else less), axes, True)) + top
    if type(result) is not np.ndarray or not np.isfinite(np.add.reduce(result, None)):
        top = xp.where(xp.isinf(top), top.dtype.type(0), top)
        result = xp.log(total(xp, exp(a - top), axes, True)) + top
    return result if keepdims else result.squeeze(axes)


@operator("logsumexp special.logsumexp", promote="float", wide=False)
def logsumexp(xp, input: Array, dim, keepdim=False):
    """``log(sum(exp(input)))`` over `dim`, without overflow."""
    axes = axes_of("logsumexp", dim, input.ndim)
    if not input.size:
        return xp.log(total(xp, xp.exp(input), axes, keepdim))
    return log_of_sums(input, axes, keepdim, xp)


@logsumexp.gradient_of("input")
def logsumexp_gradient(t, g, input, result, dim, keepdim):
    if input.shape and not keepdim:
        kept = reduced_shape(input.shape, dim)
        g, result = g.reshape(kept), result.reshape(kept)
    return g * t.conj(t.exp(input - result))


def sum_to_size(input, *size):
    """The tensor summed to a shape from which its own is broadcast."""
    if len(size) == 1 and isinstance(size[0], (list, tuple)):
        size = tuple(size[0])
    size = tuple(map(int, size))
    try:
        fits = np.broadcast_shapes(size, input.shape) == input.shape
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(input.shape)}}}.")
    return differentiable.sum_to_size(input, size) if size else input.sum()


add_method("sum_to_size", sum_to_size)
