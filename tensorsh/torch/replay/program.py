"""A program: a function as one node, its forward steps and its backward steps on memory of their own, from one call to the next."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from ...engine.arrays.state import here
from ...engine.graph.fields import fresh, keep_result, leave, link
from ...engine.graph.nodes import Slot as Part
from ...engine.kernels import kernel
from ...engine.random.generator import default_generator
from ...engine.random.marks import go_back, mark
from ...engine.tape.backward import grad
from .layout import BYTES, KEPT, SCRATCH, Failed, Layout, rounded, total
from .memory import CALLED, GIVEN, Called, Value
from .node import CompiledFunctionBackward, become, refuse_modified
from .planning import Planned, nodes_of
from .reading import Refused
from .slots import Node, Slot, numbers_in
from .trial import drawing, leaves, one_by_one, opened, undrawn

MOST_HELD = 1 << 26
"""Larger arenas are not held between calls."""


NOTHING = np.empty(1, BYTES)
"""An arena of nothing."""


class Pool:
    """Arenas of one size that calls take and give back; what anything else holds on to is not taken back."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.free: list[Any] = []

    def take(self) -> Any:
        try:
            return self.free.pop()
        except IndexError:  # also where another thread was sooner
            return np.empty(self.size, BYTES)

    def give(self, arena: Any) -> None:
        """Take an arena back; its caller and this call alone may refer to it."""
        if 0 < self.size <= MOST_HELD and len(self.free) < 2 and sys.getrefcount(arena) <= 3:
            self.free.append(arena)


class Program:
    """A function's program: called with its tensors, it gives what the function gives."""

    def __init__(self, nodes: list[Node], tree: Any, tensors: list[Any], tracked: set[int]) -> None:
        self.nodes, self.tree, self.draws = nodes, tree, drawing(nodes)
        self.alone = tree.number if type(tree) is Slot else None
        before, here.grad_enabled = here.grad_enabled, bool(tracked)
        try:
            first = leave(0)
            plan = self.plan = Planned(nodes, tensors, tracked)
            self.ticks = leave(0) - first
        finally:
            here.grad_enabled = before
        memory = plan.memory
        read = numbers_in(tree)
        self.passed = [number for number in read if number < len(tensors)]
        """The operands that are results."""
        self.results = {number: self.result(plan.values[number]) for number in read if number >= len(tensors)}
        wanting = [number for number in self.results if plan.values[number]._node is not None]
        if len({value.buffer for value in self.results.values()}) < len(self.results):
            raise Refused
        self.outputs = wanting
        """The results that want gradients."""
        if wanting:
            plan.backwards([plan.values[number] for number in wanting])
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
        if wanting:
            self.back(False)
        self.keeps = plan.keeps or bool(self.kept or self.saved or self.saved_inputs)
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
        scratch = env[SCRATCH] = scratches.take() if scratches.size else NOTHING
        arena = env[KEPT] = self.arenas.take() if self.kept else NOTHING
        drawn = mark(default_generator()) if self.draws else None
        try:
            forwards.run(env)
        except BaseException:
            if drawn is not None:  # the function draws the same numbers
                go_back(default_generator(), drawn)
            raise
        values: dict[int, Any] = {number: tensors[number] for number in self.passed}
        for number, value in self.results.items():
            array = env[value.buffer]
            values[number] = fresh(array if array.shape == value.shape else array.reshape(value.shape))
        if self.outputs and here.grad_enabled:
            self.record(tensors, values, env, drawn)
        elif self.kept:
            del env[KEPT]
            self.arenas.give(arena)
        if scratches.size:
            del env[SCRATCH]
            scratches.give(scratch)
        return values[self.alone] if self.alone is not None else opened(self.tree, values)

    def record(self, tensors: tuple, values: dict[int, Any], env: dict, drawn: Any) -> None:
        """Make the node of the results."""
        entries: list[Any] = [tensors[k] for k in self.saved_inputs]
        for number in self.saved:
            at = self.places.get(number)
            if at in self.outputs:
                entries.append(keep_result(values[at], self.outputs.index(at)))
            else:
                entries.append(env[number] if at is None else values[at])
        leave(self.ticks)
        edges = tuple([tensors[k]._node for k in self.edge_places])
        node = link(CompiledFunctionBackward, edges, (*entries, env[KEPT]))
        node._program, node._inputs, node._outputs, node._keeps = self, tensors, len(self.outputs), self.keeps
        node._drawn = drawn
        parts = [node] if len(self.outputs) == 1 else [Part(node, k) for k in range(len(self.outputs))]
        if len(parts) > 1:
            node._parts = [ref(part) for part in parts]
        for number, part in zip(self.outputs, parts, strict=True):
            values[number]._node = part

    def backward(self, gradients: list, values: list, waiting: tuple) -> list | None:
        """The gradients of the edges; None where they are not usual. waiting: at which operands gradients of others wait, that
        those of the function are added to one by one."""
        if any([g is None for g in gradients]):
            return None
        apart = self.several and any(waiting)
        layout, each, whole, places, scratches = self.backs.get(apart) or self.back(apart)
        env: dict[Any, Any] = dict(zip(self.entries, values, strict=True))
        env.update(zip(self.plan.seeds, map(in_row_order, gradients), strict=True))
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

    def once_more(self, node: Any, inputs: list, told: Any = None) -> list:
        """The results of the calls one by one, of the random numbers that they drew."""
        asked = one_by_one, self.nodes, inputs, None, told
        found = one_by_one(*asked[1:]) if node._drawn is None else undrawn(*asked, start=node._drawn)
        return [found[number] for number in self.outputs]

    def again(self, node: Any, gradients: list, world: Any) -> list:
        """The same by the calls one by one."""
        tracked = set(self.operands)
        before, here.grad_enabled = here.grad_enabled, True
        try:
            inputs = leaves(list(node._inputs), tracked)
            pairs = [pair for pair in zip(self.once_more(node, inputs), gradients, strict=True) if pair[1] is not None]
            given = [world.tensor(np.asarray(g)) for _, g in pairs]
            found = grad([y for y, _ in pairs], [inputs[k] for k in self.operands], given, allow_unused=True)
        finally:
            here.grad_enabled = before
        return [g if g is None else world.value(g) for g in found]

    def taken_apart(self, node: Any) -> None:
        """The nodes of the calls, in place of the function's."""
        refuse_modified(node)
        known, last = {t._node for t in node._inputs}, node._sequence
        parts = [node] if len(self.outputs) == 1 else [part() for part in node._parts]
        standing = dict(zip(self.outputs, parts, strict=True))

        def told(number: int, t: Any) -> None:
            part = standing.get(number)
            if part is not None:
                become(part, t)

        before, here.grad_enabled = here.grad_enabled, True
        try:
            results = self.once_more(node, list(node._inputs), told)
        finally:
            here.grad_enabled = before
        made = sorted(nodes_of(results, known), key=lambda each: each._sequence)
        for k, each in enumerate(made):
            each._sequence = last - len(made) + 1 + k


def in_row_order(gradient: Any) -> Any:
    return np.ascontiguousarray(gradient).reshape(np.shape(gradient))


def program_of(nodes: list[Node], tree: Any, tensors: list[Any], tracked: set[int]) -> Callable | None:
    """The program of a function as one node; None where it is not worth it, or not usual."""
    if kernel("Program") is None or len(nodes) < 2:
        return None
    try:
        return Program(nodes, tree, tensors, tracked)
    except (Refused, ValueError, KeyError):
        return None
