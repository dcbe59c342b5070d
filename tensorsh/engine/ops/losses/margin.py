"""Margin and embedding losses: hinge, ranking, cosine, triplet, multi-class and multi-label margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.errors import refuse_halves
from ...arrays.promotion import check_kept
from ...kernels import kernel, through, unsuited
from ...loading.table import find_function
from ...numerics.rounding import log_of_one_more
from ...operators.declare import Array, Constant, composite, operator
from ...wording.losses import check_cosine, check_margin, check_multilabel, check_triplet
from ..elementwise.by_number import minus, plus
from .classes import gradient_of_each, legacy, reduce, reduced


@operator("_soft_margin_loss", node="SoftMarginLossBackward0", method=False, wide=True, promote="same input target")
def soft_margin(xp, input: Array, target: Constant, reduction="mean"):
    """log(1 + exp(-y x))."""
    losses = through("soft_margin", input, target) if xp is np else None
    return reduce(xp, log_of_one_more(xp, -input * target) if losses is None else losses, reduction)


@soft_margin.gradient_of("input")
def soft_margin_slope(t, g, input, target, reduction):
    z = t.exp(-target * input)
    return target * z * -gradient_of_each(t, 1.0, input, reduction) / (z + 1) * g


@composite("nn.functional.soft_margin_loss", method=False)
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-y x)) for targets y of 1 and -1."""
    reduction = legacy(size_average, reduce, reduction)
    if input._array.dtype.kind == "b":
        input = -input  # which is refused
    if input._array.dtype.kind in "iu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.short}")
    check_kept(input, target)
    if target._array.dtype is not input._array.dtype:
        target = target.to(input.dtype)
    return soft_margin.function(input, target, reduction)


def from_number(number, input):
    """A number less a tensor, with the number as an operand: the node has a place for it."""
    return find_function("sub")(find_function("tensor")(number, dtype=input.dtype), input)


@composite("nn.functional.hinge_embedding_loss", method=False)
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """x where the target is 1, max(0, margin - x) where it is -1.
    Of one shape. `reduction` 'mean' or 'sum' gives one number, 'none' a loss per element."""
    reduction = legacy(size_average, reduce, reduction)
    zero = find_function("zeros_like")(input)
    below = find_function("where")(target != 1, from_number(margin, input).clamp_min(0), zero)
    same = find_function("where")(target != -1, input, zero)
    return reduced(below + same, reduction)


@composite("nn.functional.margin_ranking_loss", method=False)
def margin_ranking_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -y (x1 - x2) + margin)."""
    if not input1._array.ndim == input2._array.ndim == target._array.ndim:
        raise RuntimeError(
            f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.size()}, input2: "
            f"{input2.size()}, target: {target.size()} "
        )
    return reduced(plus(-target * (input1 - input2), margin).clamp_min(0), legacy(size_average, reduce, reduction))


@composite("nn.functional.cosine_embedding_loss", method=False)
def cosine_embedding_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    eps = 1e-12
    dim = target.ndim
    check_cosine(input1, input2, target)
    product = (input1 * input2).sum(dim)
    squares = plus((input1 * input1).sum(dim), eps) * plus((input2 * input2).sum(dim), eps)
    cosine = product / squares.sqrt()
    zero = find_function("zeros_like")(cosine)
    where = find_function("where")
    loss = where(target == 1, from_number(1, cosine), zero)
    loss = loss + where(target == -1, minus(cosine, margin).clamp_min(0), zero)
    return reduced(loss, legacy(size_average, reduce, reduction))


@composite("nn.functional.triplet_margin_loss", method=False)
def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    check_triplet(anchor, positive, negative)
    distance = find_function("nn.functional.pairwise_distance")
    near, far = distance(anchor, positive, p, eps), distance(anchor, negative, p, eps)
    if swap:
        far = find_function("minimum")(far, distance(positive, negative, p, eps))
    return reduced((plus(near, margin) - far).clamp_min(0), legacy(size_average, reduce, reduction))


@composite("nn.functional.triplet_margin_with_distance_loss", method=False)
def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):  # fmt: skip
    """The triplet loss with a distance of one's own."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    check_triplet(anchor, positive, negative)
    distance = find_function("nn.functional.pairwise_distance") if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = find_function("minimum")(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


@operator("_multi_margin_loss", node="MultiMarginLossBackward0", method=False, wide=True)
def multi_margin(xp, input: Array, target: Array, p=1, margin=1.0, weight: Constant = None, reduction="mean"):
    """The sum over other classes of max(0, margin - x[y] + x[i])^p, divided by their number."""
    x, y = (input.reshape(1, -1), target.reshape(1)) if input.ndim < 2 else (input, target)
    found = compiled_margin(x, y, weight, margin, p == 2) if xp is np else None
    if found is not None:
        n = x.dtype.type(x.shape[1])
        return reduce(xp, (found[0] / n).reshape(target.shape), reduction), (found[1] / n).reshape(input.shape)
    rows = xp.arange(len(x))
    own = x[rows, y][:, None]
    hinge = xp.maximum(margin - own + x, 0).astype(x.dtype)
    hinge[rows, y] = 0
    slope = (hinge > 0).astype(x.dtype) if p == 1 else 2 * hinge
    loss = hinge if p == 1 else hinge * hinge
    if weight is not None:
        loss, slope = loss * weight[y][:, None], slope * weight[y][:, None]
    slope[rows, y] = 0 - slope.sum(1)  # no zero is negative
    n = x.dtype.type(x.shape[1])
    loss = (loss.sum(1) / n).reshape(target.shape)
    return reduce(xp, loss, reduction), (slope / n).reshape(input.shape)


compiled_margin: Any = kernel("multi_margin", unsuited)


@multi_margin.gradient_of("input")
def by_row(t, g, input_shape, result1, reduction):
    """The gradient where there is one loss for each row, of slope `result1`."""
    if reduction == "mean" and len(input_shape) > 1:
        g = g / input_shape[0]
    return result1 * (t.unsqueeze(g, -1) if reduction == "none" and g.ndim else g)


@composite("nn.functional.multi_margin_loss", method=False)
def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    """The margin by which other classes come near the target class; input [N, C], target [N]."""
    reduction = legacy(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    check_margin(input._array, target._array, None if weight is None else weight._array)
    return multi_margin.function(input, target, p, float(margin), weight, reduction)


compiled_multilabel: Any = kernel("multilabel_margin", unsuited)


@operator("_multilabel_margin_loss", node="MultilabelMarginLossBackward0", method=False, wide=True)
def multilabel_margin(xp, input: Array, target: Array, reduction="mean"):
    """The sum over target and other classes of max(0, 1 - (x[y] - x[i])), divided by the number of classes."""
    x, y = (a.reshape(-1, a.shape[-1]) if a.ndim else a.reshape(1, 1) for a in (input, target))
    if (found := compiled_multilabel(x, y)) is not None:
        return by_classes(xp, found[0], found[1], input, reduction)
    ended = xp.cumsum(y < 0, axis=1) > 0
    rows, places = xp.nonzero(~ended)
    own = xp.zeros(x.shape, bool)
    own[rows, y[rows, places]] = True
    loss = xp.zeros(len(x), x.dtype)
    slope = xp.zeros(x.shape, x.dtype)
    for row, place in zip(rows.tolist(), places.tolist(), strict=True):
        label = int(y[row, place])
        gap = xp.where(own[row], 0, 1 - (x[row, label] - x[row]))
        active = gap > 0
        loss[row] += gap[active].sum()
        slope[row, active] += 1
        slope[row, label] -= active.sum()
    return by_classes(xp, loss, slope, input, reduction)


def by_classes(xp, loss, slope, input, reduction):
    """The loss and its slope, divided by the number of classes."""
    divide = input.dtype.type(input.shape[-1] if input.ndim else 1)
    losses = (loss / divide).reshape(input.shape[:-1])
    return reduce(xp, losses, reduction), (slope / divide).reshape(input.shape)


multilabel_margin.gradient(input=by_row)


@composite("nn.functional.multilabel_margin_loss", method=False)
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The margin by which classes outside a set come near those within; target lists classes, ended by -1."""
    reduction = legacy(size_average, reduce, reduction)
    check_multilabel(input._array, target._array)
    refuse_halves("multilabel_margin_loss_forward_out_frame", input._array)
    return multilabel_margin.function(input, target, reduction)


@composite("nn.functional.multilabel_soft_margin_loss", method=False)
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over classes of the binary cross entropy of logits with labels 0 and 1."""
    reduction = legacy(size_average, reduce, reduction, False)
    logsigmoid = find_function("nn.functional.logsigmoid")
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    if not input.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    return reduced(loss.sum(input.ndim - 1) / input.shape[-1], reduction, " is not valid")
