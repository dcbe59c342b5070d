"""``copy.copy`` and ``copy.deepcopy`` of tensors."""

from __future__ import annotations

import copyreg
import weakref
from copy import deepcopy
from typing import Any

import numpy as np

from ...sandbox import process
from ..arrays.backend import device_of
from ..arrays.device import META
from ..arrays.device_guard import copied
from ..arrays.door import answers_below
from ..arrays.extents import address, extent, owner, strided
from ..graph.fields import new
from ..graph.nodes import AccumulateGrad
from .storage import copied_once
from .tensor import Tensor


def __deepcopy__(self: Tensor, memo: dict) -> Tensor:
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
            "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    array = self._array
    if type(self) is not Tensor and not self._is_parameter and process.plain:
        check_class(self, hasattr(array, "claimed") or device_of(array) is META)
    made = new(self.__class__)
    if self._is_parameter or type(array) is not np.ndarray or type(memo) is not dict:
        made._array = copied(array)
    else:  # with the whole memory, so that views which are copied together stay views of the same
        root = owner(array)
        memory = copied_once(root, memo)._owner
        made._array = strided(memory, array.shape, array.strides, address(array) - extent(root)[0], array.dtype)
    if process.plain and not self._is_parameter:
        made.__dict__.update(deepcopy(self.__dict__, memo))
        for name in () if type(self) is Tensor else copyreg._slotnames(type(self)):  # type: ignore[attr-defined]
            if hasattr(self, name):
                setattr(made, name, deepcopy(getattr(self, name), memo))
    if self._is_parameter:
        made._is_parameter = True
    if self._node is not None:
        made._node = AccumulateGrad(made)
    if self._grad is not None:
        gradient = __deepcopy__(self._grad, memo)
        if not isinstance(gradient, Tensor):
            raise TypeError(f"the copy of a gradient must be a Tensor, not {type(gradient).__name__}")
        made._grad = gradient
    memo[id(self)] = made
    return made


def check_class(self: Tensor, wraps: bool) -> None:
    """RuntimeError: a class of tensors that says not how others of it are made."""
    kind, asked = type(self), "clone" if wraps else "new_empty"
    if kind.__module__.startswith("tensorsh."):
        return
    if wraps:
        made = type(self.clone())  # type: ignore[attr-defined]
    elif answers_below(kind) or getattr(kind, asked) is not getattr(Tensor, asked):
        made = type(self.new_empty([]))  # type: ignore[attr-defined]
    else:
        made = Tensor
    if made is kind:
        return
    what, done = ("wrapper", "cloning") if wraps else ("non-wrapper", "that function")
    raise RuntimeError(
        f"The default implementation of __deepcopy__() for {what} subclasses only works for subclass types that implement "
        f"{asked}() and for which {done} returns another instance of the same subclass. You should either properly implement "
        f"{asked}() for your subclass or override __deepcopy__() if it is intended behavior for {asked}() to return an instance of "
        "a different type."
    )


def __copy__(self: Tensor) -> Tensor:
    made = new(self.__class__)
    made.__dict__.update(self.__dict__)
    for field in ("_array", "_grad", "_root", "_cell", "_origin", "_inference"):
        setattr(made, field, getattr(self, field))
    made._views = None
    if type(self._node) is AccumulateGrad:
        made._node = AccumulateGrad(made)
    else:
        made._node = self._node
    return made


def reclassed(made: Tensor, kind: type) -> Any:
    """A view that was just made, as an object of a class."""
    try:
        made.__class__ = kind
        return made
    except TypeError:  # one with slots is laid out in another way
        pass
    other = new(kind)
    for field in ("_array", "_node", "_root", "_cell", "_origin", "_inference"):
        setattr(other, field, getattr(made, field))
    if made._root is not None and made._root._views:
        made._root._views.append(weakref.ref(other))
    return other
