"""The nodes of gradients that are one kernel in PyTorch: differentiated again they have a name, and depend on all operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..arrays.state import here
from .fields import link, tick, wrap
from .nodes import Node

LINEAR = frozenset(
    f"{name}Backward0"
    for name in """AvgPool2D AvgPool3D AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool2D AdaptiveMaxPool3D
    FractionalMaxPool2D FractionalMaxPool3D MaxPool2DWithIndices MaxPool3DWithIndices ReflectionPad1D ReflectionPad2D
    ReflectionPad3D ReplicationPad1D ReplicationPad2D ReplicationPad3D RreluWithNoise NllLoss NllLoss2D""".split()
)
"""The nodes whose gradients are kernels that have derivatives, with 0 for the operand, of which the gradient is independent."""
TWICE = LINEAR | frozenset(
    f"{name}Backward0"
    for name in """Convolution NativeLayerNorm NativeBatchNorm Elu Hardswish Glu LogSigmoid PreluKernel HuberLoss SmoothL1Loss
    SoftMarginLoss BinaryCrossEntropy""".split()
)
"""These, and those whose derivatives for the operands are what their formulas say."""
ONCE = {
    "HardsigmoidBackward0": "hardsigmoid_backward",
    "MultiMarginLossBackward0": "multi_margin_loss_backward",
    "MultilabelMarginLossBackward0": "multilabel_margin_loss_backward",
}
"""Those whose gradients have none, and the names of these."""


def no_derivative(name: str, listed: bool = False) -> Exception:
    """The error for a gradient, or a tangent, of a kernel that has none; `listed`: where PyTorch's list of derivatives says so."""
    if not here.pushing:
        if listed:
            return NotImplementedError(f"the derivative for '{name}' is not implemented.")
        return RuntimeError(f"derivative for aten::{name} is not implemented")
    if listed:
        return NotImplementedError(
            f"Trying to use forward AD with {name.partition(':')[0]} that does not support it because it has not been implemented yet."
        )
    return NotImplementedError(f"Trying to use forward AD with aten::{name} that does not support it.")


class Refused(Node):
    """The node of a gradient that is not differentiated in turn, and why."""

    _title = "torch::autograd::Error"

    def __init__(self, tensor: Any, why: str) -> None:
        self._edges, self._why = (tensor._node,), why
        self._sequence = tick()

    def _step(self, gradient: Any, world: Any) -> Sequence:
        raise RuntimeError(self._why)


def refused(tensor: Any, why: str) -> Any:
    """A tensor that is not differentiated, since it cannot be."""
    made = wrap(tensor._array)
    made._node = Refused(tensor, why)
    return made


class Underivable(Node):
    """The node of a tensor that a kernel without derivative made, which is said when its gradient is asked for."""

    _title = "NotImplemented"
    _kernel = ""

    def __init__(self, tensor: Any, kernel: str) -> None:
        self._edges = (tensor._node,)
        self._kernel = kernel
        self._sequence = tick()

    def _step(self, gradient: Any, world: Any) -> Sequence:
        raise no_derivative(self._kernel)


Underivable.__name__ = "NotImplemented"


class OfGradient(Node):
    """The node of a gradient: its edges lead to what its formula is made of, then to the operands."""

    _zero = False

    def _step(self, gradient: Any, world: Any) -> Sequence:
        rest = [None] * (len(self._edges) - 1)
        return gradient, *([world.zeros_like(gradient)] if self._zero else rest)


@cache
def named(title: str) -> type:
    """The class of these nodes, by the title of the node whose gradient it is."""
    if title in ONCE:
        return type("NotImplemented", (Underivable,), {"_kernel": ONCE[title]})
    second = title[:-1] + "Backward0"
    body = {"_title": second, "_zero": title in LINEAR, "__module__": "builtins"}
    return type(second, (OfGradient,), body)


def marked(node: Any, found: Sequence) -> Sequence:
    """The gradients of a node, which are to be differentiated, with nodes of their own if they are a kernel's."""
    title = node._title
    if title not in TWICE and title not in ONCE or here.pushing:
        return found
    made: list = []
    for each in found:
        if each is not None:
            second = link(named(title), (each._node, *(node._whole or node)._edges))
            each = wrap(each._array)
            each._node = second
        made.append(each)
    return made


def as_kernel(step: Callable, title: str) -> Callable:
    """The step of the nodes of a title, whose gradients may be a kernel's."""
    if title not in TWICE and title not in ONCE:
        return step

    def _step(self: Any, gradient: Any, world: Any) -> Sequence:
        found = step(self, gradient, world)
        return found if world.raw else marked(self, found)

    return _step
