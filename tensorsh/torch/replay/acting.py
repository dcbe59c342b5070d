"""A program that does more than compute: its operators first, then backward passes, steps of optimizers and what is printed."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from ...engine.arrays import device_guard
from ...engine.arrays.state import here, state
from ...engine.graph.fields import wrap
from ...engine.graph.nodes import FREED, AccumulateGrad
from ...engine.tensors.tensor import Tensor
from .program import Program
from .slots import Node, Slot
from .trial import bind, opened


class Acting:
    """A program of operators and of what is done after them."""

    def __init__(self, run: Program, wanted: list[Slot], effects: list[Node], tree: Any) -> None:
        self.run, self.wanted, self.effects, self.tree = run, [each.number for each in wanted], effects, tree
        self.first = None
        for each in effects:
            if each.function is Tensor.backward and each.args == tuple(map(Slot, run.outputs)) and not each.kwargs:
                self.first = each
            if each.name in ("backward", "step"):
                break
        """The backward pass that begins at the program's own node, before anything changed."""

    def __call__(self, tensors: tuple, _: Any) -> Pending:
        return Pending(self, tensors, self.run(tensors))


class Pending:
    """A call whose operators have run."""

    __slots__ = ("program", "results", "tensors")

    def __init__(self, program: Acting, tensors: tuple, results: list) -> None:
        self.program, self.tensors, self.results = program, tensors, results

    def finish(self) -> Any:
        """Do the rest; the result."""
        program = self.program
        values = dict(enumerate(self.tensors))
        values.update(zip(program.wanted, self.results, strict=True))
        for each in program.effects:
            if not each.args and not each.kwargs:
                each.function()
                continue
            if each is program.first and walked(program.run, values[program.run.outputs[0]]):
                continue
            result = each.function(*opened(each.args, values), **opened(each.kwargs, values))
            if each.result is not None:
                bind(each.result, result, values)
        return opened(program.tree, values)


def walked(run: Program, loss: Tensor) -> bool:
    """The backward pass from the result of a program whose operands are leaves without hooks: its own steps, and no walk."""
    node, array = loss._node, loss._array
    if array.size != 1 or loss._grad is not None or node._prehooks is not None or node._retained is not None:
        return False
    if state.anomaly or here.flow is not None or here.retain_graph or here.walk is not None or device_guard.several:
        return False
    edges = node._edges
    for edge in edges[: len(run.operands)]:
        if (
            type(edge) is not AccumulateGrad
            or edge._watched
            or edge._post_hooks
            or edge._hooks
            or edge._backward_prehooks
        ):
            return False
    one = np.empty(array.shape, array.dtype)
    one.fill(1)
    found = run.backward([one], [x if type(x) is np.ndarray else x._array for x in node._saved], ())
    if found is None:
        return False
    node._release()
    node._saved = FREED
    while found:
        gradient = found.pop()
        edge = edges[len(found)]
        leaf = edge._reference()
        if (
            leaf._grad is None
            and gradient.base is None
            and getrefcount(gradient) == 2
            and gradient.strides == leaf._array.strides
        ):
            leaf._grad = wrap(gradient)
        else:
            edge._accumulate(gradient)
    return True
