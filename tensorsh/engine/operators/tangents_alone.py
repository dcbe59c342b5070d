"""Calls under ``no_grad`` while forward differentiation is under way: their results have tangents, and want no gradient.

A tangent is found by way of the nodes that a call records. So these are recorded all the same, behind nodes that no backward
pass goes through."""

from __future__ import annotations

from typing import Any

from ..arrays.state import here
from ..graph.dual import TangentsAlone, aside, behind
from ..graph.nodes import AccumulateGrad
from ..tensors.tensor import Tensor

NO_WRITES = frozenset(("__index__", "__int__", "__invert__", "__iter__"))


def mapped(function: Any, value: Any) -> Any:
    """A function of the tensors among values, and in the lists among these."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, (tuple, list)):
        made = [mapped(function, each) for each in value]
        return type(value)._make(made) if hasattr(value, "_make") else type(value)(made)
    return value


def tensors_in(value: Any) -> list:
    """The tensors among values."""
    found: list = []
    mapped(found.append, value)
    return found


def writes(form: Any) -> bool:
    """Whether a form writes into its first operand."""
    name = form._title.rpartition(".")[2]
    return name == "__setitem__" or name[-1] == "_" != name[-2] or name[:3] == "__i" and name not in NO_WRITES


def concerns(form: Any, args: tuple, kwargs: dict) -> bool:
    """Whether the result of a call may have a tangent that only recording it tells."""
    operands = tensors_in((args, tuple(kwargs.values())))
    if not any(t._node is not None for t in operands):
        return False
    return kwargs.get("out") is None and not (writes(form) and type(operands[0]._node) is AccumulateGrad)


class Copies:
    """Operands that stand for those of a call, behind such nodes."""

    def __init__(self, target: Tensor | None) -> None:
        self.target = target
        self.originals: dict[int, tuple] = {}

    def copy(self, t: Tensor) -> Tensor:
        if t is self.target or t._node is None or not (type(t) is Tensor or t._is_parameter):  # type: ignore[attr-defined]
            return t
        made = aside(t)
        self.originals[id(made)] = made, t
        return made

    def original(self, t: Tensor) -> Tensor:
        found = self.originals.get(id(t))
        return t if found is None else found[1]

    def shown(self, t: Tensor) -> bool:
        """Whether a tensor is a view of a copy."""
        return t._root is not None and id(t._root) in self.originals


def called(form: Any, args: tuple, kwargs: dict) -> Any:
    """What a form gives, recorded."""
    here.grad_enabled = True
    try:
        return form(*args, **kwargs)
    finally:
        here.grad_enabled = False


def answer(form: Any, args: tuple, kwargs: dict) -> Any:
    """The answer to such a call."""
    target = tensors_in(args)[0] if writes(form) else None
    if target is not None:
        return written(form, args, kwargs, target)
    copies = Copies(None)
    result = called(form, mapped(copies.copy, args), {name: mapped(copies.copy, x) for name, x in kwargs.items()})
    if any(copies.shown(t) for t in tensors_in(result)):  # a view keeps nothing of its base, and belongs to it
        result = called(form, args, kwargs)
        for t in tensors_in(result):
            t._node = behind(t._node)
    return mapped(copies.original, result)


def written(form: Any, args: tuple, kwargs: dict, target: Tensor) -> Any:
    """The answer to a call that writes into a tensor; a gradient of what is there goes on as if nobody had written."""
    copies = Copies(target)
    owners = [target] if target._root is None else [target, target._root]
    before = [t._node for t in owners]
    for t in owners:
        t._node = behind(t._node)
    between = [t._node for t in owners]
    try:
        return called(form, mapped(copies.copy, args), {name: mapped(copies.copy, x) for name, x in kwargs.items()})
    finally:
        for t, node, known in zip(owners, before, between, strict=True):
            t._node = node if t._node is known else TangentsAlone(t._node, node)
