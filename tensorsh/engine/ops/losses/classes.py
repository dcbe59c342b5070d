"""Loss functions that PyTorch computes in one step: squared, smooth, likelihood and cross-entropy losses.

`reduction` is "none", "sum" or "mean". A gradient formula first spreads the incoming gradient as the reduction demands.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...arrays.bounds import refuse
from ...arrays.constants import FLOAT32, FLOAT64, INT64
from ...arrays.dtype import is_half
from ...arrays.on_arrays import on_arrays
from ...arrays.promotion import check_kept
from ...arrays.state import here
from ...arrays.warning import warn
from ...graph.fields import fresh, link
from ...kernels import kernel, through, unsuited
from ...loading.table import find_function
from ...numerics.halves import computed
from ...numerics.sums import mean as exact_mean
from ...numerics.sums import sum as exact_sum
from ...operators import pointwise
from ...operators.composite import not_tensor
from ...operators.declare import Array, Constant, composite, operator
from ...tape.worlds import raw
from ...tensors.tensor import Tensor
from ...wording.losses import check_classes, check_probabilities
from ..elementwise.by_number import over, plus, times
from ..reductions.softmax import log_softmax


def reduce(xp: Any, loss: Any, reduction: str) -> Any:
    """The loss as its reduction wants it."""
    if reduction == "none":
        return loss
    if xp is np:
        return exact_mean(loss, None, False) if reduction == "mean" else exact_sum(loss, None, False)
    return loss.mean() if reduction == "mean" else loss.sum()


def gradient_of_each(t: Any, g: Any, like: Any, reduction: str) -> Any:
    """The gradient of each element's loss."""
    size = 1
    for n in like.shape:
        size *= n
    return g / size if reduction == "mean" else g


def check_reduction(reduction: str, words: str | None = None) -> None:
    """words: what is said behind a name that is none."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction" if words is None else reduction + words)


def legacy(size_average: Any, reduce: Any, reduction: str, checked: bool = True) -> str:
    """The reduction that the flags of old stand for. checked: refuse a name that is none."""
    if size_average is None and reduce is None:
        if checked:
            check_reduction(reduction)
        return reduction
    size_average = True if size_average is None else size_average
    chosen = "none" if reduce is not None and not reduce else "mean" if size_average else "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.")
    return chosen


def same_size(input: Tensor, target: Tensor, reduction: str) -> tuple[Tensor, Tensor]:
    """Both broadcast to one shape, with PyTorch's warning where they differ; then the reduction is looked at."""
    if not isinstance(target, Tensor):
        raise not_tensor("mse_loss", input=input, target=target)
    if input._array.shape == target._array.shape:
        check_reduction(reduction)
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely lead to "
        "incorrect results due to broadcasting. Please ensure they have the same size."
    )
    a, b = find_function("broadcast_tensors")(input, target)
    check_reduction(reduction)
    return a, b


def scaled_in_place(slopes: Any, norm: float, g: Any) -> Any:
    if type(slopes) is not np.ndarray or slopes.dtype is not g.dtype or g.size > 1 and g.shape != slopes.shape:
        return None
    if norm != 1:
        np.multiply(slopes, raw.number(norm, slopes), out=slopes)
    return slopes if g.size == 1 and g.flat[0] == 1 else np.multiply(slopes, g, out=slopes)


@on_arrays(scaled_in_place)
def scaled(t: Any, slopes: Any, norm: float, g: Any) -> Any:
    """Slopes, which nothing else holds, times a number and the gradient."""
    return (slopes if norm == 1 else t.number(norm, slopes) * slopes) * g


def pairwise_loss(name: str, value: Any, slope: Any, factor: float = 1.0, wide: bool = True) -> Any:
    """A primitive on input and target with elementwise `value` and the derivative `factor * slope` by the input.

    `wide`: half types are rounded at the end, not after each step."""

    def kernel(xp: Any, input: Array, target: Array, reduction: str = "mean", parameter: float = 1.0) -> Any:
        return reduce(xp, value(xp, input, target, parameter), reduction)

    check = pointwise.refuse(name.removesuffix("_loss") + "_cpu", "biuc")
    options = {"promote": "same input target", "broadcast": True, "scalars": False, "check": check}
    op = operator("_" + name, method=False, wide=wide, **options)(kernel)

    def by_input(t: Any, g: Any, input: Any, target: Any, reduction: str, parameter: float) -> Any:
        norm = factor / prod(np.broadcast_shapes(input.shape, target.shape)) if reduction == "mean" else factor
        return scaled(t, slope(t, input, target, parameter), norm, g)

    op.gradient(
        input=by_input,
        target=lambda t, g, input, target, reduction, parameter: by_input(t, g, target, input, reduction, parameter),
    )
    return op


def _square(xp: Any, x: Any, y: Any, _: float) -> Any:
    if xp is np and (difference := computed(np.subtract, x, y)) is not None:
        return computed(np.multiply, difference, difference)
    difference = xp.subtract(x, y)
    return xp.multiply(difference, difference, out=difference if type(difference) is np.ndarray else None)


_mse = pairwise_loss("mse_loss", _square, lambda t, x, y, _: x - y, factor=2.0, wide=False)


@on_arrays(lambda x, bound: x.clip(-bound, bound, out=x) if type(x) is np.ndarray else raw.clamp(x, -bound, bound))
def bounded(t: Any, x: Any, bound: float) -> Any:
    """``clamp(x, -bound, bound)`` of what nothing else holds, which has no slope at the bounds themselves."""
    return t.where(t.abs(x) >= bound, t.sign(x) * bound, x)


def _smooth(xp: Any, x: Any, y: Any, beta: float) -> Any:
    if beta and (found := through("smooth_l1", x, y, x.dtype.type(beta))) is not None:
        return found
    d = xp.abs(x - y)
    one = d.dtype.type
    return xp.where(d < one(beta), one(0.5) * d * d / one(beta or 1.0), d - one(0.5 * beta))


_smooth_l1 = pairwise_loss(
    "smooth_l1_loss", _smooth,
    lambda t, x, y, beta: bounded(t, x - y if beta == 1 else (x - y) / beta, 1.0) if beta else t.sign(x - y),
)  # fmt: skip


def _huber(xp: Any, x: Any, y: Any, delta: float) -> Any:
    if (found := through("huber", x, y, x.dtype.type(delta))) is not None:
        return found
    d = xp.abs(x - y)
    one = d.dtype.type
    return xp.where(d <= one(delta), one(0.5) * d * d, one(delta) * (d - one(0.5 * delta)))


_huber_loss = pairwise_loss("huber_loss", _huber, lambda t, x, y, delta: bounded(t, x - y, delta))


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The squared difference of input and target.
    The shapes broadcast, with a warning. RuntimeError: they do not; ValueError: another `reduction`."""
    reduction = legacy(size_average, reduce, reduction, False)
    input, target = same_size(input, target, reduction)
    if weight is not None:
        if weight.size() != input.size():
            raise ValueError("Weights and input must have the same size.")
        return weighted(_mse.function(input, target, "none") * weight, weight, reduction)
    return _mse.function(input, target, reduction)


def weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / weight.sum()


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Squared below `beta`, absolute above.
    The shapes broadcast, with a warning. RuntimeError: a negative `beta`."""
    reduction = legacy(size_average, reduce, reduction, False)
    input, target = same_size(input, target, reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0.0:
        return l1_loss(input, target, reduction=reduction)
    return _smooth_l1.function(input, target, reduction, float(beta))


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Squared below `delta`, `delta` times the absolute difference above."""
    same = target.size() == input.size()
    input, target = same_size(input, target, reduction)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if target.dtype is not input.dtype and same:
        check_kept(input, target)
        target = target.to(input.dtype)
    if weight is not None:
        return weighted(_huber_loss.function(input, target, "none", float(delta)) * weight, weight, reduction)
    return _huber_loss.function(input, target, reduction, float(delta))


def reduced(loss: Tensor, reduction: str, words: str | None = None) -> Tensor:
    """A composite loss as its reduction wants it."""
    check_reduction(reduction, words)
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The absolute difference of input and target.
    Of one shape (others broadcast, with a warning). `reduction` 'mean' or 'sum' gives one number, 'none' a loss per
    element; `weight` multiplies each. ValueError: another reduction."""
    reduction = legacy(size_average, reduce, reduction, False)
    input, target = same_size(input, target, reduction)
    loss = (input - target).abs()
    return reduced(loss, reduction) if weight is None else weighted(loss * weight, weight, reduction)


for _f in (mse_loss, smooth_l1_loss, huber_loss, l1_loss):
    composite("nn.functional." + _f.__name__, method=False)(_f)


def check_targets(target: Any, classes: int, counted: Any = True) -> None:
    """IndexError: a class that there is not, among those that count."""
    bad = ((target < 0) | (target >= classes)) & counted
    refuse(bad, lambda: IndexError(f"Target {target[bad][0].item()} is out of bounds."))


@operator(
    "_nll_loss",
    node=lambda input, *rest: "NllLossBackward0" if input.ndim < 3 else "NllLoss2DBackward0",
    method=False,
    outputs=1,
)
def nll(xp, input: Array, target: Array, weight: Constant = None, reduction="mean", ignore_index=-100):
    """Minus the log-probability of each target class; input [N, C, *S] or [C], target [N, *S] or []."""
    found = nll_of_each(input, target, weight, reduction, ignore_index) if xp is np else None
    if found is not None:
        return found
    classes = input.shape[1] if input.ndim > 1 else input.shape[0]
    counted = target != ignore_index
    check_targets(target, classes, counted)
    safe = xp.where(counted, target, 0)
    axis = 1 if input.ndim > 1 else 0
    picked = xp.take_along_axis(input, xp.expand_dims(safe, axis), axis).squeeze(axis)
    # What is not counted has a share of -0, which a class of weight 0 has not.
    share = xp.where(counted, input.dtype.type(1) if weight is None else weight[safe], input.dtype.type(-0.0))
    loss = xp.where(counted, -picked * share, input.dtype.type(0))
    if reduction == "none":
        return loss, share, safe
    halves = xp is np and weight is None and ignore_index < 0  # they are rounded after each addition
    total = nll_kernel(input, target, False) if halves else None
    if total is None:
        total = loss.sum(dtype=input.dtype)
    if reduction == "mean":
        return xp.asarray(total / share.sum(dtype=input.dtype)), share, safe
    return xp.asarray(total), share, safe


def planes_of(shape: tuple) -> tuple:
    """The shape of log-probabilities as samples, classes and places."""
    return (1, *shape, 1) if len(shape) == 1 else (*shape[:2], prod(shape[2:]))


def nll_of_each(input: Any, target: Any, weight: Any, reduction: str, ignored: int) -> Any:
    """What `nll` answers, by the kernel; None where there is none, or a class that there is not."""
    if not input.size or weight is not None and weight.dtype is not input.dtype:
        return None
    losses, shares = np.empty(target.shape, input.dtype), np.empty(target.shape, input.dtype)
    safe = np.empty(target.shape, np.int64)
    flat = input.reshape(planes_of(input.shape))
    total = nll_each_kernel(flat, target, weight, ignored, reduction == "mean", losses, shares, safe)
    return None if total is None else (losses if reduction == "none" else total, shares, safe)


def nll_backward(g, input_shape, result1, result2, reduction):
    found = nll_backward_kernel(g, result2, input_shape) if result1 is None else None
    if found is None and type(g) is np.ndarray:
        check_targets(result2, input_shape[min(1, len(input_shape) - 1)])
    return found


@nll.gradient_of("input")
@on_arrays(nll_backward)
def nll_gradient(t, g, input_shape, result1, result2, reduction):
    """The shares (result1) are None where `quick_nll` made the node: every target counts alike."""
    if result1 is None:
        result1 = t.constant(np.ones(input_shape[0], t.array(g).dtype))
    return t._nll_loss_spread(g, tuple(input_shape), result1, result2, reduction)


def quick_nll(input: Tensor, target: Tensor) -> Tensor | None:
    """The mean of minus the log-probabilities [N, C] of the classes [N], all of them in range; None for other arguments."""
    a, where = input._array, target._array
    kind, shape = a.dtype, a.shape
    if (kind is not FLOAT32 and kind is not FLOAT64 and not is_half(kind)) or where.dtype is not INT64:
        return None
    if type(a) is not np.ndarray or len(shape) != 2 or where.shape != shape[:1] or not a.size:
        return None
    loss = nll_kernel(a, where, True)
    if loss is None:
        return None
    edge = input._node
    if edge is None or not here.grad_enabled:
        return fresh(loss)
    return fresh(loss, link(nll.node_class("NllLossBackward0"), (edge,), (shape, None, target, "mean")))


nll_kernel: Any = kernel("nll", unsuited)
nll_backward_kernel: Any = kernel("nll_backward", unsuited)
nll_each_kernel, nll_spread_kernel = kernel("nll_each", unsuited), kernel("nll_spread", unsuited)


def spread_node(grad, shape, *rest) -> str:
    """The name that PyTorch gives the node of a gradient's gradient, of images another."""
    return "NllLoss2DBackwardBackward0" if len(shape) > 2 else "NllLossBackwardBackward0"


@operator("_nll_loss_spread", method=False, node=spread_node)
def nll_spread(xp, grad: Array, shape, share: Array, target: Array, reduction):
    """The gradient of the log-probabilities: minus each target's share at its class."""
    found = nll_spread_kernel(grad, target, planes_of(shape), share, reduction == "mean") if xp is np else None
    if found is not None:
        return found.reshape(shape)
    if reduction == "mean":
        grad = grad / share.sum(dtype=share.dtype)
    axis = 1 if len(shape) > 1 else 0
    out = xp.zeros(shape, grad.dtype)
    slopes = xp.where((share != 0) | ~xp.signbit(share), -grad * share, grad.dtype.type(0))
    xp.put_along_axis(out, xp.expand_dims(target, axis), xp.expand_dims(slopes, axis), axis)
    return out


def _gathered(t, g, grad_shape, share, target, reduction):
    share = share / t.sum(share) if reduction == "mean" else share
    axis = 1 if g.ndim > 1 else 0
    picked = -t.squeeze(t.gather(g, axis, t.unsqueeze(target, axis)), axis) * share
    return picked if reduction == "none" else t.sum(picked)


nll_spread.gradient(
    grad=lambda t, g, grad_shape, share, target, reduction: _gathered(t, g, grad_shape, share, target, reduction)
)


@composite("nn.functional.nll_loss", method=False)
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Minus the log-probability of each target class; input [N, C, ...] holds log-probabilities, target [N, ...] classes.
    IndexError: a class beyond C; RuntimeError: classes that are no int64."""
    if reduction == "mean" and weight is None and size_average is None and reduce is None and type(target) is Tensor:
        # Below 0 no class of those that the short way takes is ignored.
        quick = quick_nll(input, target) if ignore_index < 0 else None
        if quick is not None:
            return quick
    reduction, ignore_index = legacy(size_average, reduce, reduction), int(ignore_index)
    check_classes(input._array, target._array, None if weight is None else weight._array)
    if input.ndim == 1 and target.ndim == 1:
        target = target.squeeze(0) if target.numel() == 1 else target
    target = target.long()
    if input.ndim < 3 or input.ndim == 4:
        return nll.function(input, target, weight, reduction, ignore_index)
    # PyTorch has a kernel for images only: other dimensions become those of one.
    shape = target.shape
    rows = (shape[0], 1, -1) if target.numel() else (shape[0], 0, 0)
    input = input.contiguous().view(shape[0], input.shape[1], *rows[1:])
    loss = nll.function(input, target.contiguous().view(rows), weight, reduction, ignore_index)
    return loss.view(shape) if reduction == "none" else loss


@composite("nn.functional.cross_entropy", method=False)
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):  # fmt: skip
    """Cross entropy of logits [N, C, ...] with classes [N, ...] or with probabilities of the logits' shape.
    Only targets of `ignore_index` give NaN. IndexError: a class beyond C; ValueError: batch sizes that differ."""
    reduction = legacy(size_average, reduce, reduction)
    if not isinstance(target, Tensor):
        raise not_tensor("cross_entropy_loss", input=input, target=target)
    axis = 0 if input._array.ndim == 1 else 1
    if label_smoothing > 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if input._array.shape == target._array.shape:
        checked = None if weight is None else weight._array
        check_probabilities(input._array, target._array, checked, ignore_index, axis)
    logs = log_softmax.function(input, axis)
    if input._array.shape == target._array.shape:
        return _with_probabilities(logs, target, weight, reduction, label_smoothing, axis)
    if label_smoothing > 0.0:
        return _smoothed(logs, target, weight, reduction, ignore_index, label_smoothing, axis)
    return nll_loss(logs, target, weight, None, ignore_index, None, reduction)


def _with_probabilities(logs, target, weight, reduction, smoothing, axis):
    classes = logs.shape[axis]
    if smoothing > 0.0:
        target = plus(times(target, 1 - smoothing), smoothing / classes)
    terms = logs * target
    if weight is not None:
        terms = terms * weight.view([-1 if i == axis else 1 for i in range(logs.ndim)])
    if reduction == "none":
        return -terms.sum(axis)
    total = -terms.sum()
    return total if reduction == "sum" else over(total, logs.numel() // classes if classes else 0)


def _smoothed(logs, target, weight, reduction, ignore_index, smoothing, axis):
    classes = logs.shape[axis]
    plain = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    spread_out = -(
        logs if weight is None else logs * weight.view([-1 if i == axis else 1 for i in range(logs.ndim)])
    ).sum(axis)
    ignored = target == ignore_index
    spread_out = spread_out.masked_fill(ignored, 0.0)
    if reduction == "mean":
        if weight is None:
            spread_out = spread_out.sum() / (~ignored).sum()
        else:
            chosen = find_function("where")(ignored, 0, target)
            spread_out = spread_out.sum() / weight.gather(0, chosen.flatten()).masked_fill(ignored.flatten(), 0).sum()
    elif reduction == "sum":
        spread_out = spread_out.sum()
    return times(plain, 1 - smoothing) + times(spread_out, smoothing / classes)
