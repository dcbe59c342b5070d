"""Largest and smallest elements, and where they are. NaN is larger and smaller than every number.

Gradients at ties: `amax` and `max()` share the gradient among equal elements, `max(dim)` gives it to the one it chose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.constants import ABSENT, INT64, settled
from ...arrays.dtype import is_half, of
from ...arrays.errors import combination_error, wrap_dims
from ...arrays.layout import row_order
from ...arrays.type_names import type_name
from ...kernels import kernel, unsuited
from ...loading import table
from ...numerics.extremes import of_floats, over, placed
from ...numerics.halves import by_singles, converted
from ...operators.composite import not_tensor
from ...operators.declare import Array, composite, operator
from ...operators.reduction import constant, pick_one, put, reduced_shape
from ...tensors.tensor import Tensor
from .sums import axes_of, one_axis


def no_elements(name: str, shape: tuple, axis: int | None, error: type = RuntimeError) -> Exception | None:
    """What is wrong with reducing without an identity, if anything."""
    if axis is None:
        if 0 not in shape:
            return None
        hint = "" if name.startswith("arg") else " Specify the reduction dim with the 'dim' argument."
        return error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{hint}")
    if shape and shape[axis] == 0:
        return IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return None


def require_elements(name: str, shape: tuple, axes, error: type = RuntimeError) -> None:
    for axis in (None,) if axes is None else axes:
        problem = no_elements(name, shape, axis, error)
        if problem:
            raise problem


def not_implemented(kernel: str, a) -> NotImplementedError:
    return NotImplementedError(f"\"{kernel}\" not implemented for '{of(a).short}'")


@operator("_scattered", method=False, node="ScatterBackward0")
def scattered(xp, input: Array, index: Array, dim, shape):
    """Zeros of a shape with the elements of `input` at the places that `index` names along `dim`, each at most once."""
    return put(input, index, dim, shape)


scattered.gradient(input=lambda t, g, index, dim: t.gather(g, dim, index))


def give_back(t, g, indices, shape, dim, keepdim):
    """The gradient of elements chosen along `dim`: at their places, zero elsewhere."""
    if not shape:
        return g
    dim = dim % len(shape)
    if not keepdim:
        kept = (*shape[:dim], 1, *shape[dim + 1 :])
        g, indices = g.reshape(kept), indices.reshape(kept)
    if t.raw:
        return put(g, indices, dim, shape)
    return t._scattered(g, indices, dim, shape)


def directly(function):
    """A function that picks elements of an array, of int64, and of a half type in single precision; None for others."""
    singly = by_singles(function)
    return lambda a, *rest: function(a, *rest) if a.dtype is INT64 and type(a) is np.ndarray else singly(a, *rest)


def stands_at(input, extreme):
    """Where the extreme element stands."""
    return np.isnan(input) if (extreme != extreme).any().item() else input == extreme


def count_of(mask, dtype):
    if not isinstance(mask, (np.ndarray, np.generic)):
        return mask.sum(dtype=dtype)
    return dtype.type(np.count_nonzero(mask))


def full_gradient(t, g, input, result):
    """The gradient shared among equal elements, and zero elsewhere, which has no sign."""
    mask = constant(t, stands_at, input, result)
    share = g / constant(t, count_of, mask, t.array(result).dtype)
    return t.where(mask, share, t.zeros_like(share))


def tied_share(dim):
    """The same, along `dim`; NaN everywhere if the extreme element is NaN."""

    def share(input, extreme):
        mask = input == extreme
        add = np.add.reduce if type(mask) is np.ndarray else module_of(mask).sum
        half = input.dtype.itemsize == 2 and type(mask) is np.ndarray  # whose sums numpy takes one by one
        counts = add(mask, axis=wrap_dims(dim, mask.ndim), keepdims=True, dtype=np.int64 if half else input.dtype)
        counts = counts.astype(input.dtype) if half else counts
        with np.errstate(invalid="ignore", divide="ignore"):
            return mask / counts

    return share


def tied_gradient(t, g, input, result, dim, keepdim):
    if input.shape and not keepdim:
        kept = reduced_shape(input.shape, dim)
        g, result = g.reshape(kept), result.reshape(kept)
    return g * constant(t, tied_share(dim), input, result)


def extremes_along(a, name: str, axis: int, keepdim: bool):
    """The extreme elements along an axis and where they stand first."""
    found = placed(a, axis, keepdim, name == "min") if type(a) is np.ndarray else None
    if found is not None:
        return found
    indices = (a.argmax if name == "max" else a.argmin)(axis)
    if type(indices) is not np.ndarray:
        indices = settled(indices)
    if a.ndim == 1:
        values = settled(a[indices])
        return (values.reshape(1), indices.reshape(1)) if keepdim else (values, indices)
    values = pick_one(a, indices, axis)
    if keepdim:
        kept = a.shape[:axis] + (1,) + a.shape[axis + 1 :]
        return values.reshape(kept), indices.reshape(kept)
    return values, indices


UFUNCS = {"max": np.maximum, "min": np.minimum}
WORDS = {"max": "largest", "min": "smallest"}


def of_everything(name: str):
    """``max()``: of all elements."""
    ufunc = UFUNCS[name]

    def first_of(flat):
        return flat[flat.argmax() if name == "max" else flat.argmin()]

    def of_all(a):
        found = first_of(a.ravel("K"))
        return first_of(a.ravel()) if found == 0 and not a.flags.c_contiguous else found

    def quickly(a):
        if type(a) is not np.ndarray:
            return None
        if a.dtype is INT64:
            return ufunc.reduce(a, None)
        if is_half(a.dtype) and (found := of_some(a)) is not None:
            return found
        return in_singles(a)

    def singly(a):
        found = ufunc.reduce(a, None)
        return of_all(a) if found == 0 else found  # zeros have signs, and the first is taken

    def whole_kernel(xp, input: Array):
        if input.dtype.kind == "c":
            raise not_implemented(f"{name}_all", input)
        require_elements(name, input.shape, None)
        return of_all(input) if xp is np and input.dtype.kind == "f" else getattr(xp, name)(input)

    whole = operator(f"_{name}_all", method=False, node=f"{name.title()}Backward1")(whole_kernel)
    whole.name = name
    of_some, in_singles = kernel(WORDS[name], unsuited), by_singles(singly)
    whole.fast = kernel(WORDS[name], of_all)
    whole.same = quickly
    whole.gradient(input=full_gradient)
    return whole


def of_dim(name: str):
    """``max(dim)``: along a dimension, with the places."""

    def dim_kernel(xp, input: Array, dim, keepdim=False):
        axis = one_axis(name, dim, input.ndim)
        if input.dtype.kind == "c":
            raise RuntimeError(f"{name}(): does not support complex input")
        if not input.ndim:
            return input.copy(), xp.zeros((), np.int64)
        require_elements(name, input.shape, (axis,))
        return extremes_along(input, name, axis, keepdim)

    by_dim = operator(
        f"_{name}_dim", method=False, node=f"{name.title()}Backward0", outputs="values (indices)",
    )(dim_kernel)  # fmt: skip
    by_dim.name = name
    by_dim.gradient(
        input=lambda t, g, indices, input_shape, dim, keepdim: give_back(t, g[0], indices, input_shape, dim, keepdim)
    )

    def along(a, dim, keepdim):
        return extremes_along(a, name, dim % a.ndim, keepdim) if type(dim) is int and -a.ndim <= dim < a.ndim else None

    by_dim.fast, by_dim.same = along, directly(along)
    return by_dim


def extreme(name: str) -> None:
    """``max``: of all elements, along a dimension, or of two tensors."""
    whole, by_dim, word = of_everything(name), of_dim(name), WORDS[name]

    def unusual(input=ABSENT, *args, out=None, **kwargs):
        if input is ABSENT:
            raise combination_error(name, **kwargs)
        if not args and not kwargs:
            return whole.call(input, out=out)
        if not isinstance(input, Tensor):
            raise not_tensor(name, input=input)
        other = args[0] if args else kwargs.get("other")
        if isinstance(other, Tensor):
            return table.find_function(f"{name}imum")(input, *args, out=out, **kwargs)
        given = dict(kwargs)
        dim = args[0] if args else kwargs.pop("dim", kwargs.pop("axis", None))
        if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)):
            raise combination_error(
                name, *(args if dim is not None else ()), **(given | {"dim": None} if args and dim is None else given)
            )
        keepdim = args[1] if len(args) > 1 else kwargs.pop("keepdim", kwargs.pop("keepdims", False))
        if len(args) > 2 or kwargs:
            raise combination_error(name, *args, **kwargs)
        if not isinstance(keepdim, (bool, np.bool_)):
            raise TypeError(f"{name}(): argument 'keepdim' (position 2) must be bool, not {type_name(keepdim)}")
        return by_dim.call(input, dim, keepdim, out=out)

    unusual.__doc__ = f"The {word} element; with `dim` the {word} along it and where they stand; with a tensor, elementwise {name}imum."
    by_type = {(Tensor,): whole, (Tensor, int): by_dim, (Tensor, int, bool): by_dim}
    composite(name, out=False, choices=by_type)(unusual)


def is_all(dim: Any, ndim: int) -> bool:
    """Whether dimensions of a call are plainly all that there are."""
    return dim is None or (type(dim) is tuple or type(dim) is list) and (not dim or [*dim] == [*range(ndim)])


def values_over(name: str) -> None:
    """``amax``: over some dimensions."""
    ufunc = UFUNCS[name]

    def a_kernel(xp, input: Array, dim=(), keepdim=False):
        if input.dtype.kind == "c":
            raise not_implemented(f"{name}_values_cpu", input)
        axes = axes_of(f"a{name}", None if dim == () else dim, input.ndim)
        require_elements(f"a{name}", input.shape, axes)
        return row_order(getattr(xp, name)(input, axis=axes, keepdims=keepdim))

    a_kernel.__doc__ = f"The {WORDS[name]} elements over `dim` (a number or several; all by default)."

    def over_some(a, dim, keepdim):
        if type(a) is not np.ndarray or a.ndim < 2 or not a.size or a.dtype.kind == "c" or is_all(dim, a.ndim):
            return None
        return over(a, axes_of(f"a{name}", dim, a.ndim), keepdim, name == "min")

    def a_fold(a, dim, keepdim):
        if (found := over_some(a, dim, keepdim)) is not None:
            return found
        dim = None if is_all(dim, a.ndim) else dim
        return row_order(ufunc.reduce(a, dim, None, None, keepdim)) if dim is None or type(dim) is int else None

    of_some, folded = kernel(WORDS[name], unsuited), directly(a_fold)

    def a_quickly(a, dim, keepdim):
        if is_all(dim, a.ndim) and not keepdim and a.dtype.itemsize == 2 and type(a) is np.ndarray:
            found = of_some(a)
            if found is not None and found:  # of equal zeros any may be taken
                return found
        found = over_some(a, dim, keepdim)
        return folded(a, dim, keepdim) if found is None else found

    a_op = operator(f"a{name}")(a_kernel)
    a_op.fast, a_op.same = a_fold, a_quickly
    a_op.gradient(input=tied_gradient)


def places_of(name: str) -> None:
    """``argmax``: where it stands."""

    def arg_kernel(xp, input: Array, dim=None, keepdim=False):
        kind = input.dtype.kind
        if kind == "c" or kind == "b":
            raise RuntimeError(f"arg{name}(): does not support {'complex' if kind == 'c' else 'bool'} input")
        axis = None if dim is None else one_axis(f"arg{name}", dim, input.ndim)
        require_elements(f"arg{name}", input.shape, None if axis is None else (axis,), IndexError)
        if not input.ndim:
            axis = None
        found = placed(input, axis, keepdim, name == "min") if axis is not None and type(input) is np.ndarray else None
        return getattr(xp, f"arg{name}")(input, axis=axis, keepdims=keepdim) if found is None else found[1]

    arg_kernel.__doc__ = (
        f"The index of the {WORDS[name]} element along `dim` (in the flattened tensor when None), the first if several."
    )
    method = np.ndarray.argmax if name == "max" else np.ndarray.argmin

    def arg_along(a, dim, keepdim):
        if keepdim or dim is not None and (type(dim) is not int or dim not in (-1, a.ndim - 1)):
            return None
        return method(a, dim)

    arg_op = operator(f"arg{name}")(arg_kernel)
    arg_op.fast, arg_op.same = arg_along, directly(arg_along)


for _name in WORDS:
    extreme(_name)
    values_over(_name)
    places_of(_name)


LEAST_AND_LARGEST = np.minimum.reduce, np.maximum.reduce


@operator(outputs="min max")
def aminmax(xp, input: Array, *, dim=None, keepdim=False):
    """The smallest and the largest elements, of all or along `dim`."""
    if input.dtype.kind == "c":
        raise not_implemented("aminmax_cpu", input)
    if dim is None:
        if not input.size:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        axis = None
    else:
        axis = one_axis("aminmax", dim, input.ndim)
        if input.ndim and not input.shape[axis]:
            raise IndexError(f"aminmax: Expected reduction dim {axis} to have non-zero size.")
    axes = axis if input.ndim else ()
    if xp is np and is_half(input.dtype):
        wide = converted(input, np.dtype(np.float32))
        return tuple([f(wide, axes, None, None, keepdim).astype(input.dtype) for f in LEAST_AND_LARGEST])
    if xp is np:
        return tuple([f(input, axes, None, None, keepdim) for f in LEAST_AND_LARGEST])
    return xp.min(input, axis=axes, keepdims=keepdim), xp.max(input, axis=axes, keepdims=keepdim)


aminmax.fast = aminmax.same = lambda a, dim, keepdim: of_floats(a) if dim is None and not keepdim else None


@aminmax.gradient_of("input")
def aminmax_gradient(t, g, input, min, max, dim, keepdim):
    found = None
    for part, value in zip(g, (min, max), strict=True):
        if part is not None:
            share = tied_gradient(t, part, input, value, dim, keepdim)
            found = share if found is None else found + share
    return found
