"""``torch.cond`` and ``torch.while_loop``: a branch and a loop as functions. They are run as they stand, nothing is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.tensors.tensor import Tensor

__all__ = ["cond", "while_loop"]


def _decided(pred: Any) -> bool:
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return bool(pred)


def cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """What `true_fn` gives for the operands, or, where `pred` is false, what `false_fn` does."""
    return (true_fn if _decided(pred) else false_fn)(*operands)


def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: tuple | list) -> Any:
    """`body_fn` called again and again on what it gave, as long as `cond_fn` holds of it."""
    carried: Any = tuple(carried_inputs)
    while _decided(cond_fn(*carried)):
        found = body_fn(*carried)
        carried = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    return carried
