"""Kernels for operators whose own look at elements, though the shapes of their results do not depend on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .array import MetaArray, axis_of

I8 = np.dtype(np.int64)


def ctc_loss(xp: Any, log_probs: Any, *_: Any, **__: Any) -> tuple:
    """A loss for each sequence of [T, N, C], and slopes."""
    return MetaArray(log_probs.shape[1:2], log_probs.dtype), MetaArray(log_probs.shape, log_probs.dtype)


def embedding_bag(xp: Any, weight: Any, indices: Any, bag: Any, bags: int, mode: int, *_: Any, **__: Any) -> tuple:
    """The bags [B, D], and for maxima (mode 2) the rows that they came from."""
    shape = (bags, weight.shape[1])
    return MetaArray(shape, weight.dtype), MetaArray(shape, I8) if mode == 2 else None


def histc(xp: Any, input: Any, bins: int = 100, min: float = 0, max: float = 0) -> MetaArray:
    return MetaArray((bins,), input.dtype)


def masked_scatter_backward(xp: Any, grad: Any, mask: Any, shape: Any) -> MetaArray:
    return MetaArray(shape, grad.dtype)


def mode(xp: Any, input: Any, dim: int = -1, keepdim: bool = False) -> tuple:
    return along(input, dim, 1 if keepdim else None)


def multilabel_margin(xp: Any, input: Any, target: Any, reduction: str = "mean") -> tuple:
    """A loss for each row, or one; with the slopes."""
    shape = input.shape[:-1] if reduction == "none" else ()
    return MetaArray(shape, input.dtype), MetaArray(input.shape, input.dtype)


def topk(xp: Any, input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple:
    return along(input, dim, k)


def along(input: Any, dim: int, count: int | None) -> tuple:
    """Elements chosen along a dimension, so many (None: one, without the dimension), and their places."""
    shape = list(input.shape)
    if shape:
        axis = axis_of(dim, len(shape))
        shape[axis : axis + 1] = [] if count is None else [count]
    return MetaArray(shape, input.dtype), MetaArray(shape, I8)


OPERATORS: dict[str, Callable] = {
    "_ctc_loss": ctc_loss, "_embedding_bag": embedding_bag, "_masked_scatter_backward": masked_scatter_backward,
    "_multilabel_margin_loss": multilabel_margin, "histc": histc, "mode": mode, "topk": topk,
}  # fmt: skip
"""By the operator's name: the kernel that takes the place of its own."""
