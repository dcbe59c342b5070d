"""Shapes of results beside the gradients that are given for them."""

from __future__ import annotations

from typing import Any

from ...engine.tape.backward import GradientEdge


def _calculate_shape(output: Any, grad: Any, is_grads_batched: bool) -> tuple:
    """The shape of a result, and that of its gradient, without the batch's dimension."""
    if isinstance(output, GradientEdge):
        if is_grads_batched:
            raise RuntimeError("Batched grads are not supported with GradientEdge")
        return output._node._shape, grad.shape
    return output.shape, grad.shape[1:] if is_grads_batched else grad.shape
