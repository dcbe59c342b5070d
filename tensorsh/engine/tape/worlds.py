"""The two worlds in which a gradient formula runs, under the same names.

`raw`: kernels on bare arrays, for an ordinary backward pass. `differentiable`: the operators themselves on tensors, for
create_graph. A formula written once against `t` runs in both; composite operators run in the raw world on tensors without
history."""

from __future__ import annotations

from functools import partial
from operator import attrgetter, getitem
from typing import Any

import numpy as np

from ..arrays import cupy_module
from ..arrays.backend import module_of, on_device
from ..arrays.cupy_module import accelerator
from ..arrays.deferred import resolved
from ..arrays.deferred import seen as deferred
from ..arrays.dtype import FROM_NUMPY
from ..arrays.state import here
from ..graph.fields import Saved, Wrapped, wrap
from ..graph.gradient_nodes import refused
from ..graph.nodes import PLAIN, raise_modified, unpack
from ..loading import table
from ..numerics import choices
from ..numerics.halves import cast
from ..numerics.sums import sum as exact_sum
from ..tensors.tensor import Tensor

SUMMED = (np.dtype(np.float32), np.dtype(np.float64))


def _named(name: str, find: Any) -> Any:
    """What a formula means by a name: of torch, or of the namespaces that formulas use without prefix."""
    return find(name) or find("nn.functional." + name) or find("special." + name)


def stretched(shape: tuple, wide: tuple) -> tuple:
    """The dimensions along which a shape was broadcast to a wider one."""
    extra = len(wide) - len(shape)
    return (*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and wide[i + extra] != 1))


def sum_to_shape(g: Any, shape: tuple) -> Any:
    """An array summed over the dimensions along which `shape` was broadcast to its own."""
    if dims := stretched(shape, g.shape):
        ours = type(g) is np.ndarray and g.dtype.kind in "fc" and g.dtype.itemsize > 2
        if ours:
            g = exact_sum(g, dims, True)
        else:
            found = accelerator().summed(g, dims, True) if type(g) is cupy_module.array_class else None
            g = g.sum(dims, keepdims=True) if found is None else found
    return g if g.shape == shape else g.reshape(shape)


def itself(x: Any, *_: Any) -> Any:
    """A value that this world has as it is."""
    return x


class Raw:
    """``t`` of an ordinary backward pass: ``t.exp(array)`` is the kernel."""

    raw: bool

    def __init__(self) -> None:
        # Of the instance, where they are found sooner than in the class.
        self.raw, self.opened, self.fitted = True, opened_array, fitted_array

    def __getattr__(self, name: str) -> Any:
        op = _named(name, table.find_operator)
        if op is None:
            op = getattr(table.find_method(name), "_operator", None)
        if op is None:
            raise AttributeError(f"no operator {name}")
        if type(op).__name__ == "Composite":
            found = _on_arrays(op.function)
        else:
            found = _kernel(op)
        setattr(self, name, found)
        return found

    @staticmethod
    def conj(x: Any) -> Any:
        return x.conj() if x.dtype.kind == "c" else x

    sum_to_size = staticmethod(sum_to_shape)
    where = staticmethod(choices.where)
    cast_to = staticmethod(cast)
    part = staticmethod(getitem)
    zeros_like = staticmethod(np.zeros_like)
    ones_like = staticmethod(np.ones_like)
    cat = staticmethod(np.concatenate)
    detach = staticmethod(itself)
    array = staticmethod(itself)
    """The numbers of one of this world's values, for what is not differentiated."""
    constant = staticmethod(itself)
    """An array as one of this world's values, without history."""
    kept = staticmethod(itself)
    """A value that was saved; where the formula is differentiated in turn, the same as a function of the inputs."""
    refusing = staticmethod(itself)
    """A gradient that is not differentiated in turn where one of many is more than 1."""
    tensor = staticmethod(wrap)
    """One of this world's values as a tensor, and back by `value`."""
    value = attrgetter("_array")

    @staticmethod
    def number(x: float, like: Any) -> Any:
        """A number that multiplies a value: in half precision rounded to its dtype, as in PyTorch's kernels."""
        return like.dtype.type(x) if like.dtype.itemsize == 2 else x

    @staticmethod
    def contiguous(x: Any) -> Any:
        return module_of(x).ascontiguousarray(x)

    @staticmethod
    def reshape(x: Any, shape: tuple) -> Any:
        return x.reshape(shape)

    @staticmethod
    def adjoint(x: Any) -> Any:
        """The conjugate transpose of matrices."""
        x = x.swapaxes(-1, -2)
        return x.conj() if x.dtype.kind == "c" else x


def _kernel(op: Any) -> Any:
    """An operator's kernel on arrays: numpy's or cupy's, by what it is given; half types computed wide."""
    fast = partial(op.kernel, np)

    def run(*args: Any, **kwargs: Any) -> Any:
        for x in args:
            if isinstance(x, np.generic):
                # numpy made a scalar of an array without dimensions; to the engine a scalar would be a Python number.
                return run(*[np.asarray(y) if isinstance(y, np.generic) else y for y in args], **kwargs)
            if type(x) is np.ndarray:
                if x.dtype.itemsize <= 2 and x.dtype.kind in "fV" and op.wide:
                    break
                return fast(*args, **kwargs)
            if hasattr(x, "layout"):
                break
        found = op.direct(*args) if op.direct is not None and not kwargs else None
        return op.compute(op.bind(args, kwargs)) if found is None else found

    return run


def _on_arrays(function: Any) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        before, here.grad_enabled = here.grad_enabled, False
        try:
            result = function(*map(_wrapped, args), **{k: _wrapped(v) for k, v in kwargs.items()})
        finally:
            here.grad_enabled = before
        return _unwrapped(result)

    return run


def _wrapped(x: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):
        return wrap(np.asarray(x))
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], np.ndarray):
        return [wrap(y) for y in x]
    if not isinstance(x, Tensor) and on_device(x):
        return wrap(x)
    return x


def _unwrapped(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x._array
    if isinstance(x, (list, tuple)):
        return [_unwrapped(y) for y in x]
    return x


def opened_array(node: Any, entry: Any) -> Any:
    """The value of what a node saved: the usual cases first."""
    kind = type(entry)
    if kind is Tensor:
        cell = entry._cell
        if cell is not None and cell.last > node._sequence:
            raise_modified(node, entry._array, cell, entry._node, view=entry._root is not None)
        if not entry._inference:
            return resolved(entry._array) if deferred else entry._array
    elif kind is Saved and entry.other is None and entry.last <= node._sequence:
        return resolved(entry._array) if deferred else entry._array
    if kind is Wrapped:
        return entry.value
    if kind in PLAIN or entry is None:
        return entry
    return resolved(unpack(node, entry, True)) if deferred else unpack(node, entry, True)


def opened_tensor(node: Any, entry: Any) -> Any:
    if type(entry) is Wrapped:
        return entry.value
    return entry if type(entry) in PLAIN or entry is None else unpack(node, entry, False)


def fitted_array(gradient: Any, meta: tuple) -> Any:
    """A gradient brought to the shape and dtype of the operand it is for: broadcast dimensions are summed."""
    shape, dtype = meta
    given = gradient.shape
    if given != shape:
        if gradient.dtype.itemsize == 2 and type(gradient) is not cupy_module.array_class:
            gradient = gradient.astype(np.float32)  # so that the sum does not stall
        if given[1:] == shape and type(gradient) is np.ndarray:
            gradient = exact_sum(gradient, (0,)) if gradient.dtype in SUMMED else np.add.reduce(gradient, 0)
        else:
            gradient = sum_to_shape(gradient, shape)
    return gradient if gradient.dtype is dtype or gradient.dtype == dtype else cast(gradient, dtype)


def fitted_tensor(gradient: Tensor, meta: tuple) -> Tensor:
    shape, dtype = meta
    if gradient.shape != shape:
        gradient = differentiable.sum_to_size(gradient, shape)
    return gradient if gradient._array.dtype == dtype else differentiable.cast_to(gradient, dtype)


class Differentiable:
    """``t`` with create_graph: ``t.exp(tensor)`` is the operator."""

    raw = False
    opened = staticmethod(opened_tensor)
    fitted = staticmethod(fitted_tensor)
    tensor, value, number = map(staticmethod, (itself,) * 3)

    @staticmethod
    def array(x: Any) -> Any:
        return x._array if isinstance(x, Tensor) else x

    @staticmethod
    def constant(array: Any) -> Any:
        return array if isinstance(array, Tensor) else wrap(array)

    @staticmethod
    def refusing(x: Tensor, many: Tensor, why: str) -> Tensor:
        if not here.pushing and (many._array > 1).any():
            return refused(x, why)
        return x

    @staticmethod
    def kept(value: Any, f: Any, *args: Any) -> Any:
        return f(*args)

    def part(self, x: Tensor, index: Any) -> Tensor:
        return self._part(x, index)

    def adjoint(self, x: Tensor) -> Tensor:
        return self.transpose(self.conj(x), -2, -1)

    @staticmethod
    def conj(x: Tensor) -> Tensor:
        return table.find_function("conj")(x) if x._array.dtype.kind == "c" else x

    def __getattr__(self, name: str) -> Any:
        found = _named(name, table.find_function) or table.find_method(name)
        if found is None:
            raise AttributeError(f"no operator {name}")
        setattr(self, name, found)
        return found

    @staticmethod
    def sum_to_size(g: Tensor, shape: tuple) -> Tensor:
        if dims := stretched(shape, g._array.shape):
            g = g.sum(dims, keepdim=True)
        return g.reshape(shape) if g._array.shape != shape else g

    @staticmethod
    def cast_to(g: Tensor, dtype: np.dtype) -> Tensor:
        if g._array.dtype.kind == "c" and dtype.kind != "c":
            g = g.real
        return g.to(FROM_NUMPY[dtype])


raw = Raw()
differentiable = Differentiable()
__all__ = ["raw", "differentiable", "cast", "sum_to_shape"]
