"""Minus the log-probabilities of classes, and their gradient."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..arrays.backend import cupy
from ..ops.losses.classes import reduce
from .checks import flag_of
from .kernels import Elementwise, Raw, dense, empty
from .places import ours
from .rows import FOLDS
from .sources import pieces
from .sums import rows, suits

CODE = pieces(__file__)

NLL = Elementwise(
    "raw T x, raw int64 target, raw T weight, int64 weighted, int64 classes, int64 inner, int64 ignored",
    "T loss, T share, int64 safe, raw int32 flag",
    "long long c = target[i]; bool counts = c != ignored; bool inside = c >= 0 && c < classes;"
    "if (counts && !inside) flag[0] = 1;"
    "safe = counts && inside ? c : 0; share = counts ? (weighted ? weight[safe] : T(1)) : T(0);"
    "loss = counts ? T(-x[(i / inner * classes + safe) * inner + i % inner] * share) : T(0)",
    "tensorsh_nll",
)
NLL_WHOLE = Raw("tensorsh_nll_whole", FOLDS + CODE["NLL_WHOLE"])
"""The sum of the losses of all targets, by one block; given: 1 with weights, 2 for their mean."""
MOST = 1 << 16
"""More targets than this are not for one block."""
NLL_SPREAD = Elementwise(
    "raw T g, raw T share, raw int64 target, raw T total, int64 classes, int64 inner, int64 kind",
    "T y",
    "long long place = i / (classes * inner) * inner + i % inner;"
    "y = i / inner % classes == target[place] && share[place] != T(0)"
    " ? T(-(kind == 2 ? g[place] : g[0]) * (kind == 0 ? T(share[place] / total[0]) : share[place])) : T(0)",
    "tensorsh_nll_spread",
)
"""kind 0: of a mean, 1: of a sum, 2: of each."""


def sizes(shape: tuple) -> tuple[int, int]:
    """How many classes, and how many targets of a sample."""
    return (shape[1], prod(shape[2:])) if len(shape) > 1 else (shape[0], 1)


def nll(
    xp: Any, input: Any, target: Any, weight: Any = None, reduction: str = "mean", ignore_index: int = -100
) -> tuple:
    classes, inner = sizes(input.shape)
    x, where = dense(input), dense(target)
    share, safe = empty(target.shape, x.dtype), empty(target.shape, np.int64)
    if reduction != "none" and 0 < safe.size <= MOST:
        loss, w = empty((), x.dtype), x if weight is None else dense(weight)
        sizes_of = safe.size, classes, inner, int(ignore_index)
        given = np.int32((weight is not None) + 2 * (reduction == "mean"))
        NLL_WHOLE(
            x.dtype, 1, 512 if safe.size > 128 else 128, x, where, w, loss, share, safe, flag_of(x), *sizes_of, given
        )
        return loss, share, safe
    loss = empty(target.shape, x.dtype)
    numbers = map(np.int64, (weight is not None, classes, inner, ignore_index))
    if safe.size:
        w = x if weight is None else dense(weight)
        NLL(x, where, w, *numbers, loss, share, safe, flag_of(x))
    if reduction == "none":
        return loss, share, safe
    total = loss.sum(dtype=x.dtype)
    return total / share.sum(dtype=x.dtype) if reduction == "mean" else total, share, safe


def nll_spread(xp: Any, grad: Any, shape: tuple, share: Any, target: Any, reduction: str) -> Any:
    classes, inner = sizes(tuple(shape))
    out = empty(shape, grad.dtype)
    if out.size:
        share, target, g = (dense(a) for a in (share, target, grad))
        total = rows(share, 1, share.size, 1, ()) if reduction == "mean" else share
        kind = ("mean", "sum", "none").index(reduction)
        NLL_SPREAD(g, share, target, total, np.int64(classes), np.int64(inner), np.int64(kind), out)
    return out


def nll_at_once(input: Any, target: Any, weight: Any = None, *rest: Any) -> tuple | None:
    """Of arrays of the device; None for others, or where classes are no int64."""
    fits = suits(input) and ours(target) and target.dtype == np.int64 and (weight is None or ours(weight))
    return nll(cupy(), input, target, weight, *rest) if fits else None


MULTILABEL = Elementwise(
    "raw T x, raw int64 target, int64 classes", "T loss, T slope", CODE["MULTILABEL"], "tensorsh_multilabel_margin"
)
"""Each class's part in the loss of its row, and its slope; the classes that a row's sample has come first in `target`."""


def multilabel_margin(xp: Any, input: Any, target: Any, reduction: str = "mean") -> tuple:
    classes = input.shape[-1] if input.ndim else 1
    x, y = (xp.ascontiguousarray(a.reshape(-1, max(classes, 1))) for a in (input, target))
    loss, slope = xp.zeros(x.shape, x.dtype), xp.zeros(x.shape, x.dtype)
    if x.size:
        MULTILABEL(x, y, np.int64(classes), loss, slope)
    divide = x.dtype.type(classes)
    losses = (loss.sum(-1) / divide).reshape(input.shape[:-1])
    return reduce(xp, losses, reduction), (slope / divide).reshape(input.shape)


DIRECT: dict[str, Callable] = {"_nll_loss": nll_at_once}
KERNELS: dict[str, Callable] = {
    "_nll_loss": nll,
    "_nll_loss_spread": nll_spread,
    "_multilabel_margin_loss": multilabel_margin,
}
