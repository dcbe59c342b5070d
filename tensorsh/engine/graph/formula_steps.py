"""How a node of an operator gives its gradients: one function for each operator, made when its first node runs.

Most operators have one or two tensors and a formula for each. What their formulas need of what was saved is known from
the declaration, so a step opens just that, without a loop. Everything else goes the general way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.dtype import is_half
from ..numerics.halves import FLOAT32, converted
from .gradient_nodes import marked
from .nodes import FREED, SECOND_TIME


def step_of(operator: Any) -> Callable:
    """The `_step` of an operator's nodes."""
    if operator.joint is not None or operator.lists or len(operator.tensors) > 2:
        return general
    return one(*operator.runners[0]) if len(operator.tensors) == 1 else two(*operator.runners[0], *operator.runners[1])


def one(formula: Any, at: int | None, more: Any) -> Callable:
    """For an operator of one tensor; a formula is called with the slot `at` of what was saved, or with what `more` takes."""

    def _step(self: Any, gradient: Any, world: Any) -> Sequence:
        if at is None:
            found = formula(world, gradient)
        else:
            saved = self._saved
            if saved is FREED:
                raise RuntimeError(SECOND_TIME)
            if more is None:
                found = formula(world, gradient, world.opened(self, saved[at]))
            else:
                opened = world.opened
                found = formula(world, gradient, *[opened(self, entry) for entry in more(saved)])
        metas = self._metas
        if metas is not None and metas[0] is not None and found is not None:
            found = world.fitted(found, metas[0])
        return (found,)

    return general if formula is None else _step


def two(formula: Any, at: int | None, more: Any, formula2: Any, at2: int | None, more2: Any) -> Callable:
    """For an operator of two tensors."""

    def _step(self: Any, gradient: Any, world: Any) -> Sequence:
        first, second = self._edges
        saved = self._saved
        if saved is FREED:
            raise RuntimeError(SECOND_TIME)
        opened = world.opened
        found = found2 = None
        if first is not None and formula is not None:
            if at is None:
                found = formula(world, gradient)
            elif more is None:
                found = formula(world, gradient, opened(self, saved[at]))
            else:
                found = formula(world, gradient, *[opened(self, entry) for entry in more(saved)])
        if second is not None and formula2 is not None:
            if at2 is None:
                found2 = formula2(world, gradient)
            elif more2 is None:
                found2 = formula2(world, gradient, opened(self, saved[at2]))
            else:
                found2 = formula2(world, gradient, *[opened(self, entry) for entry in more2(saved)])
        metas = self._metas
        if metas is not None:
            meta, meta2 = metas
            if meta is not None and found is not None:
                found = world.fitted(found, meta)
            if meta2 is not None and found2 is not None:
                found2 = world.fitted(found2, meta2)
        return found, found2

    return _step


def in_single_precision(x: Any) -> Any:
    """An array in half precision as one in single precision; anything else as it is."""
    if type(x) is list:
        return [in_single_precision(each) for each in x]
    kind = getattr(x, "dtype", None)
    return converted(x, FLOAT32) if kind is not None and is_half(kind) else x


FUSED = frozenset(
    f"{name}Backward0"
    for name in """Softmax LogSoftmax NativeLayerNorm NativeBatchNorm NativeGroupNorm Hardswish Silu Mish Gelu LogSigmoid Softplus
    Tanh Sigmoid SmoothL1Loss BinaryCrossEntropy MaxPool2DWithIndices ReflectionPad1D ReflectionPad2D ReflectionPad3D
    Cummax Cummin EmbeddingBag IndexPut""".split()
)
"""The nodes for which PyTorch has a kernel; the gradients of others it composes of operators, each of which rounds."""


def in_single(self: Any, gradient: Any, world: Any) -> Sequence:
    """In half precision, a formula that is a kernel of PyTorch's: in single precision, and what it gives is rounded once."""
    if world.raw:
        return general(self, in_single_precision(gradient), world, in_single_precision)
    return marked(self, general(self, gradient, world))


def without_elements(gradient: Any) -> bool:
    """Whether what arrives at a node is of a result without elements, on which nothing depends; its formulas could walk a
    batch of 2**40 empty matrices."""
    if type(gradient) is list:
        return all(g is None or type(g) is np.ndarray and not g.size for g in gradient)
    return type(gradient) is np.ndarray and not gradient.size


def general(self: Any, gradient: Any, world: Any, as_used: Callable | None = None) -> Sequence:
    """For any operator."""
    saved = self._saved
    values: Sequence = saved
    if saved:
        if saved is FREED:
            raise RuntimeError(SECOND_TIME)
        opened = world.opened
        values = [opened(self, entry) for entry in saved]
        if as_used is not None:
            values = [as_used(value) for value in values]
    operator = self._operator
    edges = self._edges
    known = world.raw and self._metas is not None and without_elements(gradient)
    if known and all(meta is not None or edge is None for meta, edge in zip(self._metas, edges, strict=False)):
        lost = operator.lost
        return [None if meta is None or i in lost else np.zeros(*meta) for i, meta in enumerate(self._metas)]
    if operator.joint is not None or self._counts is not None:
        gradients = self._apply_jointly(gradient, world, values)
    else:
        gradients = []
        for edge, (formula, first, more) in zip(edges, operator.runners):  # noqa: B905 - one formula an edge
            if edge is None or formula is None:
                gradients.append(None)
            elif first is None:
                gradients.append(formula(world, gradient))
            elif more is None:
                gradients.append(formula(world, gradient, values[first]))
            else:
                gradients.append(formula(world, gradient, *more(values)))
    metas = self._metas
    if metas is not None:
        for i, meta in enumerate(metas):
            if meta is not None and (g := gradients[i]) is not None and edges[i] is not None:
                gradients[i] = world.fitted(g, meta)
    return gradients
