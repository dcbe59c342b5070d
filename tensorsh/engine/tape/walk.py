"""The walk that carries gradients back along the tape.

Nodes are taken from a heap by their sequence number, latest first, so nothing recurses and each node runs once, with its
whole gradient. Leaves come last, in the order in which their gradients became complete."""

from __future__ import annotations

import sys
from _thread import RLock  # threading adds nothing but its import
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush, heappushpop
from typing import Any

import numpy as np

from ...sandbox import process
from ..arrays import device_guard
from ..arrays.constants import fresh
from ..arrays.errors import tensor_type
from ..arrays.state import here, known, state
from ..arrays.warning import warn
from ..graph.fields import wrap
from ..graph.nodes import AccumulateGrad, Node, OperatorNode, Slot, composed, heeded
from ..tensors.tensor import Tensor

adding = RLock()
"""Held by a thread that adds to the gradient of a leaf, where there are several threads."""


def reaching(roots: Iterable[Node], targets: set) -> set:
    """The nodes from which a target can be reached (targets included)."""
    order: list = []
    seen: set = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        stack.extend(e for e in node._edges if e is not None and e not in seen)
    order.sort(key=lambda n: -1 if isinstance(n, AccumulateGrad) else n._sequence)
    reach = set()
    for node in order:
        if node in targets or any(e in reach for e in node._edges if e is not None):
            reach.add(node)
    return reach


def _kind(t: Tensor) -> str:
    """What messages call the type of a gradient."""
    if t.device.type == "meta":
        return f"Meta{t.dtype.short}Type"
    return tensor_type(t.dtype) if t.device.type == "cpu" and not t.is_sparse else t.type()


def _answered(before: Any, answer: Any, hook: Any, own: bool = False) -> Any:
    """What a hook gives for a gradient: nothing, or a tensor of its type and size. own: the engine's hook, which changes the type."""
    if answer is None:
        return None
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(answer, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
    title = f"hook '{getattr(hook, '__name__', type(hook).__name__)}' has"
    if not own and (was := _kind(before)) != (got := _kind(answer)):
        raise RuntimeError(f"{title} changed the type of value (was {was} got {got})")
    if before.shape != answer.shape:
        raise RuntimeError(f"{title} changed the size of value")
    return answer


def _all_answered(before: tuple, answer: Any, hook: Any) -> list:
    """The same for all gradients of a node."""
    if not isinstance(answer, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(answer).__name__}'")
    if len(answer) != len(before):
        title = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(
            f"hook '{title}' has returned an incorrect number of values (got {len(answer)}, but expected {len(before)})"
        )
    return [_answered(b, a, hook) for b, a in zip(before, answer, strict=True)]


def _hooked(hooks: dict, gradient: Any, raw: bool) -> Any:
    """A gradient after the hooks of the tensor it belongs to; one with a negative number is the node's own."""
    for number, hook in list(hooks.items()):
        value = wrap(np.asarray(gradient) if isinstance(gradient, np.generic) else gradient) if raw else gradient
        answer = _answered(value, here.given_back(hook, value), hook, own=number < 0)
        if answer is not None:
            gradient = answer._array if raw else answer
    return gradient


def _told(heard: dict, gradients: list, raw: bool, waiting: bool) -> None:
    """The hooks of the results of a node, in order: those to which no gradient comes are told so. waiting: the others were not
    called before."""
    for number in sorted(heard):
        slot = heard[number]()
        if slot is None:
            continue
        if gradients[number] is not None:
            if waiting and slot._retained is None:
                gradients[number] = _hooked(slot._prehooks, gradients[number], raw)
        else:
            for hook in list(slot._prehooks.values()):
                _answered(None, here.given_back(hook, None), hook)


def walk(
    roots: Sequence[tuple[Node, Any]], world: Any, keep: bool, targets: dict | None = None, accumulate: bool = True
) -> dict:
    """Carry gradients from the roots to the leaves.

    `targets`: the nodes whose gradients are wanted (``autograd.grad``, ``backward(inputs=...)``); None for all leaves.
    Returns the gradients that arrived at the targets."""
    if composed and not world.raw:
        composed[0]([each[0] for each in roots])
    way = Way()
    way.begin(roots, world, targets, accumulate)
    way.carry(keep)
    way.arrive()
    return way.captured


class Way:
    """One walk: the gradients that wait for their nodes, and who looks at them as they pass."""

    def begin(self, roots: Sequence[tuple[Node, Any]], world: Any, targets: dict | None, accumulate: bool) -> None:
        self.world, self.raw = world, world.raw
        self.targets, self.accumulate = targets, accumulate
        self.wanted = None if targets is None else reaching([each[0] for each in roots], set(targets))
        self.captured: dict = {}
        self.grads: dict = {}
        self.leaves: dict = {}
        self.awaited = self.counted(roots) if heeded and targets is None and accumulate else None
        self.heap: list = []
        """The nodes of `grads`, the latest first."""
        self.flow, self.anomaly = here.flow, state.anomaly
        self.several = device_guard.several
        self.special = targets is not None or self.flow is not None or self.anomaly or self.several
        for node, gradient in device_guard.following(roots) if self.several else roots:
            if isinstance(node, AccumulateGrad):
                self.leaves[node] = gradient if node not in self.leaves else self.leaves[node] + gradient
            elif node in self.grads:
                self.grads[node] = self.grads[node] + gradient
            else:
                self.grads[node] = gradient
                heappush(self.heap, (-node._sequence, node))

    def carry(self, keep: bool) -> None:
        """Each node makes its step once, with its whole gradient, until all that is left waits at leaves."""
        world, special, grads, leaves, heap = self.world, self.special, self.grads, self.leaves, self.heap
        held: Any = None
        arrived: Any = None
        while True:
            if held is None:
                if not heap:
                    break
                node = heappop(heap)[1]
                gradient = grads.pop(node)
            elif heap and heap[0][0] < -held._sequence:
                grads[held] = arrived
                node = heappushpop(heap, (-held._sequence, held))[1]
                gradient = grads.pop(node)
                held = arrived = None
            else:
                node, gradient = held, arrived
                held = arrived = None
            if node._watched or special:
                gradients = self.looked_at(node, gradient)
                if gradients is None:
                    continue
            else:
                gradients = node._step(gradient, world)
            if not keep and node._keeps:
                node._release()
            gradient = None
            # In a chain the next node never sees the heap.
            for edge, g in zip(node._edges, gradients):  # noqa: B905 - a short answer leaves the rest without a gradient
                if g is None or edge is None:
                    continue
                if type(edge) is AccumulateGrad:
                    before = leaves.pop(edge, None)
                    leaves[edge] = g if before is None else before + g
                elif edge is held:
                    arrived = arrived + g
                elif edge in grads:
                    grads[edge] = grads[edge] + g
                elif held is None:
                    held, arrived = edge, g
                else:
                    grads[edge] = g
                    heappush(heap, (-edge._sequence, edge))
            gradients = g = None
            if self.awaited is not None:
                self.arrive_early(node)

    def looked_at(self, node: Node, gradient: Any) -> Any:
        """The step of a node at which somebody looks: hooks, `targets`, anomaly detection, the flow of gradients, devices. None
        where no gradient goes on: to a node of several results, or away from the targets."""
        watched, targets, wanted = node._watched, self.targets, self.wanted
        if self.several:
            device_guard.follow(gradient)
        if watched:
            if node._prehooks is not None and (
                targets is not None or type(node) is not Slot or node._retained is not None
            ):
                gradient = _hooked(node._prehooks, gradient, self.raw)
            if node._retained is not None:
                _retain(node, gradient, self.raw)
        if targets is not None and node in targets:
            self.captured[node] = gradient
        if type(node) is Slot:
            self.gather(node, gradient)
            return None
        acting = node
        if wanted is not None:
            kept = [edge in wanted for edge in node._edges]
            if not any(kept):
                if not (
                    watched and self.accumulate and node in self.captured
                ):  # whose hooks see the gradient all the same
                    return None
            elif not all(kept) and isinstance(node, OperatorNode):
                acting = node.narrowed(kept)
        if watched and node._heard:
            _told(node._heard, gradient, self.raw, targets is None)
        if watched and node._awaits is not None:
            node._awaits(self.leaves, self.grads)
        if watched and node._backward_prehooks:
            gradient = _prehooked(node, gradient, self.raw)
            if gradient is None or type(gradient) is list and all([g is None for g in gradient]):
                return [None] * len(node._edges)
        given = None if self.flow is None else self.flow(node, gradient)
        gradients: Any = (
            _watched(node, acting, gradient, self.world) if self.anomaly else acting._step(gradient, self.world)
        )
        if given is not None:
            given(gradients)
        if watched and node._hooks:
            gradients = _posthooked(node, gradients, gradient, self.raw)
        if self.several:
            gradients = device_guard.following(gradients)
        if wanted is not None:
            return [g if on else None for on, g in zip(kept, gradients)]  # noqa: B905 - as in `carry`
        return gradients

    def gather(self, slot: Slot, gradient: Any) -> None:
        """The gradient of one of several results waits at their node for the others."""
        parent = slot._parent
        if self.wanted is not None and parent not in self.wanted:
            return
        many = self.grads.get(parent)
        if many is None:
            many = self.grads[parent] = [None] * parent._outputs
            heappush(self.heap, (-parent._sequence, parent))
        before = many[slot._number]
        many[slot._number] = gradient if before is None else before + gradient

    def counted(self, roots: Sequence[tuple[Node, Any]]) -> dict | None:
        """How many gradients may come to each leaf that somebody hears; None where there is no such leaf."""
        ahead = [each[0] for each in roots]
        seen: set = set(ahead)
        counts: dict = {}
        while ahead:
            for edge in ahead.pop()._edges:
                if type(edge) is AccumulateGrad:
                    if edge._is_heard:
                        counts[edge] = counts.get(edge, 0) + 1
                elif edge is not None and edge not in seen:
                    seen.add(edge)
                    ahead.append(edge)
        for node, _ in roots:  # which may be such a leaf
            counts.pop(node, None)
        return counts or None

    def arrive_early(self, node: Node) -> None:
        """Leaves that somebody hears get their gradients once these are complete, after the step of the last node before them."""
        counts: Any = self.awaited
        for edge in node._edges:
            if edge in counts:
                counts[edge] -= 1
                if not counts[edge] and edge in self.leaves:
                    self.arrive_at(edge)

    def arrive(self) -> None:
        """The leaves get their gradients, in the order in which these became complete."""
        leaves = self.leaves
        while leaves:
            self.arrive_at(next(iter(leaves)))

    def arrive_at(self, node: Any) -> None:
        """A leaf gets its gradient."""
        targets, gradient = self.targets, self.leaves.pop(node)
        if self.several:
            device_guard.follow(gradient)
        if node._prehooks is not None:
            gradient = _hooked(node._prehooks, gradient, self.raw)
        if targets is not None and node in targets:
            self.captured[node] = gradient
        if self.accumulate and (targets is None or node in targets):
            if node._backward_prehooks:
                gradient = _prehooked(node, gradient, self.raw)
            if gradient is not None:
                if len(known) > 1:
                    with adding:
                        node._accumulate(gradient)
                else:
                    node._accumulate(gradient)
                if node._post_hooks:
                    node._tell()
            if node._hooks:
                _posthooked(node, (), gradient, self.raw)


def _retain(node: Node, gradient: Any, raw: bool) -> None:
    for reference in node._retained:
        tensor = reference()
        if tensor is not None:
            value = wrap(fresh(gradient)) if raw else gradient if tensor._grad is not None else gradient.clone()
            tensor._grad = value if tensor._grad is None else tensor._grad + value


def _tensors(gradients: Any, raw: bool) -> tuple:
    many = gradients if isinstance(gradients, (list, tuple)) else [gradients]
    if not raw:
        return tuple(many)
    arrays = [np.asarray(g) if isinstance(g, np.generic | np.ndarray) else g for g in many]
    return tuple([None if g is None else wrap(g) for g in arrays])


def _prehooked(node: Node, gradient: Any, raw: bool) -> Any:
    for hook in list(node._backward_prehooks.values()):  # type: ignore[union-attr]
        given = _tensors(gradient, raw)
        answer = here.given_back(hook, given)
        if answer is not None:
            values = [a._array if raw and a is not None else a for a in _all_answered(given, answer, hook)]
            gradient = values if isinstance(gradient, list) else values[0]
    return gradient


def _posthooked(node: Node, gradients: Any, gradient: Any, raw: bool) -> Any:
    for hook in list(node._hooks.values()):  # type: ignore[union-attr]
        given = _tensors(gradients, raw)
        answer = here.given_back(hook, given, _tensors(gradient, raw))
        if answer is not None:
            gradients = [a._array if raw and a is not None else a for a in _all_answered(given, answer, hook)]
    return gradients


def _say_cause(node: Any) -> None:
    """Warn of what made the node that fails, and of the gradients in whose computation that was. Where warnings are errors it is
    only written, since another error comes."""
    start, did = "Error detected in", "caused the error"
    while node is not None:
        try:
            warn(_cause(node, start, did))
        except Warning as warning:
            if not process.plain:
                raise
            print(f"Warning: {warning}", file=sys.stderr)
        node = node.__dict__.get("inducing")
        start, did = "\n\nPrevious calculation was induced by", "induced the previous calculation"


def _cause(node: Node, start: str, did: str) -> str:
    """What made a node, as far as that was noted."""
    place = node._place
    if process.plain and not isinstance(place, str):
        return f"{start} {node.name()}. {NO_LINES}"
    lines = "\n" + place if isinstance(place, str) else ""
    return f"{start} {node.name()}. Traceback of forward call that {did}:{lines}"


NO_LINES = "No forward pass information available. Enable detect anomaly during forward pass for more information."


def _watched(node: Node, acting: Node, gradient: Any, world: Any) -> Sequence:
    """One step of a node, or of what acts for it, under anomaly detection: where it fails, say what made it."""
    before, here.inducing = here.inducing, node
    try:
        gradients = acting._step(gradient, world)
    except Exception:
        _say_cause(node)
        raise
    finally:
        here.inducing = before
    if state.check_nan:
        for i, g in enumerate(gradients):
            if g is None:
                continue
            array = world.array(g)
            if array.dtype.kind in "fc" and np.isnan(array).any():
                _say_cause(node)
                error = RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
                error._node = node  # type: ignore[attr-defined]
                raise error
    return gradients
