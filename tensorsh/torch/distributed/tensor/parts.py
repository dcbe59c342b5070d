"""The parts of tensors: a tensor in parts is made of one, and gives it back as a plain tensor."""

from __future__ import annotations

from typing import Any

from ....engine.graph.fields import Version, new, wrap
from ....engine.graph.nodes import AccumulateGrad
from ....engine.tape.function import Function
from ....engine.tensors.tensor import Tensor
from .placement_types import Partial, Replicate

_kinds: list[type] = []
beside_parts: set[str] = set()
"""Functions that take plain tensors beside those in parts just now: as whole ones."""


def bind(kind: type) -> None:
    """Tell which class tensors in parts are of."""
    _kinds[:] = [kind]


def in_parts(value: Any) -> bool:
    """Whether a value is a tensor in parts."""
    return isinstance(value, _kinds[0])


def gradient_placements(placements: tuple) -> tuple:
    """How a gradient lies: as its tensor, and whole where that is in terms."""
    return tuple(Replicate() if isinstance(each, Partial) else each for each in placements)


def placed_tensor(local: Tensor, mesh: Any, placements: tuple, shape: tuple, kind: Any = None) -> Any:
    """The DTensor of a part. TypeError: it is no tensor."""
    if not isinstance(local, Tensor):
        raise TypeError(f"a part of a DTensor is a Tensor, not {type(local).__name__}")
    made = new(_kinds[0] if kind is None else kind)
    made._array, made._node, made._cell = local._array, local._node, local._cell
    made._inference = local._inference
    if type(local._node) is AccumulateGrad:
        made._node = _FromTorchTensor.apply(local)._node  # type: ignore[attr-defined]
    made.__dict__.update(_mesh=mesh, _placements=placements, _shape=tuple(shape))
    return made


class _FromTorchTensor(Function):
    """A leaf as a tensor of a graph: what has its node is no leaf."""

    @staticmethod
    def forward(ctx: Any, local: Tensor) -> Tensor:
        return wrap(local._array)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


class _ToTorchTensor(_FromTorchTensor):
    """The part of a tensor in parts."""


def local_of(t: Any) -> Tensor:
    """The part of a DTensor as a plain tensor with the same history."""
    made = wrap(t._array)
    made._node = t._node
    if t._cell is None:
        t._cell = Version()
    made._cell = t._cell
    return made
