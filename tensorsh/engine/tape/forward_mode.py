"""Forward-mode differentiation: tensors with a tangent, and what becomes of tangents in an operation.

A dual tensor is a tensor on a node of its own, a `DualLeaf`, which holds the tangent. Operations record as ever. The
tangent of a result is the derivative of its gradient by the weight of that gradient: what a backward pass finds at the
leaves is linear in the weight, so that gradient formulas are all that an operator needs for this too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..arrays.dtype import FROM_NUMPY
from ..arrays.state import here
from ..graph.dual import DualLeaf, Outside, TangentsAlone, outside, wants_gradient
from ..loading.table import find_function
from ..tensors.tensor import Tensor, wanting
from .backward import GradientEdge
from .backward import grad as gradients
from .grad_modes import enable_grad


def make(primal: Tensor, view: Tensor, tangent: Tensor, level: int) -> Tensor:
    """A view of all of a tensor, given a tangent."""
    view._node = DualLeaf(primal._node, tangent, level)
    return view


def nodes(node: Any, ends: tuple = (DualLeaf, Outside)) -> list:
    """All nodes that a gradient from here comes to; those behind a DualLeaf are of another tangent, or of none."""
    seen, ahead = {node}, [node]
    while ahead:
        at = ahead.pop()
        for edge in () if isinstance(at, ends) else at._edges:
            if edge is not None and edge not in seen:
                seen.add(edge)
                ahead.append(edge)
    return list(seen)


def weight_of(output: Tensor) -> Tensor:
    """The weight of a gradient that is linear in it: of ones, since formulas may treat 0 as none."""
    return wanting(find_function("ones_like")(output))


@contextmanager
def pushing() -> Iterator[None]:
    """While a gradient is found that is to be differentiated by its weight."""
    before, here.pushing = here.pushing, True
    try:
        yield
    finally:
        here.pushing = before


@contextmanager
def forwards(on: bool = True) -> Iterator[None]:
    """While a function is differentiated forwards; not `on`: while what it calls is not."""
    before = here.tangents
    here.tangents = before + 1 if on else 0
    here.settle()
    try:
        yield
    finally:
        here.tangents = before
        here.settle()


def tangent_of(t: Tensor) -> Tensor | None:
    """The tangent that a tensor has at the level in effect; None if it depends on no dual tensor."""
    node = t._node
    if node is None or here.dual_level < 0:
        return None
    known = [n for n in nodes(node) if type(n) is DualLeaf]
    leaves = [n for n in known if n._counts_now]
    if not leaves:  # a node without any leaf was made for a dual tensor whose elements were then written over
        return None if known or wants_gradient(t) else find_function("zeros_like")(t)
    if type(node) is DualLeaf:
        return node._tangent
    total: Any = None
    with enable_grad(), pushing():
        weight = weight_of(t)
        found = gradients(t, [edge(leaf) for leaf in leaves], weight, create_graph=True, allow_unused=True)
        for part, leaf in zip(found, leaves, strict=True):
            if part is None or part._node is None:
                continue
            (moved,) = gradients(part, [weight], leaf._tangent, create_graph=True, allow_unused=True)
            if moved is not None:
                total = moved if total is None else total + moved
    if total is None:
        return find_function("zeros_like")(t)
    alone = not any(
        [type(n) is DualLeaf for n in nodes(node, (DualLeaf, Outside, TangentsAlone))]
    )  # made under no_grad
    wanted, total = not alone and wants_gradient(total, weight._node) and total._node, total.detach()
    if wanted:
        total._node = outside(wanted.name())(wanted)
    return total


def edge(leaf: DualLeaf) -> GradientEdge:
    made = GradientEdge(leaf, 0)
    made._node = leaf  # type: ignore[attr-defined]
    return made


NOT_INPLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an input inplace, "
    "then the jvp function must modify the corresponding gradient inplace."
)


def _continuous(x: Any) -> bool:
    """Whether something has a tangent: a tensor of real or complex numbers."""
    return isinstance(x, Tensor) and x._array.dtype.kind in "fcV"


def tangents_of(args: tuple) -> list:
    """The tangents of a custom function's arguments, as they are before it is called."""
    return [tangent_of(a) if isinstance(a, Tensor) else None for a in args]


NO_VIEW = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
OTHER_VIEW = "A custom Function is returning a view but the jvp is not returning a view of the {}given grad input."
NO_GRADIENT = (
    "Function's jvp returned a gradient at position {}, but  the corresponding forward output is not a differentiable Tensor."
    "You should return None at that position instead."
)


def check_view(result: Tensor, tangent: Tensor, args: tuple, inputs: list) -> None:
    """RuntimeError: the tangent of a view of an argument is no view of the argument's tangent."""
    for a, x in zip(args, inputs, strict=True):
        if isinstance(a, Tensor) and x is not None and result._root is (a if a._root is None else a._root):
            if tangent is x and type(a._node) is not DualLeaf:
                return  # tangents of what was computed are made when they are asked for: views of nothing
            if tangent._root is None:
                raise RuntimeError(NO_VIEW)
            if tangent._root is not (x if x._root is None else x._root):
                of_view = a._root is not None and type(a._node) is not DualLeaf
                raise RuntimeError(OTHER_VIEW.format("same base as the " if of_view else ""))


def applied(function: Any, node: Any, args: tuple, results: list, inputs: list) -> None:
    """The tangents of the results of a custom function, by its ``jvp``, given those of its arguments."""
    if all(tangent is None for tangent in inputs):
        return
    given = inputs
    if node._materialize:
        zeros = find_function("zeros_like")
        given = [zeros(a) if x is None and _continuous(a) else x for a, x in zip(args, inputs, strict=True)]
    level, here.dual_level, node._pushed = here.dual_level, -1, True
    try:
        answers = function.jvp(node, *given)
    finally:
        here.dual_level, node._pushed = level, False
    answers = answers if isinstance(answers, tuple) else (answers,)
    for at, (result, tangent) in enumerate(zip(results, answers, strict=True)):
        if tangent is not None and (not _continuous(result) or id(result) in node._unmarked):
            raise RuntimeError(NO_GRADIENT.format(at))
        if any(result is d for d in node._dirty) and not any(
            result is a and tangent is x for a, x in zip(args, given, strict=True)
        ):
            raise RuntimeError(NOT_INPLACE)
        if tangent is not None:
            if result._root is not None and not any(result is d for d in node._dirty):
                check_view(result, tangent, args, inputs)
            real = result._node is not None and wants_gradient(result)
            tangent = tangent if tangent._node is None or wants_gradient(tangent) else tangent.detach()
            result._node = DualLeaf(result._node if real else None, tangent, level)


def transposed(node: Any, weights: list) -> list:
    """The gradients of a custom function's operands, as its ``jvp`` tells them, which is linear in their tangents: those of
    tangents of zeros, by the weights of the results."""
    function = node._function
    zeros = find_function("zeros")
    tangents: list = [None] * node._positions
    for place, edge, (shape, kind) in zip(node._places, node._edges, node._metas, strict=True):
        if kind.kind in "fcV" and (edge is not None or node._materialize):
            tangents[place] = wanting(zeros(shape, dtype=FROM_NUMPY[kind]))
    before, here.pushing, node._pushed = here.pushing, False, True
    try:
        with enable_grad():
            clone = find_function("clone")  # it may write into them
            answers = here.given_back(function.jvp, node, *[None if t is None else clone(t) for t in tangents])
            answers = answers if isinstance(answers, tuple) else (answers,)
            known = [
                (answer, weight)
                for answer, weight in zip(answers, weights, strict=True)
                if weight is not None and answer is not None and answer._node is not None
            ]
            wanted = [t for t in tangents if t is not None]
            found = iter(
                gradients([a for a, _ in known], wanted, [w for _, w in known], create_graph=True, allow_unused=True)
                if known
                else [None] * len(wanted)
            )
    finally:
        here.pushing, node._pushed = before, False
    by_place = [None if t is None else next(found) for t in tangents]
    return [None if edge is None else by_place[place] for place, edge in zip(node._places, node._edges, strict=True)]
