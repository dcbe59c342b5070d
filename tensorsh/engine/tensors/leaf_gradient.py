"""The gradient that a leaf keeps: what a program may assign to it, and its dtype where that is not the leaf's own."""

from __future__ import annotations

import weakref
from typing import Any

from ..arrays.dtype import dtype
from ..arrays.errors import cpp_name
from ..arrays.type_names import type_name
from ..graph.fields import wrap
from ..graph.nodes import AccumulateGrad, laid_like
from .tensor import Tensor


def check_assigned(t: Tensor, value: Any) -> None:
    """The errors of `t.grad = value`."""
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = t.__dict__.get("_grad_dtype", t.dtype)
    if wanted is not None and value.dtype is not wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{cpp_name(value)}' to a tensor "
            f"with grad_dtype '{wanted.short}'. The gradient must match the tensor's grad_dtype (defaults to the "
            "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any "
            "dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match."
        )
    if value._array.shape != t._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
            f"'{list(t._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


def grad_dtype(self: Tensor) -> Any:
    """The dtype that the gradient of a leaf has; None where it is the one in which it arrives."""
    if not self.is_leaf:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return self.__dict__.get("_grad_dtype", self.dtype)


def set_grad_dtype(self: Tensor, value: Any) -> None:
    if value is not None and type(value) is not dtype:
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type_name(value)}")
    if not self.is_leaf:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    kept = self._grad
    if value is not None and kept is not None and kept.dtype is not value:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{value.short}' because there is already a gradient with dtype "
            f"'{cpp_name(kept)}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the new "
            "grad_dtype matches the existing gradient's dtype."
        )
    self.__dict__["_grad_dtype"] = value
    if self._node is not None:
        keep_as(self)


def keep_as(leaf: Tensor) -> None:
    """Let the node of a leaf keep gradients in the dtype that a program chose."""
    keeping = Keeping(leaf)
    node = leaf._node
    hooks = {number: hook for number, hook in (node._prehooks or {}).items() if number >= 0}
    node._prehooks = {-1: keeping.cast} | hooks  # before all hooks of a program
    node._watched = True
    node._accumulate = keeping


class Keeping:
    """What a leaf whose gradient has a dtype of its own does with what arrives."""

    def __init__(self, leaf: Tensor) -> None:
        self.leaf = weakref.ref(leaf)
        self.dtype = leaf.__dict__["_grad_dtype"]

    def cast(self, gradient: Tensor) -> Any:
        return gradient if self.dtype is None else gradient.to(self.dtype)

    def __call__(self, gradient: Any) -> None:
        leaf = self.leaf()
        if leaf is None:
            return
        arrived, before = gradient if isinstance(gradient, Tensor) else wrap(gradient), leaf._grad
        leaf._grad = laid_like(arrived, leaf) if before is None else before + arrived
        node = leaf._node
        if type(node) is AccumulateGrad and node._post_hooks:
            for hook in list(node._post_hooks.values()):
                hook(leaf)
