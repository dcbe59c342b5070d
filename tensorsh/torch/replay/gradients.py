"""Gradients of chains: a chain of elementwise calls is one node, and what its calls would give back is a chain, too.

Each call's formula stands here in the steps that the operator's own formula takes, and they are taken in the order of the walk
over the nodes of these calls. What arrives at an operand of the chain is handed on one by one, so the sums are those of the walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np

from ...engine.arrays.state import here
from ...engine.graph.fields import fresh, keep_result, leave, link
from ...engine.graph.nodes import FREED, SECOND_TIME, Node, composed, raise_modified
from ...engine.graph.nodes import Slot as Part
from ...engine.operators.public_form import executor_of
from ...engine.tape.backward import grad
from .chains import Chain, one_pass, usual_form
from .formulas import FORMULAS, loops
from .slots import Slot


class Formulas:
    """The formulas of operators, as steps of a chain."""

    def __init__(self, first: int) -> None:
        """first: the number of the first step's result."""
        self.count = first
        self.steps: list[tuple] = []

    def step(self, name: str, *operands: Any) -> Slot:
        """A step, and its result."""
        made = Slot(self.count)
        self.count += 1
        self.steps.append((loops()[name], operands, made))
        return made

    def of(self, name: str, g: Slot, operands: tuple, result: Slot, wanted: list[bool]) -> list[Slot | None]:
        """The gradients of a call's operands, of those that are wanted."""
        found = FORMULAS[name]
        return [found[k](self.step, g, *operands, result) if wanted[k] else None for k in range(len(operands))]


def formula_of(node: Any) -> tuple[str, tuple] | None:
    """The name of a call's formula and the operands that it is for; None where there is none."""
    function, operands = usual_form(node)
    if len(operands) == 2 and operands[0] is operands[1] and len(node.args) == 2 and node.args[1] == 2:
        return "square", (operands[0],)
    name = executor_of(function)[0].name
    return (name, operands) if name in FORMULAS else None


class CompiledFunctionBackward(Node):
    """The node of a chain."""

    __module__ = "torch.autograd.function"
    _title = "CompiledFunctionBackward"
    _watched = True  # the walk tells it what waits
    _chain: GradientChain
    _inputs: Any
    _parts: Any = ()
    _waiting: tuple = ()
    _drawn: Any = None
    """A mark of the generator before the calls, where they drew from it."""

    def _awaits(self, leaves: dict, grads: dict) -> None:
        """Look at which operands of the chain gradients of others wait: what the chain adds is added to these one by one."""
        first = self._edges[: len(self._chain.operands)]
        if len(set(first)) < len(first):
            self._waiting = (True,) * len(first)
        else:
            self._waiting = tuple([edge in leaves or edge in grads for edge in first])

    def _step(self, gradient: Any, world: Any) -> Sequence:
        if self._saved is FREED:
            raise RuntimeError(SECOND_TIME)
        gradients = gradient if type(gradient) is list else [gradient]
        values = [entry if type(entry) is np.ndarray else world.opened(self, entry) for entry in self._saved]
        found = self._chain.backward(gradients, values, self._waiting)
        return self._chain.again(self, gradients, world) if found is None else found

    def _release(self) -> None:
        released = getattr(self._chain, "released", None)
        if released is not None:
            released(self)
        self._saved, self._inputs, self._drawn = FREED, (), None


class GradientChain:
    """A chain whose operands want gradients: called with the tensors that it reads, it gives those that are read elsewhere."""

    def __init__(self, chain: Chain, outputs: list[int], tracked: set[int]) -> None:
        """tracked: the numbers of tensors that have a node."""
        self.chain, self.outputs, self.tracked = chain, outputs, tracked
        self.differentiated = [number for number in outputs if number in tracked]
        self.forms = [formula_of(node) or ("", ()) for node in chain.nodes]
        self.inside = chain.inside
        self.keeps = any([executor_of(usual_form(node)[0])[0].keeps for node in chain.nodes])
        self.last = max([*self.inside, *chain.reads]) + 1
        self.passes: dict[tuple, tuple] = {}
        everything = Formulas(self.last)
        found = self.walked(everything, [True] * len(self.differentiated), set(chain.reads))
        first = {number: (number, at, k) for number, at, k in reversed(found)}
        self.operands = list(dict.fromkeys([number for number, _, _ in found]))
        """The tensors of the chain that want gradients, in the order of the edges, of which each has one for each of its uses."""
        firsts = dict.fromkeys([first[number] for number in self.operands])
        self.uses = [*firsts, *[use for use in found if use not in firsts]]
        reads = list(chain.reads)
        self.edge_places = [reads.index(number) for number, _, _ in self.uses]
        needed = {each.number for _, operands, _ in everything.steps for each in operands if type(each) is Slot}
        self.saved = sorted(number for number in needed if 0 <= number < self.last)
        self.made = list(dict.fromkeys([*outputs, *[number for number in self.saved if number in self.inside]]))
        self.run = chain.compiled(self.made)

    def walked(self, formulas: Formulas, given: list[bool], apart: set[int]) -> dict[tuple, Slot]:
        """The walk over the calls from the outputs that have a gradient: for each use of an operand of the chain, which operand
        of which call, its gradient. apart: the operands whose gradients are not to be summed."""
        gradients: dict[int, Slot] = {}
        for k, number in enumerate(self.differentiated):
            if given[k]:
                gradients[number] = Slot(-1 - k)
        found: dict[tuple, Slot] = {}
        sums: dict[int, tuple] = {}
        for at in range(len(self.chain.nodes) - 1, -1, -1):
            gradient = gradients.pop(self.chain.nodes[at].result.number, None)
            if gradient is None:
                continue
            name, operands = self.forms[at]
            wanted = [type(each) is Slot and each.number in self.tracked for each in operands]
            for k, g in enumerate(formulas.of(name, gradient, operands, self.chain.nodes[at].result, wanted)):
                if g is None:
                    continue
                number = operands[k].number
                if number in self.inside:
                    gradients[number] = formulas.step("add", gradients[number], g) if number in gradients else g
                elif number in apart or number not in sums:
                    found[number, at, k] = g
                    sums[number] = number, at, k
                else:
                    found[sums[number]] = formulas.step("add", found[sums[number]], g)
        return found

    def __call__(self, *tensors: Any) -> list | None:
        made = self.run(*[t._array for t in tensors])
        if made is None:
            return None
        arrays = dict(zip(self.made, made, strict=True))
        results = {number: fresh(arrays[number]) for number in self.outputs}
        read = dict(zip(self.chain.reads, tensors, strict=True))
        parts = self.differentiated
        nodes = [t._node for t in tensors]
        entries = []
        for number in self.saved:
            if number in read:
                entries.append(read[number])
            elif number in results:
                entries.append(keep_result(results[number], parts.index(number) if number in parts else 0))
            else:
                entries.append(arrays[number])
        leave(len(self.chain.nodes))
        node = link(CompiledFunctionBackward, tuple([nodes[place] for place in self.edge_places]), tuple(entries))
        node._chain, node._inputs, node._outputs, node._keeps = self, tensors, len(parts), self.keeps
        if len(parts) == 1:
            results[parts[0]]._node = node
        else:
            several = [Part(node, k) for k in range(len(parts))]
            node._parts = [ref(part) for part in several]
            for number, part in zip(parts, several, strict=True):
                results[number]._node = part
        return [results[number] for number in self.outputs]

    def backward(self, gradients: list, values: list, waiting: tuple) -> list | None:
        """The gradients of the operands, in the order of the edges; None for arrays that are not usual. waiting: at which operands
        there are gradients already, that those of the chain are added to one by one."""
        key = (*[g is not None for g in gradients], *waiting)
        known = self.passes.get(key)
        if known is None:
            known = self.passes[key] = self.backward_pass(list(key))
        run, places, outputs = known
        arrived = [None if g is None else np.ascontiguousarray(g).reshape(np.shape(g)) for g in gradients]
        made: dict[int, Any] = {-1 - k: g for k, g in enumerate(arrived)}
        if outputs:
            arrays = None if run is None else run(*values, *[g for g in arrived if g is not None])
            if arrays is None:
                return None
            made.update(zip(outputs, arrays, strict=True))
        return [None if place is None else made[place] for place in places]

    def backward_pass(self, key: list[bool]) -> tuple:
        """The chain that gives gradients, the numbers of those at each edge, and of its outputs."""
        formulas = Formulas(self.last)
        given, waiting = key[: len(self.differentiated)], key[len(self.differentiated) :]
        apart = {number for number, waits in zip(self.operands, waiting, strict=True) if waits}
        found = self.walked(formulas, given, apart)
        for number in self.operands:  # a sum goes to the first edge
            mine = [use for use in found if use[0] == number]
            if len(mine) == 1:
                found[self.uses[self.operands.index(number)]] = found.pop(mine[0])
        reads = {Slot(number): self.chain.reads.get(number, True) for number in self.saved}
        reads |= {Slot(-1 - k): True for k, on in enumerate(given) if on}
        outputs = list(dict.fromkeys([each for each in found.values() if each.number >= 0]))
        run = one_pass(reads, formulas.steps, outputs, self.chain.dtype, self.chain.shape) if outputs else None
        places = [found[use].number if use in found else None for use in self.uses]
        while places and places[-1] is None:
            places.pop()
        return run, places, [each.number for each in outputs]

    def again(self, node: Any, gradients: list, world: Any) -> list:
        """The same by the calls one by one, for arrays that are not usual."""
        values: dict[int, Any] = dict(zip(self.chain.reads, node._inputs, strict=True))
        wanted = {use: values[use[0]].detach().requires_grad_() for use in self.uses}
        before, here.grad_enabled = here.grad_enabled, True
        try:
            for at, call in enumerate(self.chain.nodes):
                args = []
                for k, each in enumerate(call.args):
                    place = 1 if call.name == "__rsub__" else k
                    args.append(
                        wanted.get((each.number, at, place), values[each.number]) if type(each) is Slot else each
                    )
                values[call.result.number] = call.function(*args)
            pairs = [(values[n], g) for n, g in zip(self.differentiated, gradients, strict=True) if g is not None]
            given = [world.tensor(np.asarray(g)) for _, g in pairs]
            found = grad([y for y, _ in pairs], list(wanted.values()), given, allow_unused=True)
        finally:
            here.grad_enabled = before
        return [g if g is None else world.value(g) for g in found]

    def taken_apart(self, node: Any) -> None:
        """The nodes of the calls, in place of the chain's: those of its results become them."""
        refuse_modified(node)
        values: dict[int, Any] = dict(zip(self.chain.reads, node._inputs, strict=True))
        first = node._sequence - len(self.chain.nodes)
        parts = [node] if len(self.differentiated) == 1 else [part() for part in node._parts]
        standing = dict(zip(self.differentiated, parts, strict=True))
        before, here.grad_enabled = here.grad_enabled, True
        try:
            for at, call in enumerate(self.chain.nodes):
                args = [values[each.number] if type(each) is Slot else each for each in call.args]
                number = call.result.number
                values[number] = result = call.function(*args)
                made = result._node
                if made is None:
                    continue
                made._sequence = first + at
                part = standing.get(number)
                if part is not None:
                    become(part, result)
        finally:
            here.grad_enabled = before


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
    """Put the nodes of their calls in place of the chains that can be reached."""
    seen = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        whole = node._parent if type(node) is Part else node
        if type(whole) is CompiledFunctionBackward and whole._saved is not FREED:
            whole._chain.taken_apart(whole)
        stack.extend(node._edges)


composed[:] = [take_apart]
