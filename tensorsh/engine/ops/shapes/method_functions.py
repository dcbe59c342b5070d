"""Tensor methods that ``torch`` has as functions too, and the small methods that apply a Python function."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...loading import table
from ...operators.composite import not_tensor
from ...operators.declare import composite
from ...tensors.tensor import Tensor


def _method_as_function(name: str) -> None:
    def function(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(input, Tensor):
            raise not_tensor(name, input=input)
        return getattr(input, name)(*args, **kwargs)

    function.__doc__ = f"See :meth:`Tensor.{name}`."
    function.__module__ = "torch"
    table.FUNCTIONS[name] = function


for _name in "detach detach_ is_signed is_inference get_device is_same_size as_strided_".split():
    _method_as_function(_name)


def _copied(name: str, view: str) -> None:
    def function(input: Tensor) -> Tensor:
        return table.find_function("clone")(table.find_function(view)(input))

    function.__doc__ = f"As `{view}`, copied."
    composite(name, method=False)(function)


for _name in ("detach", "view_as_complex", "view_as_real"):
    _copied(_name + "_copy", _name)


def _method(f: Callable) -> Callable:
    table.METHODS[f.__name__] = f
    setattr(Tensor, f.__name__, f)
    return f


def _free(name: str, *tensors: Tensor) -> None:
    if any(t.requires_grad for t in tensors):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")


@_method
def apply_(self: Tensor, callable: Callable) -> Tensor:
    """Replace each element by what a Python function makes of it."""
    _free("apply_", self)
    if not builtins.callable(callable):
        raise TypeError(f"'{type(callable).__name__}' object is not callable")
    for at, x in _elements(self):
        self._array[at] = _number(callable(x))
    self._bump()
    return self


@_method
def map_(self: Tensor, tensor: Tensor, callable: Callable) -> Tensor:
    """Replace each element by what a Python function makes of it and of the element of another tensor."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"map_(): argument 'other' (position 1) must be Tensor, not {type(tensor).__name__}")
    _free("map_", self, tensor)
    if tensor.dtype is not self.dtype:
        raise TypeError(f"map_: expected {self.type()} for 'other' (got {tensor.type()})")
    other = tensor.expand(self.shape)._array
    for at, x in _elements(self):
        self._array[at] = _number(callable(x, other[at].item()))
    self._bump()
    return self


def _number(value: Any) -> Any:
    """What a function gave for an element."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__") and not isinstance(value, complex):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return value


@_method
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable) -> Tensor:
    """Replace each element by what a Python function makes of it and of the elements of two other tensors."""
    _free("map2_", self, x, y)
    for name, t in (("x", x), ("y", y)):
        if t.dtype is not self.dtype:
            raise TypeError(f"map2_: expected {self.type()} for argument '{name}' (got {t.type()})")
    first, second = (t.expand(self.shape)._array for t in (x, y))
    for at, value in _elements(self):
        self._array[at] = _number(callable(value, first[at].item(), second[at].item()))
    self._bump()
    return self


def _elements(t: Tensor) -> list:
    """Where each element is, and the element; nothing of a tensor that has none."""
    return [] if t.is_meta else [(at, t._array[at].item()) for at in np.ndindex(*t._array.shape)]


@_method
@table.attentive
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What `load_state_dict` puts in this tensor's place where parameters are to be swapped: this one with the values of
    `other`, or `other` itself, detached, with `assign`."""
    return other.detach() if assign else self.copy_(other).detach()


@_method
def __reversed__(self: Tensor) -> Tensor:
    """The tensor with its first dimension reversed."""
    return self if self.ndim == 0 else self.flip(0)


def _symbolic(name: str, f: Callable, doc: str) -> None:
    f.__doc__ = doc
    f.__module__ = "torch"
    table.FUNCTIONS[name] = f


def _extreme(name: str, choose: Callable) -> None:
    def function(a: Any, b: Any) -> Any:
        chosen = choose(a, b)
        return float(chosen) if isinstance(a, float) or isinstance(b, float) else chosen

    _symbolic(name, function, f"The {name[4:]}imum of two numbers; a float if one of them is.")


_extreme("sym_max", max)
_extreme("sym_min", min)
_symbolic("sym_int", lambda a: math.floor(a) if a >= 0 else math.ceil(a), "A number without its fraction.")
_symbolic("sym_float", lambda a: float(a), "A number as a float.")
_symbolic("sym_not", lambda a: not a, "Logical negation.")
_symbolic("sym_ite", lambda b, t, f: t if b else f, "The second argument where the first is true, else the third.")
_symbolic("sym_sum", lambda args: sum(args), "The sum of a list of numbers.")
_symbolic("sym_sqrt", lambda a: math.sqrt(a), "The square root of a number.")
