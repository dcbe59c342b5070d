"""Writes into tensors that a transformed function (`torch.func`) did not make itself, nor was given: they are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..arrays.state import here
from ..graph.fields import Fields

CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation (aten::{}) that "
    "would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly accept "
    "the mutated Tensor(s) as inputs."
)
NAMED = {"true_divide": "div"}
"""Operators by the name that they are called by here."""
TENSOR = frozenset("add_ sub_ mul_ div_".split())
"""Operators of which a number is a tensor, too."""
EITHER = frozenset(
    "eq ne lt le gt ge remainder fmod bitwise_and bitwise_or bitwise_xor lerp pow fill masked_fill".split()
)
"""Operators that have a form of their own for a number as their last operand."""
LISTED = {"scatter_": ("src", "value"), "bernoulli_": ("Tensor", "float"), "clamp_": ("Tensor", "")}
"""The names of the forms with a tensor as the last operand, and with a number, where they are others."""


def captured(t: Any) -> bool:
    """Whether a tensor, or the one whose view it is, was there before the innermost transform began."""
    return bool((t if t._root is None else t._root)._born < here.born)


def refuse(name: str, values: Sequence = ()) -> None:
    """Say which write of a captured tensor is refused: the operator's name, and the form that operands choose."""
    name, _, _ = name.strip("_").partition("_number")
    name = NAMED.get(name, name.removesuffix("_tensor")) + "_"
    last = next((isinstance(v, Fields) for v in reversed(values[1:]) if v is not None), False)
    form = ""
    if name in TENSOR:
        form = "Tensor"
    elif name in LISTED:
        form = LISTED[name][not last]
    elif name[:-1] in EITHER:
        form = "Tensor" if last else "Scalar"
    raise RuntimeError(CAPTURED.format(f"{name}.{form}" if form else name))
