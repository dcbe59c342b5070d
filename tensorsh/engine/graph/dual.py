"""Nodes of dual tensors: where a tangent enters the graph, and which nodes lead to a leaf and not to tangents alone."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..arrays.state import here, state
from .fields import detached, tick
from .nodes import AccumulateGrad, Node, Slot


class DualLeaf(Node):
    """Where a tangent enters the graph; the gradient goes on to the tensor that was given one."""

    _title = "DualLeaf"
    _tangent: Any = None

    def __init__(self, primal: Any, tangent: Any, level: int) -> None:
        self._edges = (primal,)
        self._tangent, self._level, self._begun = tangent, level, state.dual
        self._sequence = tick()

    def is_leaf_of(self, t: Any) -> bool:
        """Whether a tensor that was given this tangent is itself the leaf that wants the gradient."""
        primal = self._edges[0]
        return type(primal) is AccumulateGrad and primal.variable is t

    def want(self, t: Any, wanted: bool) -> None:
        """Make the dual tensor a leaf that wants a gradient, or one that does not."""
        if wanted is not self.is_leaf_of(t):
            self._edges, self._real = (AccumulateGrad(t) if wanted else None,), wanted

    @property
    def _counts_now(self) -> bool:
        """Whether its level is in effect, and has not ended since."""
        return bool(self._level == here.dual_level and self._begun == state.dual)

    def _step(self, gradient: Any, world: Any) -> tuple:
        return (None,) if here.pushing else (gradient,)


class Outside(Node):
    """The node of a tangent, and of a primal, that were taken from a dual tensor: they depend on leaves, but have no tangent."""

    def __init__(self, node: Any) -> None:
        self._edges = (node,)
        self._sequence = tick()

    def _step(self, gradient: Any, world: Any) -> tuple:
        return (None,) if here.pushing else (gradient,)


class TangentsAlone(Node):
    """The node of what was made under ``no_grad``, which has a tangent, but wants no gradient; `before`: the node of what was
    written over, to which a gradient goes on as if nobody had written."""

    _title = "TangentsAlone"

    def __init__(self, node: Any, before: Any) -> None:
        self._edges = (node, before)
        self._sequence = tick()
        state.dual = state.dual or 1

    def _step(self, gradient: Any, world: Any) -> tuple:
        return (gradient, None) if here.pushing else (None, gradient)


def behind(node: Any) -> Any:
    """A node that tangents alone come through to another."""
    return node if node is None or type(node) is TangentsAlone else TangentsAlone(node, None)


def aside(t: Any) -> Any:
    """A tensor, or None, as it is under ``no_grad``: it may have a tangent, and wants no gradient."""
    if t is None or t._node is None:
        return t
    made: Any = detached(t)
    made._node = behind(t._node)
    return made


@cache
def outside(title: str) -> type:
    """The class of these nodes, by the title that they show."""
    return type(title, (Outside,), {"_title": title, "__module__": "builtins"})


def wants_gradient(t: Any, but: Any = None) -> bool:
    """Whether a backward pass from a tensor comes to a leaf; of dual tensors alone there is none."""
    node = t._node
    if node is None:
        return False
    if but is None and node._real is not None:
        return node._real
    ahead, seen, found = [node], {node}, False
    while ahead and not found:
        at = ahead.pop()
        found = type(at) is AccumulateGrad and at is not but
        for e in at._edges[1:] if type(at) is TangentsAlone else at._edges:
            if e is not None and e not in seen:
                seen.add(e)
                ahead.append(e)
    if but is None:
        node._real = found
    return found


def shown(node: Any) -> Any:
    """The node that programs see in a dual tensor's place: that of the tensor which was given the tangent."""
    while type(node) in (DualLeaf, TangentsAlone):
        node = node._edges[-1]
    return node._parent if type(node) is Slot else node
