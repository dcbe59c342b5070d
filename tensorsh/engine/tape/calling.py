"""A node called by itself, ``y.grad_fn(gradient)``: the gradients for what it was made of. For plain Python alone."""

from __future__ import annotations

from typing import Any

from ..arrays.state import here
from ..graph.nodes import AccumulateGrad, Node
from ..tensors.tensor import Tensor
from .function import FunctionNode
from .worlds import differentiable, raw

__all__ = ["install"]


def call(self: Node, *gradients: Any, **named: Any) -> Any:
    """The gradients for its inputs, given those of its results: one, or a tuple of them; None where there is none."""
    if isinstance(self, FunctionNode):
        raise TypeError(f"'{self.name()}' object is not callable")
    if named:
        raise TypeError("keyword arguments are not supported")
    if len(gradients) != self._outputs:
        raise TypeError(f"expected {self._outputs} arguments, got {len(gradients)} instead")
    for at, each in enumerate(gradients):
        if each is not None and not isinstance(each, Tensor):
            raise TypeError(f"argument {at} is not a Variable")
    if all(each is None for each in gradients):
        return None if len(self._edges) < 2 else (None,) * len(self._edges)
    if isinstance(self, AccumulateGrad):
        variable = self._reference()
        if variable is not None:
            added = gradients[0].detach()
            variable.grad = added.clone() if variable.grad is None else variable.grad + added
        return ()
    world: Any = differentiable if here.grad_enabled else raw
    given = [each if each is None or not world.raw else each._array for each in gradients]
    found = self._step(given[0] if self._outputs == 1 else given, world)
    results = tuple(x if x is None or isinstance(x, Tensor) else world.tensor(x) for x in found)
    return results[0] if len(results) == 1 else results


def install() -> None:
    """Let nodes be called."""
    Node.__call__ = call  # type: ignore[method-assign, assignment]
