"""The node of a compiled function, in place of those of its operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.graph.nodes import FREED, SECOND_TIME, Node, composed, raise_modified
from ...engine.graph.nodes import Slot as Part


class CompiledFunctionBackward(Node):
    """The node of a program that wants gradients."""

    __module__ = "torch.autograd.function"
    _title = "CompiledFunctionBackward"
    _watched = True  # the walk tells it what waits
    _program: Any
    _inputs: Any
    _parts: Any = ()
    _waiting: tuple = ()
    _drawn: Any = None
    """A mark of the generator before the calls, where they drew from it."""

    def _awaits(self, leaves: dict, grads: dict) -> None:
        """Look at which operands of the program gradients of others wait: what the program adds is added to these one by one."""
        first = self._edges[: len(self._program.operands)]
        if len(set(first)) < len(first):
            self._waiting = (True,) * len(first)
        else:
            self._waiting = tuple([edge in leaves or edge in grads for edge in first])

    def _step(self, gradient: Any, world: Any) -> Sequence:
        if self._saved is FREED:
            raise RuntimeError(SECOND_TIME)
        gradients = gradient if type(gradient) is list else [gradient]
        values = [entry if type(entry) is np.ndarray else world.opened(self, entry) for entry in self._saved]
        found = self._program.backward(gradients, values, self._waiting)
        return self._program.again(self, gradients, world) if found is None else found

    def _release(self) -> None:
        self._program.released(self)
        self._saved, self._inputs, self._drawn = FREED, (), None


def refuse_modified(node: Any) -> None:
    """Refuse, as PyTorch does, what was written in place since the node's call."""
    for t in node._inputs:
        if t._cell is not None and t._cell.last > node._sequence:
            raise_modified(node, t._array, t._cell, t._node, view=t._root is not None)


def become(node: Any, result: Any) -> None:
    """Make a node the node of a result."""
    made = result._node
    node.__class__ = type(made)
    for name in ("_edges", "_saved", "_metas", "_sequence"):
        setattr(node, name, getattr(made, name))
    node.__dict__.update(made.__dict__)
    result._node = node


def take_apart(roots: list) -> None:
    """Put the nodes of their calls in place of the programs that can be reached."""
    seen = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        whole = node._parent if type(node) is Part else node
        if type(whole) is CompiledFunctionBackward and whole._saved is not FREED:
            whole._program.taken_apart(whole)
        stack.extend(node._edges)


composed[:] = [take_apart]
