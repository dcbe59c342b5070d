"""What gradients of reductions need of arrays: spread over the dimensions that are gone, picked and put by places."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..arrays import cupy_module
from ..arrays.backend import module_of
from ..arrays.cupy_module import accelerator
from ..arrays.errors import wrap_dims
from ..arrays.extents import strided
from ..graph.fields import wrap
from ..kernels import kernel, unsuited
from ..tensors.tensor import Tensor

ndarray = np.ndarray
taken_along, put_along = kernel("taken_along", unsuited), kernel("put_along", unsuited)
asarray = np.asarray
empty = np.empty
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
FILLED = 4096
"""Up to this many elements a spread gradient is written out; larger ones are views with strides of zero."""
FLOATS = frozenset((FLOAT32, FLOAT64))


def reduced_shape(shape: tuple, dim: Any) -> tuple:
    """The shape after a reduction over `dim` (a number, several, or all), with a size of 1 for each."""
    dims = wrap_dims(dim, len(shape))
    return tuple(1 if i in dims else n for i, n in enumerate(shape))


def filled(shape: tuple, g: Any, repeated: bool = False) -> Any:
    """An array of one number, the only element of `g`; `repeated`: see `spread`."""
    if prod(shape) <= FILLED:
        out = empty(shape, g.dtype)
        out.fill(g if g.ndim == 0 else g.reshape(()))
        return out
    g = asarray(g)
    return strided(g, shape, (0,) * len(shape)) if repeated else np.broadcast_to(g.reshape(()), shape)


def spread_back(t: Any, g: Any, shape: tuple, dim: Any, keepdim: bool, repeated: bool = False) -> Any:
    """A reduction's gradient, back over the dimensions it reduced; `repeated`: a program gets it as it is, with strides of zero, as
    it does in PyTorch. One that is not, which cannot be written to, is laid out first."""
    if not t.raw:
        if not keepdim and shape:
            g = g.reshape(reduced_shape(shape, dim))
        return t.expand(g, shape)
    size = g.size
    if size == 1:
        if type(g) is ndarray or isinstance(g, np.generic):
            return filled(shape, g, repeated)
    if not keepdim:
        g = g.reshape(reduced_shape(shape, dim))
    if type(g) is ndarray:
        if prod(shape) <= FILLED:
            out = np.empty(shape, g.dtype)
            out[...] = g
            return out
        if repeated:
            return strided(g, shape, tuple([0 if m == 1 else s for m, s in zip(g.shape, g.strides, strict=True)]))
        return np.broadcast_to(g, shape)
    return t.expand(g, shape)


def pick(a: ndarray, indices: ndarray, dim: int) -> ndarray:
    """The elements of `a` that `indices` (of a's shape but along `dim`) names along `dim`."""
    found = None
    if type(a) is ndarray:
        found = taken_along(a, dim, indices)
    elif type(a) is cupy_module.array_class:
        found = accelerator().taken(a, indices, dim, True)
    if found is not None:
        return found
    if not indices.size:  # numpy would make a number for every row, however many have no elements
        return np.zeros_like(a, shape=indices.shape)
    return np.take_along_axis(a, indices, dim)


def pick_one(a: ndarray, indices: ndarray, dim: int) -> ndarray:
    """The elements that `indices` names along `dim`, one for each place of the other dimensions; `dim` is gone."""
    shape = indices.shape
    return pick(a, indices.reshape((*shape[:dim], 1, *shape[dim:])), dim).reshape(shape)


def put(g: Any, indices: Any, dim: int, shape: tuple) -> Any:
    """Zeros of a shape with `g` at the places that `indices` names along `dim`, each place named at most once."""
    xp = module_of(g)
    out = xp.zeros(shape, g.dtype)
    if out.size and not (xp is np and put_along(out, dim % len(shape), indices, g)):
        xp.put_along_axis(out, indices, g, dim)
    return out


def constant(t: Any, f: Callable, *values: Any) -> Any:
    """`f` of arrays, as something that a formula takes for a constant in either world."""
    if t.raw:
        return f(*values)
    return wrap(f(*[v._array if isinstance(v, Tensor) else v for v in values]))
