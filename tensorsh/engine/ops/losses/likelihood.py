"""Losses from likelihoods: binary cross entropy, Kullback-Leibler, Poisson and Gaussian, connectionist temporal classification."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ...arrays.bounds import refuse
from ...arrays.cupy_module import nowhere
from ...arrays.device import absent
from ...arrays.errors import check_broadcast, not_implemented, refuse_halves
from ...arrays.promotion import check_kept, fits_dtype, promote_types
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading.table import find_function
from ...numerics.rounding import log_of_sigmoid, rounded
from ...operators.declare import Array, Constant, composite, operator
from ...operators.pointwise import no_derivative
from ...tape.grad_modes import no_grad
from ...tensors.tensor import Tensor
from ...wording.losses import check_sequences
from ..elementwise.by_number import plus, times
from .classes import check_reduction, gradient_of_each, legacy, reduce, reduced


@operator("_binary_cross_entropy", node="BinaryCrossEntropyBackward0", method=False, wide=True)
def bce(xp, input: Array, target: Array, weight: Constant = None, reduction="mean"):
    """-(y log x + (1 - y) log(1 - x)), logarithms not below -100."""
    outside = [
        (name, ~((x >= 0) & (x <= 1)))
        for name, x in (("input", input), ("target", target))
        if not (
            type(x) is np.ndarray
            and (not x.size or np.minimum.reduce(x, None) >= 0 and np.maximum.reduce(x, None) <= 1)
        )
    ]
    if len(outside) > 1 and xp is np:  # of the first element that is wrong
        outside.sort(key=lambda found: int(found[1].argmax()))
    for name, wrong in outside:
        refuse(wrong, partial(RuntimeError, f"all elements of {name} should be between 0 and 1"))
    low = input.dtype.type(-100)
    loss = (target - 1) * xp.maximum(rounded(xp.log1p, -input), low)
    loss = loss - target * xp.maximum(rounded(xp.log, input), low)
    return reduce(xp, loss if weight is None else loss * weight, reduction)


def _bce_slope(t, g, input, target, weight, reduction):
    slope = g * (input - target) / t.clamp((1 - input) * input, 1e-12)
    return gradient_of_each(t, slope if weight is None else slope * weight, input, reduction)


bce.gradient(
    input=_bce_slope,
    target=lambda t, g, input, weight, reduction: (
        gradient_of_each(t, g, input, reduction)
        * (t.clamp(t.log1p(-input), -100) - t.clamp(t.log(input), -100))
        * (1 if weight is None else weight)
    ),
)


@composite("nn.functional.binary_cross_entropy", method=False)
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Cross entropy of probabilities with targets between 0 and 1.
    A logarithm is at least -100. RuntimeError: input outside [0, 1]; ValueError: shapes that differ."""
    reduction = legacy(size_average, reduce, reduction)
    if target._array.shape != input._array.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. Please "
            "ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(find_function("broadcast_shapes")(target.size(), weight.size()))
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.short} but expected {input.dtype.short}")
    if input._array.dtype.kind in "biuc":
        raise not_implemented("binary_cross_entropy", input._array)
    if weight is not None:
        check_kept(input, weight)
        weight = weight.to(input.dtype)
    return bce.function(input, target, weight, reduction)


@operator("_binary_cross_entropy_with_logits", node="BinaryCrossEntropyWithLogitsBackward0", method=False, wide=True,
          promote="same input target weight pos_weight")  # fmt: skip
def bce_logits(xp, input: Array, target: Array, weight: Constant = None, pos_weight: Constant = None, reduction="mean"):
    """(1 - y) x + log(1 + exp(-x)), weighted; the logarithm in the stable form."""
    log = log_of_sigmoid(xp, input)
    loss = 1 - target
    loss *= input
    loss -= log if pos_weight is None else ((pos_weight - 1) * target + 1) * log
    return reduce(xp, loss if weight is None else loss * weight, reduction)


def _logit_slope(t, g, input, target, weight, pos_weight, reduction):
    p = t.sigmoid(input)
    if pos_weight is None:
        slope = p - target
    else:
        positive = pos_weight * target
        slope = (positive + 1 - target) * p - positive
    slope = slope * g
    return gradient_of_each(t, slope if weight is None else slope * weight, slope, reduction)


bce_logits.gradient(
    input=_logit_slope,
    target=lambda t, g, input, target, weight, pos_weight, reduction: (
        gradient_of_each(t, g, input, reduction)
        * (-input if pos_weight is None else t.logsigmoid(-input) - pos_weight * t.logsigmoid(input))
        * (1 if weight is None else weight)
    ),
)


@composite("nn.functional.binary_cross_entropy_with_logits", method=False)
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):  # fmt: skip
    """Cross entropy of logits with targets between 0 and 1, stable for large logits.
    ValueError: shapes that differ."""
    reduction = legacy(size_average, reduce, reduction)
    if target._array.shape != input._array.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if target._array.dtype.kind == "b" and input._array.dtype.kind != "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
            "instead."
        )
    if input._array.dtype.kind in "biu":
        raise not_implemented("log_sigmoid_cpu", input._array)
    if target._array.dtype.kind in "iu":
        fits_dtype(target.dtype, input.dtype)
    if input.dtype is target.dtype:
        pass
    elif input.dtype.is_floating_point and promote_types(input.dtype, target.dtype) is not target.dtype:
        input = input.to(target.dtype)  # the result is written into a tensor of the target's dtype
    if weight is not None:
        check_kept(target, weight)
        weight = weight.to(target.dtype)
    if pos_weight is not None:
        check_broadcast([pos_weight, target])
        if pos_weight._array.dtype.kind == "b":
            pos_weight = pos_weight - 1  # which is refused
        check_kept(target, pos_weight)
        pos_weight = pos_weight.to(target.dtype)
    return bce_logits.function(input, target, weight, pos_weight, reduction)


@composite("nn.functional.kl_div", method=False)
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """The Kullback-Leibler divergence of log-probabilities `input` from probabilities `target`.
    ``target * (log(target) - input)`` for each element; with `log_target` the target is a logarithm, too. `reduction`
    'batchmean' is the divergence as it is defined, 'mean' divides by all elements (with a warning), 'sum' and 'none'
    do not."""
    if reduction == "batchmean":
        reduction = "sum"
        batch = input.shape[0] if input.ndim else None
    else:
        reduction = legacy(size_average, reduce, reduction)
        batch = None
        if reduction == "mean":
            warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only "
                "by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
                "'batchmean' in the next major release."
            )
    for each in (input, target):
        if each._array.dtype.kind in "biuc":
            kind = "Complex" if each._array.dtype.kind == "c" else "Integral"
            raise RuntimeError(f"kl_div: {kind} inputs not supported.")
    loss = target.exp() * (target - input) if log_target else find_function("xlogy")(target, target) - target * input
    loss = reduced(loss, reduction)
    return loss if batch is None else loss / batch


@composite("nn.functional.poisson_nll_loss", method=False)
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):  # fmt: skip
    """Minus the log-likelihood of counts under Poisson rates (or their logarithms)."""
    reduction = legacy(size_average, reduce, reduction, False)
    check_reduction(reduction, " is not a valid value for reduction")
    loss = input.exp() - target * input if log_input else input - target * plus(input, eps).log()
    if full:
        stirling = target * target.log() - target + times(times(target, 2 * math.pi).log(), 0.5)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


@composite("nn.functional.gaussian_nll_loss", method=False)
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Minus the log-likelihood of targets under normal distributions of given means and variances."""
    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * find_function("ones_like")(input)
    if var.size() != input.size():
        if tuple(input.size())[:-1] == tuple(var.size()):
            var = var.unsqueeze(-1)
        elif not (tuple(input.size())[:-1] == tuple(var.size())[:-1] and var.size(-1) == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    if bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def _extended(targets: np.ndarray, blank: int) -> np.ndarray:
    """A label sequence with blanks before, between and after."""
    out = np.full(2 * len(targets) + 1, blank, np.int64)
    out[1::2] = targets
    return out


def _forward(logs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """log alpha [T, 2L+1] of the CTC recursion (Graves et al. 2006, eq. 6)."""
    states = len(labels)
    alpha = np.full((len(logs), states), -np.inf)
    alpha[0, :2] = logs[0, labels[:2]]
    skip = np.zeros(states, bool)
    skip[2:] = labels[2:] != labels[:-2]
    skip[::2] = False
    for step in range(1, len(logs)):
        before = alpha[step - 1]
        total = np.logaddexp(before, np.concatenate(([-np.inf], before[:-1])))
        jump = np.concatenate(([-np.inf, -np.inf], before[:-2]))[:states]
        total = np.where(skip, np.logaddexp(total, jump), total)
        alpha[step] = total + logs[step, labels]
    return alpha


@operator("_ctc_loss", node="CtcLossBackward0", method=False, outputs=1, long="hosted")
def ctc(xp, log_probs: Array, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    """Minus the log-probability of each label sequence; log_probs [T, N, C]."""
    steps, batch, classes = log_probs.shape
    targets = in_rows_of(targets, target_lengths)
    real = np.arange(targets.shape[1]) < np.asarray(target_lengths)[:, None]
    wrong = ((targets < 0) | (targets >= classes)) & real
    if wrong.any():  # there PyTorch reads memory that is not its own
        raise IndexError(f"Target {targets[wrong][0]} is out of bounds.")
    forward = np.zeros(steps * batch * (2 * targets.shape[1] + 5))  # not all is written, and programs may read it
    losses = alignments(log_probs, targets, np.array([input_lengths, target_lengths]), blank, forward)
    if losses is not None:
        if zero_infinity:
            losses[np.isinf(losses)] = 0
        return losses, forward
    losses, slopes = summed_alignments(log_probs, targets, input_lengths, target_lengths, blank)
    if zero_infinity:
        bad = np.isinf(losses)
        losses[bad] = 0
        slopes[:, bad] = 0
    return losses.astype(log_probs.dtype, copy=False), slopes.astype(log_probs.dtype, copy=False)


alignments, alignment_slopes = kernel("alignments", unsuited), kernel("alignment_slopes", unsuited)


def in_rows_of(targets: np.ndarray, lengths: list[int]) -> np.ndarray:
    """Labels that come in a row for all samples, as a row for each."""
    if targets.ndim == 2:
        return np.ascontiguousarray(targets, np.int64)
    rows = np.zeros((len(lengths), max(lengths, default=0)), np.int64)
    for row, end, length in zip(rows, np.cumsum(lengths), lengths, strict=True):
        row[:length] = targets[end - length : end]
    return rows


def summed_alignments(log_probs: Any, targets: Any, input_lengths: list, target_lengths: list, blank: int) -> tuple:
    """Losses and slopes sample by sample, without the kernel."""
    losses, slopes = np.zeros(log_probs.shape[1]), np.zeros(log_probs.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        for n, length in enumerate(target_lengths):
            labels = _extended(targets[n, :length], blank)
            logs = log_probs[: input_lengths[n], n].astype(np.float64)
            if not len(logs):
                losses[n] = np.inf if length else -0.0
                continue
            alpha = _forward(logs, labels)
            beta = _forward(logs[::-1], labels[::-1])[::-1, ::-1]
            ends = alpha[-1, -2:] if len(labels) > 1 else alpha[-1, -1:]
            total = np.logaddexp.reduce(ends)
            losses[n] = -total
            joint = alpha + beta - logs[:, labels]
            slope = np.zeros(logs.shape)
            for s, label in enumerate(labels):
                slope[:, label] += np.exp(joint[:, s] - total)
            slopes[: len(logs), n] = -slope
    return losses, slopes


def slopes_left(log_probs: Any, forward: Any, targets: Any, steps: list, labels: list, blank: int, zeros: bool) -> Any:
    """The slopes by the likelihoods that the kernel has left."""
    rows = in_rows_of(targets, labels)
    found = alignment_slopes(log_probs, rows, np.array([steps, labels]), blank, forward, bool(zeros))
    if found is None:  # a hook has given other numbers
        raise not_implemented("ctc_loss_backward_cpu", log_probs)
    return found


@operator("_ctc_loss_backward", node="CtcLossBackwardBackward0", method=False)
def ctc_slope(xp, grad: Array, log_probs: Array, found: Array, targets, steps, labels, blank, zeros):
    """Zero where a sequence has no step or was zeroed; elsewhere exp(x) minus the posterior of each class."""
    slopes = found if found.ndim > 1 else slopes_left(log_probs, found, targets, steps, labels, blank, zeros)
    used = (slopes != 0).any(-1, keepdims=True)
    return xp.where(used, (xp.exp(log_probs) + slopes) * grad[..., None], 0)


ctc_slope.gradient(grad=no_derivative("_ctc_loss_backward"), log_probs=no_derivative("_ctc_loss_backward"))

# PyTorch's gradient is that with respect to the activations before a log_softmax.
ctc.gradient(
    log_probs=lambda t, g, log_probs, result1, targets, input_lengths, target_lengths, blank, zero_infinity: (
        t._ctc_loss_backward(g, log_probs, result1, targets, input_lengths, target_lengths, blank, zero_infinity)
    )
)


@composite("nn.functional.ctc_loss", method=False)
def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False
):  # fmt: skip
    """Connectionist temporal classification loss; log_probs [T, N, C] or [T, C], targets [N, S] or all in a row."""
    check_reduction(reduction)
    if any(isinstance(v, Tensor) and absent(v._array) for v in (input_lengths, target_lengths)):
        raise nowhere().refusal("_ctc_loss.Tensor")
    lengths = [
        v.tolist() if isinstance(v, Tensor) else list(v) if isinstance(v, (list, tuple)) else v
        for v in (input_lengths, target_lengths)
    ]
    single = log_probs.ndim == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
        lengths = [[v] if isinstance(v, int) else v for v in lengths]
    check_sequences(log_probs._array, targets._array, *lengths, blank)
    refuse_halves("ctc_loss_cpu", log_probs._array)
    loss = ctc.function(log_probs, targets._array, *lengths, blank, zero_infinity)
    if zero_infinity:
        loss = find_function("where")(loss == math.inf, find_function("zeros")((), dtype=loss.dtype), loss)
    if single:
        loss = loss.squeeze(0)
    if reduction == "mean":
        sizes = wrap(np.maximum(np.asarray(lengths[1]), 1)).to(loss.device, loss.dtype)
        return (loss / sizes).mean()
    return loss.sum() if reduction == "sum" else loss
