"""A function as one node: its forward steps and its backward steps as programs on memory of their own, from one call to the next."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.arrays.state import here
from ...engine.graph.fields import fresh, keep_result, leave, link
from ...engine.kernels import kernel
from ...engine.random.generator import default_generator
from ...engine.random.marks import go_back, mark
from ...engine.tape.backward import grad
from .gradients import CompiledFunctionBackward, become, refuse_modified
from .layout import BYTES, KEPT, SCRATCH, Failed, Layout, rounded, total
from .memory import CALLED, GIVEN, Called, Value
from .planning import Planned, nodes_of
from .reading import Refused
from .slots import Node, numbers_in
from .trial import drawing, leaves, one_by_one, opened, undrawn

MOST_HELD = 1 << 26
"""Larger arenas are not held between calls."""


class Pool:
    """Arenas of one size that calls take and give back; what anything else holds on to is not taken back."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.free: list[Any] = []

    def take(self) -> Any:
        try:
            return self.free.pop()
        except IndexError:  # also where another thread was sooner
            return np.empty(max(self.size, 1), BYTES)

    def give(self, arena: Any) -> None:
        """Take an arena back; its caller and this call alone may refer to it."""
        if self.size <= MOST_HELD and len(self.free) < 2 and sys.getrefcount(arena) <= 3:
            self.free.append(arena)


class Whole:
    """A function's program: called with its tensors, it gives what the function gives."""

    def __init__(self, nodes: list[Node], tree: Any, tensors: list[Any], tracked: set[int]) -> None:
        self.nodes, self.tree, self.draws = nodes, tree, drawing(nodes)
        before, here.grad_enabled = here.grad_enabled, bool(tracked)
        try:
            first = leave(0)
            plan = self.plan = Planned(nodes, tensors, tracked)
            self.ticks = leave(0) - first
        finally:
            here.grad_enabled = before
        memory = plan.memory
        self.results = {number: self.result(plan.values[number]) for number in numbers_in(tree)}
        wanting = [number for number in self.results if plan.values[number]._node is not None]
        if len(wanting) > 1 or len({value.buffer for value in self.results.values()}) < len(self.results):
            raise Refused
        self.output = wanting[0] if wanting else None
        if self.output is not None:
            plan.backwards(plan.values[self.output])
        if all([type(step) is Called for step in (*plan.forward, *plan.backward)]):
            raise Refused  # a program of calls alone saves nothing
        self.operands = list(plan.uses)
        extra = [k for k in self.operands for _ in plan.uses[k][1:]]
        self.edge_places = [*self.operands, *extra]
        self.several = bool(extra)
        needed = {number for step in plan.backward for number in step.reads()} | {
            v.buffer for each in plan.uses.values() for v in each
        }
        made = {number for step in plan.forward for number in step.makes()}
        own = {value.buffer: value for value in self.results.values()}
        self.kept: dict[int, int] = {}
        at = 0
        for number in sorted(needed & made):
            if number not in own and memory.kinds[number] != CALLED:
                self.kept[number] = at
                at += rounded(memory.bytes[number])
        self.saved_inputs = sorted(number for number in needed if number < len(tensors))
        self.saved = sorted(n for n in needed & made if n not in self.kept)
        self.forwards = Layout(memory, plan.forward, self.kept, own)
        self.scratch = Pool(self.forwards.scratch)
        self.backs: dict[bool, tuple] = {}
        if self.output is not None:
            self.back(False)
        self.keeps = bool(self.kept or self.saved or self.saved_inputs)
        self.entries = (*self.saved_inputs, *self.saved, KEPT)
        self.places = {value.buffer: number for number, value in self.results.items()}
        self.arenas = Pool(total(self.kept, memory))
        plan.values, plan.known, plan.leaves, plan.inputs = {}, set(), {}, []
        memory.held, memory.known = [], {}

    def result(self, t: Any) -> Value:
        """The place of a result, which is to be memory of its own. Raises Refused where it is not."""
        value = self.plan.find(t._array)
        memory = self.plan.memory
        whole = memory.bytes[value.buffer] == value.size() * value.dtype.itemsize
        seen = t._root is not None and any([t._root is each for each in self.plan.values.values()])
        if seen or memory.kinds[value.buffer] == GIVEN or not value.dense() or not whole:
            raise Refused
        return value

    def back(self, apart: bool) -> tuple:
        """The backward layout, and for each edge its gradient; apart: what is to be added to one tensor is not added up."""
        known = self.backs.get(apart)
        if known is None:
            plan, steps, sums = self.plan, list(self.plan.backward), []
            for k in self.operands:
                values = plan.uses[k]
                if apart:
                    sums.append(values)
                    continue
                total_value = values[0]
                for each in values[1:]:
                    total_value = plan.added(total_value, each, steps)
                sums.append([total_value])
            found = [each[0] for each in sums] + [v for each in sums for v in each[1:]]
            own = {}
            for value in found:
                number = value.buffer
                if (
                    number not in self.kept
                    and number not in self.saved
                    and plan.memory.kinds[number] not in (GIVEN, CALLED)
                ):
                    count = plan.memory.bytes[number] // plan.memory.dtypes[number].itemsize
                    whole = value.dense() and not value.offset and value.size() == count
                    own[number] = (
                        value
                        if whole
                        else Value(
                            number, 0, plan.memory.dtypes[number], (count,), (plan.memory.dtypes[number].itemsize,)
                        )
                    )
            layout = Layout(plan.memory, steps, self.kept, own)
            each = list(dict.fromkeys(found))
            whole = [value.buffer if own.get(value.buffer) == value else None for value in each]
            pool = self.scratch if layout.scratch == self.scratch.size else Pool(layout.scratch)
            known = self.backs[apart] = layout, each, whole, [each.index(value) for value in found], pool
        return known

    def __call__(self, tensors: tuple, _: Any = None) -> Any:
        forwards, scratches = self.forwards, self.scratch
        env: dict[Any, Any] = dict(enumerate([t._array for t in tensors]))
        scratch = env[SCRATCH] = scratches.take()
        arena = env[KEPT] = self.arenas.take()
        drawn = mark(default_generator()) if self.draws else None
        try:
            forwards.run(env)
        except BaseException:
            if drawn is not None:  # the function draws the same numbers
                go_back(default_generator(), drawn)
            raise
        values: dict[int, Any] = {}
        for number, value in self.results.items():
            array = env[value.buffer]
            values[number] = fresh(array if array.shape == value.shape else array.reshape(value.shape))
        if self.output is not None and here.grad_enabled:
            t = values[self.output]
            entries: list[Any] = [tensors[k] for k in self.saved_inputs]
            for number in self.saved:
                at = self.places.get(number)
                entries.append(env[number] if at is None else keep_result(t) if at == self.output else values[at])
            leave(self.ticks)
            edges = tuple([tensors[k]._node for k in self.edge_places])
            node = link(CompiledFunctionBackward, edges, (*entries, arena))
            node._chain, node._inputs, node._outputs, node._keeps = self, tensors, 1, self.keeps
            node._drawn = drawn
            t._node = node
        else:
            env.clear()
            self.arenas.give(arena)
        env.clear()
        scratches.give(scratch)
        return opened(self.tree, values)

    def backward(self, gradients: list, values: list, waiting: tuple) -> list | None:
        """The gradients of the edges; None where they are not usual. waiting: at which operands gradients of others wait, that
        those of the function are added to one by one."""
        apart = self.several and any(waiting)
        layout, each, whole, places, scratches = self.backs.get(apart) or self.back(apart)
        env: dict[Any, Any] = dict(zip(self.entries, values, strict=True))
        env[self.plan.seed] = np.ascontiguousarray(gradients[0])
        scratch = env[SCRATCH] = scratches.take()
        try:
            layout.run(env)
        except Failed:
            return None
        arrays = [layout.array(env, v) if k is None else env[k] for v, k in zip(each, whole, strict=True)]
        env.clear()
        scratches.give(scratch)
        return arrays if len(each) == len(places) else [arrays[k] for k in places]

    def released(self, node: Any) -> None:
        """Take back the arena of a node that is done."""
        saved = node._saved
        if type(saved) is tuple and saved and type(saved[-1]) is np.ndarray:
            arena = saved[-1]
            node._saved = saved = ()
            self.arenas.give(arena)

    def once_more(self, node: Any, inputs: list) -> Any:
        """The result of the calls one by one, of the random numbers that they drew."""
        if node._drawn is None:
            return one_by_one(self.nodes, inputs)[self.output]
        return undrawn(one_by_one, self.nodes, inputs, start=node._drawn)[self.output]

    def again(self, node: Any, gradients: list, world: Any) -> list:
        """The same by the calls one by one."""
        tracked = set(self.operands)
        before, here.grad_enabled = here.grad_enabled, True
        try:
            inputs = leaves(list(node._inputs), tracked)
            y = self.once_more(node, inputs)
            found = grad(
                [y], [inputs[k] for k in self.operands], [world.tensor(np.asarray(gradients[0]))], allow_unused=True
            )
        finally:
            here.grad_enabled = before
        return [g if g is None else world.value(g) for g in found]

    def taken_apart(self, node: Any) -> None:
        """The nodes of the calls, in place of the function's."""
        refuse_modified(node)
        known = {t._node for t in node._inputs}
        before, here.grad_enabled = here.grad_enabled, True
        try:
            result = self.once_more(node, list(node._inputs))
        finally:
            here.grad_enabled = before
        made = sorted(nodes_of([result], known), key=lambda each: each._sequence)
        for k, each in enumerate(made):
            each._sequence = node._sequence - len(made) + 1 + k
        become(node, result)


def whole(nodes: list[Node], tree: Any, tensors: list[Any], tracked: set[int]) -> Callable | None:
    """The program of a function as one node; None where it is not worth it, or not usual."""
    if kernel("Program") is None or len(nodes) < 2:
        return None
    try:
        return Whole(nodes, tree, tensors, tracked)
    except (Refused, ValueError, KeyError):
        return None
