"""Planning: a recorded function is run once with its backward pass, and the steps that the core takes are written down.

A step is a kernel or a loop that the core called with arrays whose memory is known, or that an operator's formula is known to take
(`formulas.py`). Whatever else an operator or a formula does stays a call of Python, with the same arrays.
"""

from __future__ import annotations

from functools import partial
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ...engine.arrays.extents import strided
from ...engine.arrays.state import here
from ...engine.graph.fields import Fields, Saved, fresh, wrap
from ...engine.graph.nodes import AccumulateGrad, Hidden, OperatorNode, nowhere
from ...engine.graph.nodes import Slot as Part
from ...engine.kernels import compiled
from ...engine.operators.public_form import executor_of
from ...engine.tape.worlds import raw
from ...engine.tensors.inplace import CopySlices
from ...engine.tensors.tensor import Tensor
from ..containers import tensors_in
from .elementwise import step_of, usual_form
from .formulas import RULES, loops
from .memory import CALLED, GIVEN, Called, Loop, Memory, Value, elementwise, owner
from .names import draws
from .reading import Refused
from .slots import Node, Slot
from .trial import bind, opened, weights

ONE_PASS = {"gelu": "gelu"}
"""Functions of one tensor that are a ufunc of the kernels, when they are called without settings."""


def recorded(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, list]:
    """What a function gives, and the calls of kernels and loops that it made."""
    calls: list = []
    compiled.record_calls(calls)
    try:
        return function(*args, **kwargs), calls
    finally:
        compiled.record_calls(None)


def nodes_of(tensors: list[Any], known: Any) -> list[Any]:
    """The nodes of tensors down to those that are known, in an order of their own."""
    found: dict[Any, None] = {}
    stack = [t._node for t in reversed(tensors)]
    while stack:
        node = stack.pop()
        if node is None or node in known or node in found:
            continue
        found[node] = None
        if type(node) is not AccumulateGrad:
            stack.extend(reversed(node._edges))
    return list(found)


def arrays_of(node: Any) -> list[Any]:
    """The arrays that a node keeps."""
    found: list[Any] = []
    stack = list(reversed(node._function._saved if type(node) is CopySlices else node._saved))
    while stack:
        entry = stack.pop()
        if isinstance(entry, Fields | Saved | Hidden):
            if type(entry._array) is np.ndarray:
                found.append(entry._array)
        elif type(entry) is list:
            stack.extend(reversed(entry))
    return found


class Planned:
    """The steps of a function, forwards and backwards."""

    def __init__(self, nodes: list[Node], tensors: list[Any], tracked: set[int]) -> None:
        self.memory = Memory()
        self.tracked = tracked
        self.inputs = [wrap(np.array(t._array, order="C", copy=True)) for t in tensors]
        for k, t in enumerate(self.inputs):
            if not tensors[k]._array.flags.c_contiguous or not t._array.size:
                raise Refused
            if self.memory.bind(t._array, GIVEN) != k:
                raise Refused
            t.requires_grad_(k in tracked)
        self.values: dict[int, Any] = dict(enumerate(self.inputs))
        self.leaves = {self.inputs[k]._node: k for k in tracked}
        self.known: set[Any] = set(self.leaves)
        self.forward: list[Any] = []
        self.backward: list[Any] = []
        self.uses: dict[int, list[Value]] = {}
        """What arrives at each tensor of the function that wants a gradient."""
        self.seeds: list[int] = []
        """The buffers of the gradients of the results."""
        self.keeps = False
        """Whether a node of an operator keeps what a second walk would need."""
        for node in nodes:
            self.operator(node)

    # Forwards

    def operator(self, node: Node) -> None:
        """Add the steps of an operator's call."""
        kwargs = {name: opened(each, self.values) for name, each in node.kwargs.items()}
        result, calls = recorded(node.function, *opened(node.args, self.values), **kwargs)
        bind(node.result, result, self.values)
        results = tensors_in(result)
        made = nodes_of(results, self.known)
        self.known.update(made)
        self.keeps = self.keeps or any([each._keeps for each in made if type(each) is not Part])
        if any([type(each._array) is not np.ndarray or not each._array.size for each in results]):
            raise Refused
        wanted = [t._array for t in results] + [a for each in made for a in arrays_of(each)]
        drawn = draws(node.name, node.args, node.kwargs)  # anew with each call
        if not drawn and len(results) == 1 and (step := self.elementwise(node, results[0]._array)) is not None:
            self.forward.append(step)
            return
        steps = None if drawn else self.memory.lowered(calls, wanted)
        if steps is not None:
            self.forward.extend(steps)
            return
        places = [k for k, a in enumerate(wanted) if self.memory.find(a) is None]
        chosen = []
        for k in places:
            if self.memory.find(wanted[k]) is None:
                self.memory.bind(wanted[k], CALLED)
                chosen.append(k)
        given: list[Any] = []
        args, named = (
            self.placed(node.args, given),
            {name: self.placed(each, given) for name, each in node.kwargs.items()},
        )
        if max(chosen, default=0) < len(results):  # nothing is kept that is not a result
            function: Any = partial(plainly, node.function, args, named, chosen)
        else:
            function = partial(called, node.function, args, named, [t._node is not None for t in given], chosen)
        numbers = tuple([self.find(wanted[k]).buffer for k in chosen])
        self.forward.append(Called(function, tuple([self.find(t._array) for t in given]), numbers))

    def find(self, array: Any) -> Value:
        found = self.memory.find(array)
        if found is None:
            raise Refused
        return found

    def placed(self, value: Any, given: list[Any]) -> Any:
        """A tree of values with numbers of tensors in place of slots, which go to `given`."""
        if type(value) is Slot:
            given.append(self.values[value.number])
            return Slot(len(given) - 1)
        if type(value) in (tuple, list):
            return type(value)([self.placed(each, given) for each in value])
        return value

    def elementwise(self, node: Node, result: Any) -> Loop | None:
        """The step of an elementwise operator."""
        told = step_of(node)
        if told is not None:
            loop, operands = told[0], told[1]
        elif node.name in ONE_PASS and len(node.args) == 1 and not node.kwargs and result.dtype == np.float32:
            loop, operands = loops()[ONE_PASS[node.name]], node.args
        elif node.kwargs or result.dtype not in loop_dtypes():
            return None
        else:
            function, operands = usual_form(node)
            executor, count = executor_of(function)
            if executor is None or len(operands) != count or count != 2:
                return None
            if not all([type(each) is Slot or type(each) in (int, float) for each in operands]):
                return None
            loop = executor.loop
        if (
            not result.flags.c_contiguous
            or owner(result).nbytes != result.nbytes
            or self.memory.find(result) is not None
        ):
            return None
        found = [self.find(self.values[each.number]._array) if type(each) is Slot else each for each in operands]
        made = self.memory.new(result.dtype, result.shape)
        try:
            step = elementwise(loop, tuple(found), made)
        except Refused:
            return None
        self.memory.same(result, made)
        return step

    # Backwards

    def backwards(self, outputs: list[Any]) -> None:
        """Add the steps of the walk from the results that have a node. Raises Refused where it is not usual."""
        grads: dict[Any, Any] = {}
        heap: list[Any] = []
        for output in outputs:
            gradient = weights(output)._array
            self.seeds.append(self.memory.bind(gradient, GIVEN))
            if output._node in self.leaves or output._node in grads:
                raise Refused
            grads[output._node] = gradient
            heappush(heap, (-output._node._sequence, output._node))
        before, here.grad_enabled = here.grad_enabled, False
        try:
            while heap:
                node = heappop(heap)[1]
                g = grads.pop(node)
                if type(node) is Part:
                    parent = node._parent
                    if parent not in grads:
                        grads[parent] = [None] * parent._outputs
                        heappush(heap, (-parent._sequence, parent))
                    grads[parent][node._number] = g
                    continue
                for edge, found in zip(node._edges, self.node(node, g), strict=False):
                    if edge is None or found is None:
                        continue
                    if edge in self.leaves:
                        self.uses.setdefault(self.leaves[edge], []).append(self.find(found))
                    elif edge in grads:
                        grads[edge] = self.sum(grads[edge], found)
                    else:
                        grads[edge] = found
                        heappush(heap, (-edge._sequence, edge))
        finally:
            here.grad_enabled = before

    def sum(self, a: Any, b: Any) -> Any:
        """The sum of two gradients."""
        found = np.asarray(a + b)
        made = self.added(self.find(a), self.find(b), self.backward)
        self.memory.same(found, made)
        return found

    def added(self, a: Value, b: Value, steps: list) -> Value:
        """The sum of two arrays that lie alike, as a step."""
        if a.dtype != b.dtype or a.shape != b.shape or a.dtype not in loop_dtypes():
            raise Refused
        if a.strides != b.strides:
            return self.added_apart(a, b, steps)
        order = sorted(range(len(a.shape)), key=lambda k: -a.strides[k])
        flat = [
            v._replace(shape=tuple([v.shape[k] for k in order]), strides=tuple([v.strides[k] for k in order]))
            for v in (a, b)
        ]
        if not flat[0].dense():
            raise Refused
        made = self.memory.new(a.dtype, flat[0].shape)
        steps.append(elementwise(loops()["add"], tuple(flat), made))
        return made._replace(shape=a.shape, strides=a.strides)

    def added_apart(self, a: Value, b: Value, steps: list) -> Value:
        """The sum of two arrays that lie differently, as a call."""
        found = np.add(*[lying(v) for v in (a, b)])
        made = self.memory.bind(found, CALLED)
        steps.append(Called(lambda x, y: [x + y], (a, b), (made,)))
        return self.find(found)

    def node(self, node: Any, g: Any) -> list[Any]:
        """The gradients that a node gives."""
        if type(node) is CopySlices:
            return self.slices(node, g)
        op = node._operator
        if not isinstance(node, OperatorNode) or node._watched or node._forbidden:
            raise Refused
        values = [raw.opened(node, entry) for entry in node._saved]
        if op.joint is not None or node._counts is not None:
            shim = Shim(op, node)
            arrays = flat([g, *values])
            found, calls = recorded(shim.gradients, g, values)
            return self.finished(
                list(found), calls, partial(jointly, shim, shape_of(g), [shape_of(v) for v in values]), arrays
            )
        gradients: list[Any] = []
        for k, (edge, (formula, first, more)) in enumerate(zip(node._edges, op.runners, strict=False)):
            if edge is None or formula is None:
                gradients.append(None)
                continue
            args = [] if first is None else [values[first]] if more is None else list(more(values))
            found, calls = recorded(formula, raw, g, *args)
            if found is not None:
                found = self.one(op, node, k, g, np.asarray(found), calls, values, (formula, args))
                meta = None if node._metas is None else node._metas[k]
                if meta is not None:
                    fit, calls = recorded(raw.fitted, found, meta)
                    (found,) = self.finished(
                        [np.asarray(fit)], calls, lambda a, meta=meta: [raw.fitted(a, meta)], [found]
                    )
            gradients.append(found)
        return gradients

    def slices(self, node: Any, g: Any) -> list[Any]:
        """The gradients of a tensor of which a part was written over: that of the part goes to what was written."""
        region = node._region

        def of_part(a: Any) -> list:
            _, whole, part = region.buffers(a)
            whole[...] = a
            return [region.turned(raw, part.copy())]

        def of_rest(a: Any, *inner: Any) -> list:
            _, whole, part = region.buffers(a)
            whole[...] = a
            part[...] = region.turned(raw, inner[0]) if inner else 0
            return [whole]

        (part,) = self.finished(of_part(g), [], of_part, [g])
        inner, *others = self.node(node._function, part)
        given = [g] if inner is None else [g, inner]
        return [*self.finished(of_rest(*given), [], of_rest, given), *others]

    def one(self, op: Any, node: Any, k: int, g: Any, found: Any, calls: list, values: list, told: tuple) -> Any:
        """The gradient of one operand."""
        if self.memory.find(found) is not None:
            return found
        rule = RULES.get(op.name)
        if rule is not None and k < len(rule) and type(g) is np.ndarray:
            operands: list[Any] = [None] * len(op.tensors)
            result = None
            for (kind, i), value in zip(op.sources, values, strict=False):
                if kind == "result":
                    result = value
                elif kind == "argument" and i in op.tensors:
                    operands[op.tensors.index(i)] = value
            settings = {op.params[i]: v for (kind, i), v in zip(op.sources, values, strict=False) if kind == "argument"}
            steps: list[Any] = []
            mark = len(self.memory.kinds)
            try:
                writing = Writing(self, steps, settings, found.shape)
                made = rule[k](writing, self.find(g), *[self.told(each) for each in operands], self.told(result))
                if made.shape != found.shape or made.buffer < mark:
                    raise Refused
                self.memory.same(found, made)
                self.backward.extend(steps)
                return found
            except (Refused, TypeError, AttributeError, KeyError):
                pass
        formula, args = told
        arrays = flat([g, *args])
        g, shapes = shape_of(g), [shape_of(each) for each in args]
        return self.finished([found], calls, partial(by_formula, formula, g, shapes), arrays)[0]

    def told(self, value: Any) -> Any:
        return self.find(value) if type(value) is np.ndarray else value

    def finished(self, found: list, calls: list, function: Any, given: list) -> list:
        """Gradients whose steps are those of recorded calls, or else a call of Python."""
        wanted = [each for each in found if each is not None]
        if all([self.memory.find(each) is not None for each in wanted]):
            return found
        steps = self.memory.lowered(calls, wanted)
        if steps is not None:
            self.backward.extend(steps)
            return found
        chosen = []
        for k, each in enumerate(found):
            if each is not None and self.memory.find(each) is None:
                self.memory.bind(each, CALLED)
                chosen.append(k)
        numbers = tuple([self.find(found[k]).buffer for k in chosen])
        self.backward.append(
            Called(partial(some, function, chosen), tuple([self.find(each) for each in given]), numbers)
        )
        return found


class Writing:
    """The steps of a formula, as it writes them."""

    def __init__(self, plan: Planned, steps: list, settings: dict, shape: tuple) -> None:
        self.plan, self.steps, self.settings, self.shape = plan, steps, settings, shape

    def __call__(self, name: str, *operands: Any) -> Value:
        like = next(each for each in operands if type(each) is Value)
        made = self.plan.memory.new(like.dtype, like.shape)
        self.steps.append(elementwise(loops()[name], operands, made))
        return made

    def filled(self, number: Value) -> Value:
        """An array of the gradient's shape, of one number."""
        if number.shape != () or not self.shape:
            raise Refused
        made = self.plan.memory.new(number.dtype, self.shape)
        self.steps.append(elementwise(loops()["mul"], (number, 1.0), made))
        return made


class Shim:
    """What takes a node's place where its formulas are called again, on other arrays."""

    def __init__(self, op: Any, node: Any) -> None:
        self._operator, self._counts, self._metas = op, node._counts, node._metas
        self._edges = tuple([None if edge is None else True for edge in node._edges])

    def gradients(self, gradient: Any, values: list) -> list:
        """The gradients of the operands."""
        found = OperatorNode._apply_jointly(self, gradient, raw, values)  # type: ignore[arg-type]
        for i, meta in enumerate(self._metas or ()):
            if meta is not None and i < len(found) and found[i] is not None and self._edges[i] is not None:
                found[i] = raw.fitted(found[i], meta)
        return [
            None if each is None or edge is None else np.asarray(each)
            for each, edge in zip(found, self._edges, strict=False)
        ]


HERE: Any = object()
"""Where an array goes among the arguments of a call."""


def shape_of(value: Any) -> Any:
    """A value with a mark in place of arrays. Raises Refused for arrays within lists of other things."""
    if type(value) is np.ndarray:
        return HERE
    if type(value) is list:
        return [shape_of(each) for each in value]
    return value


def flat(value: Any) -> list:
    """The arrays in a list of values, in their order."""
    if type(value) is list:
        return [a for each in value for a in flat(each)]
    return [value] if type(value) is np.ndarray else []


def filled_in(shape: Any, arrays: Any) -> Any:
    if shape is HERE:
        return next(arrays)
    return [filled_in(each, arrays) for each in shape] if type(shape) is list else shape


def jointly(shim: Shim, g: Any, values: list, *arrays: Any) -> list:
    rest = iter(arrays)
    return shim.gradients(filled_in(g, rest), [filled_in(each, rest) for each in values])


def by_formula(formula: Any, g: Any, shapes: list, *arrays: Any) -> list:
    rest = iter(arrays)
    return [np.asarray(formula(raw, filled_in(g, rest), *[filled_in(each, rest) for each in shapes]))]


def some(function: Any, chosen: list[int], *arrays: Any) -> list:
    found = function(*arrays)
    return [found[k] for k in chosen]


def plainly(function: Any, args: Any, kwargs: dict, chosen: list[int], *arrays: Any) -> list:
    """The arrays of the results of a call of an operator that are wanted."""
    values: Any = [fresh(a) for a in arrays]
    before, here.grad_enabled = here.grad_enabled, False
    try:
        found = function(*opened(args, values), **{name: opened(each, values) for name, each in kwargs.items()})
    finally:
        here.grad_enabled = before
    if type(found) is Tensor:
        return [found._array]
    results = tensors_in(found)
    return [results[k]._array for k in chosen]


def called(function: Any, args: Any, kwargs: dict, wants: list[bool], chosen: list[int], *arrays: Any) -> list:
    """The arrays of a call of an operator that are wanted: of its results and of what its nodes keep."""
    tensors = [fresh(a) for a in arrays]
    edges = set()
    for t, wanted in zip(tensors, wants, strict=True):
        if wanted:
            t._node = nowhere()
            edges.add(t._node)
    before, here.grad_enabled = here.grad_enabled, bool(edges)
    try:
        values = dict(enumerate(tensors))
        results = tensors_in(
            function(*opened(args, values), **{name: opened(each, values) for name, each in kwargs.items()})
        )
    finally:
        here.grad_enabled = before
    wanted = [t._array for t in results] + [a for node in nodes_of(results, edges) for a in arrays_of(node)]
    return [wanted[k] for k in chosen]


def lying(value: Value) -> Any:
    """An array that lies as a value does."""
    if min(value.strides, default=0) < 0:
        raise Refused
    reach = sum([(n - 1) * step for n, step in zip(value.shape, value.strides, strict=True)]) + value.dtype.itemsize
    return strided(np.zeros(reach, np.uint8), value.shape, value.strides, 0, value.dtype)


def loop_dtypes() -> Any:
    return (np.dtype(np.float32), np.dtype(np.float64))
