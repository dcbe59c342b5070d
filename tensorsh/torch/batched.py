"""What a function that `vmap` maps may not do with the slices it is given: `vmap` computes all slices at once in PyTorch, so
that no branch, Python number, array or shape can depend on one.

Here slices are computed one by one. The first is followed through its calls, and what PyTorch refuses is refused in its words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.operators.torch_function import TorchFunctionMode
from ..engine.tensors.tensor import Tensor

ISSUE = "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
    "please file an issue at https://github.com/pytorch/pytorch/issues ."
)
NUMBER = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try "
    "to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please file a "
    "bug report."
)
MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"
DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. "
    + ISSUE
)
REFUSED = {
    "__bool__": BRANCH, "item": NUMBER, "__float__": NUMBER, "__int__": NUMBER, "__complex__": NUMBER, "__index__": NUMBER,
    "tolist": MEMORY, "numpy": MEMORY, "nonzero": DYNAMIC.format("nonzero"), "argwhere": DYNAMIC.format("nonzero"),
    "unique": DYNAMIC.format("_unique2"),
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
    "each batch this would return a differently shaped Tensor. " + ISSUE,
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "allclose": "vmap over torch.allclose isn't supported yet. " + ISSUE,
}  # fmt: skip
"""What is said to a function of a tensor that depends on a slice."""
BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp instead or "
    "call backward() outside of functorch transforms."
)
INTO = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements than "
    "`self`. This happened due to `other` being vmapped over but `self` not being vmapped over {1}. Please try to use out-of-place "
    "operators instead of {0}. If said operator is being called inside the PyTorch framework, please file a bug report instead."
)
ARITHMETIC = frozenset("sub_ mul_ div_ copy_ masked_fill_ __setitem__ __isub__ __imul__ __itruediv__".split())
OWN_NAMES = frozenset("fill_ index_add_ index_fill_ index_put_ scatter_add_".split())
"""Writes that PyTorch names without their namespace."""
MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a "
    "boolean mask."
)


class Following(TorchFunctionMode):
    """A context in which what is computed from slices is known, and refused where it would leave the computation.

    A tensor that depends on no slice may be branched on, as in PyTorch.
    """

    def __init__(self, slices: list[Tensor], count: int) -> None:
        self.count = count
        self._known = {id(each): each for each in slices}  # alive, so that no other takes its identity
        self.slices = slices
        self.steps: list[tuple] = []
        """The calls of what depends on a slice, with their results: what all slices can be computed by at once."""
        self.constants: dict[int, Tensor] = {}
        """What was computed from no slice."""

    def __torch_function__(self, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        given = [*args, *kwargs.values()] if kwargs else args
        if not self._depend(given):
            result = func(*args, **(kwargs or {}))
            if isinstance(result, Tensor):
                self.constants[id(result)] = result
            return result
        name = func.__name__
        if name in REFUSED:
            raise RuntimeError(REFUSED[name])
        if name == "__getitem__" and any(_masks(each) and self._depend([each]) for each in args[1:]):
            raise RuntimeError(MASK)
        if name == "backward":
            raise RuntimeError(BACKWARD)
        if (name[-1] == "_" and name[0] != "_" or name in ARITHMETIC or name == "__iadd__") and not self._depend(
            args[:1]
        ):
            self._refuse_write(name, args)
        result = func(*args, **(kwargs or {}))
        self._add(result)
        self.steps.append((func, args, kwargs or {}, result))
        return result

    def _refuse_write(self, name: str, args: tuple) -> None:
        """Say that what is there once cannot hold the results of all slices."""
        if name in ("add_", "__iadd__", "atan2_"):
            own, other = tuple(args[0].shape), tuple(args[1].shape)
            common = [self.count, *np.broadcast_shapes(own, other)]
            raise RuntimeError(f"output with shape {list(own)} doesn't match the broadcast shape {common}")
        if name in ARITHMETIC:
            raise RuntimeError(INTO.format("inplace arithmetic", "in a vmap"))
        if name in OWN_NAMES:
            raise RuntimeError(INTO.format(name, "in a vmap"))
        raise RuntimeError(INTO.format("aten::" + name, "at level 1"))

    def _depend(self, values: Any) -> bool:
        for each in values:
            if isinstance(each, Tensor):
                if id(each) in self._known:
                    return True
            elif type(each) in (tuple, list) and self._depend(each):
                return True
        return False

    def _add(self, result: Any) -> None:
        if isinstance(result, Tensor):
            self._known[id(result)] = result
        elif isinstance(result, (tuple, list)):
            for each in result:
                self._add(each)


def _masks(index: Any) -> bool:
    """Whether an index, or one of several, is a tensor of booleans."""
    if isinstance(index, Tensor):
        return index.dtype.short == "Bool"
    return type(index) in (tuple, list) and any(_masks(each) for each in index)
