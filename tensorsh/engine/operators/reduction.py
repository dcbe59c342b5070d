"""The short way of reductions, and what their gradients need of arrays.

A reduction reaches its ufunc through one closure: `short(whole, along)` makes the callable of an operator
``f(input, dim=None, keepdim=False)`` from two functions on arrays, one for all dimensions and one for a single one.
Everything unusual (other dtypes, several dimensions, ``dtype=``, ``out=``, other devices) goes the operator's own way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..arrays.door import asked
from ..arrays.errors import wrap_dims
from ..arrays.extents import strided
from ..arrays.state import state
from ..graph.fields import fresh, keep_result, link, new, wrap
from ..graph.nodes import Slot
from ..tensors.named_tuples import named
from ..tensors.tensor import Tensor

ndarray = np.ndarray
asarray = np.asarray
empty = np.empty
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
HUGE = 1 << 31
"""So many elements take long to read: the general way can be interrupted."""
FILLED = 4096
"""Up to this many elements a spread gradient is written out; larger ones are views with strides of zero."""
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "<absent>"})()


def general(call: Callable, given: tuple, dim: Any, keywords: dict, overloaded: bool) -> Any:
    """The form, with the arguments of a short way as they were given. `overloaded`: None for `dim` is the form with it."""
    args = [x for x in given if x is not ABSENT]
    if overloaded and len(args) > 1 and args[1] is None:
        args[1] = ()
    if dim is not ABSENT:
        keywords["dim"] = () if overloaded and dim is None else dim
    return call(*args, **keywords)


FLOATS = frozenset((FLOAT32, FLOAT64))


def remember(node_class: type, edge: Any, saved: tuple) -> Any:
    """A node with one edge that keeps `saved`."""
    return link(node_class, (edge,), saved)


def short(whole: Any, along: Any, saves: str = "shape", overloaded: bool = True, kinds: frozenset = FLOATS) -> Callable:
    """What makes the callable of a reduction to one result.

    `whole(a)` and `along(a, dim, keepdim)` compute it, for arrays of the dtypes `kinds` that have elements. `saves`: what
    the gradient's formula names, "shape" for ``input_shape, dim, keepdim``, "both" for ``input, result`` and "all" for
    these with ``dim, keepdim``; "" when there is no gradient. `overloaded`: `keepdim` only goes with `dim`, and an
    explicit None for `dim` is the form with dimensions.
    """

    others = kinds - FLOATS

    def make(op: Any, call: Callable) -> Callable:
        first = second = None

        def record(t: Any, input: Any, dim: Any, keepdim: Any) -> Any:
            nonlocal first, second
            if saves == "shape":
                saved: tuple = (input._array.shape, dim, keepdim)
            elif saves == "both":
                saved = (input, keep_result(t))
            else:
                saved = (input, keep_result(t), dim, keepdim)
            if dim is None:
                if first is None:
                    first = op.node_class(op.title([input, None, False, None]))
                t._node = remember(first, input._node, saved)
            else:
                if second is None:
                    second = op.node_class(op.title([input, 0, False, None]))
                t._node = remember(second, input._node, saved)
            return t

        def function(
            input: Any = ABSENT, axis: Any = ABSENT, kept: Any = ABSENT, /, *rest: Any,
            dim: Any = ABSENT, **keywords: Any,
        ) -> Any:  # fmt: skip
            keeps = kept
            if keywords and kept is ABSENT and len(keywords) == 1:
                keeps = keywords.get("keepdim", ABSENT)
            if (
                asked
                or rest
                or (keywords and keeps is kept)
                or (type(input) is not Tensor and not isinstance(input, Tensor))
            ):
                return general(call, (input, axis, kept, *rest), dim, keywords, overloaded)
            a = input._array
            dt = a.dtype
            if (
                (dt is not FLOAT32 and dt is not FLOAT64 and dt not in others)
                or type(a) is not ndarray
                or not 0 < a.size < HUGE
            ):
                return general(call, (input, axis, kept), dim, keywords, overloaded)
            if axis is ABSENT:
                over = dim
            elif dim is ABSENT:
                over = axis
            else:
                return general(call, (input, axis, kept), dim, keywords, overloaded)
            if over is ABSENT:
                if keeps is not ABSENT or whole is None:
                    return general(call, (input, axis, kept), dim, keywords, overloaded)
                r = whole(a)
                over, keeps = None, False
            elif type(over) is int and -(n := a.ndim) <= over < n:
                if keeps is ABSENT:
                    keeps = False
                elif keeps is not False and keeps is not True:
                    return general(call, (input, axis, kept), dim, keywords, overloaded)
                r = along(a, over, keeps)
            else:
                return general(call, (input, axis, kept), dim, keywords, overloaded)
            t = fresh(r)
            if input._node is not None and saves and state.grad_enabled:
                return record(t, input, over, keeps)
            return t

        return function

    return make


def short_pair(op: Any, along: Callable) -> Callable:
    """``f(input, dim, ...)`` giving values and the indices of the elements chosen, or None for the general way.

    The formula names ``indices, input_shape, dim`` and whatever else the call has.
    """
    made = None
    result_class = named(op.name, ("values", "indices"))

    def function(input: Any, dim: Any, *rest: Any) -> Any:
        nonlocal made
        a = input._array
        n = a.ndim
        if a.dtype not in FLOATS or type(a) is not ndarray or not a.size or type(dim) is not int or not -n <= dim < n:
            return None
        t, i = new(Tensor), new(Tensor)
        t._array, i._array = along(a, dim if dim >= 0 else dim + n, *rest)
        edge = input._node
        if edge is not None and state.grad_enabled:
            if made is None:
                made = op.node_class(op.title([input, dim, *rest]))
            node = remember(made, edge, (keep_result(i, 1), a.shape, dim, *rest))
            node._outputs = 2
            t._node = Slot(node, 0)
        elif state.inference:
            t._inference = i._inference = True
        return result_class((t, i))

    return function


# What gradients need of arrays.


def reduced_shape(shape: tuple, dim: Any, keepdim: bool = True) -> tuple:
    """The shape after a reduction over `dim` (a number, several, or all)."""
    dims = wrap_dims(dim, len(shape))
    if keepdim:
        return tuple(1 if i in dims else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in dims)


def filled(shape: tuple, g: Any) -> Any:
    """An array of one number, the only element of `g`."""
    if prod(shape) <= FILLED:
        out = empty(shape, g.dtype)
        out.fill(g if g.ndim == 0 else g.reshape(()))
        return out
    g = asarray(g)
    return strided(g, shape, (0,) * len(shape))


def spread(t: Any, g: Any, shape: tuple, dim: Any, keepdim: bool) -> Any:
    """A reduction's gradient, back over the dimensions it reduced."""
    if not t.raw:
        if not keepdim and shape:
            g = g.reshape(reduced_shape(shape, dim))
        return t.expand(g, shape)
    size = g.size
    if size == 1:
        if type(g) is ndarray or isinstance(g, np.generic):
            return filled(shape, g)
    if not keepdim:
        g = g.reshape(reduced_shape(shape, dim))
    if type(g) is ndarray:
        repeated = 1
        for n in shape:
            repeated *= n
        if repeated <= FILLED:
            out = np.empty(shape, g.dtype)
            out[...] = g
            return out
        return np.broadcast_to(g, shape)
    return t.expand(g, shape)


_offsets: dict[tuple, ndarray] = {}


def offsets_of(rows: int, width: int) -> ndarray:
    """Where the rows of a contiguous matrix begin."""
    offsets = _offsets.get((rows, width))
    if offsets is None:
        if len(_offsets) > 64:
            _offsets.clear()
        offsets = _offsets[rows, width] = np.arange(0, rows * width, width)
    return offsets


def pick(a: ndarray, indices: ndarray, dim: int) -> ndarray:
    """The elements of `a` that `indices` (of a's shape but along `dim`) names along `dim`."""
    if dim == a.ndim - 1 and type(a) is ndarray and a.size and a.flags.c_contiguous:
        return a.reshape(-1).take(flat_places(a.shape, indices))
    if not indices.size:  # numpy would make a number for every row, however many have no elements
        return np.zeros_like(a, shape=indices.shape)
    return np.take_along_axis(a, indices, dim)


def pick_one(a: ndarray, indices: ndarray, dim: int) -> ndarray:
    """The elements that `indices` names along `dim`, one for each place of the other dimensions; `dim` is gone."""
    shape = a.shape
    if type(a) is ndarray and a.flags.c_contiguous:
        n = len(shape)
        if dim == n - 1:
            width = shape[-1]
            flat = indices if n == 2 else indices.reshape(-1)
            found = a.reshape(-1).take(flat + offsets_of(a.size // width, width))
            return found if n == 2 else found.reshape(indices.shape)
        if dim == 0:
            width = a.size // shape[0]
            flat = indices if n == 2 else indices.reshape(-1)
            found = a.reshape(-1).take(flat * width + offsets_of(width, 1))
            return found if n == 2 else found.reshape(indices.shape)
    kept = np.expand_dims(indices, dim)
    return np.take_along_axis(a, kept, dim).reshape(indices.shape)


def flat_places(shape: tuple, indices: ndarray) -> ndarray:
    """Flat places in a contiguous array of a shape, of indices along its last dimension."""
    width = shape[-1]
    rows = 1
    for n in shape[:-1]:
        rows *= n
    if indices.ndim == 1:
        return indices
    offsets = offsets_of(rows, width)[:, None]
    if indices.ndim == 2:
        return indices + offsets
    return (indices.reshape(rows, -1) + offsets).reshape(indices.shape)


def put(g: Any, indices: Any, dim: int, shape: tuple) -> Any:
    """Zeros of a shape with `g` at the places that `indices` names along `dim`, each place named at most once."""
    if type(g) is not ndarray:
        xp = sys.modules[type(g).__module__.split(".")[0]]
        out = xp.zeros(shape, g.dtype)
        xp.put_along_axis(out, indices, g, dim)
        return out
    out = np.zeros(shape, g.dtype)
    if (dim == len(shape) - 1 or dim == -1) and out.size:
        out.reshape(-1)[flat_places(shape, indices)] = g
    elif out.size:
        np.put_along_axis(out, indices, g, dim)
    return out


def constant(t: Any, f: Callable, *values: Any) -> Any:
    """`f` of arrays, as something that a formula takes for a constant in either world."""
    if t.raw:
        return f(*values)
    return wrap(f(*[v._array if isinstance(v, Tensor) else v for v in values]))
