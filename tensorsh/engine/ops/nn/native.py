"""Functions of ``torch`` itself that ``nn.functional`` wraps: normalisation, dropout, convolution and losses, with their arguments in order."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.dtype import of
from ...arrays.errors import unmet
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...loading.table import find_function
from ...numerics.products import affine
from ...operators.declare import Array, composite, operator
from ...tape.worlds import differentiable
from ...wording.convolution import tuples
from ..random.sampling import source
from .activation import only_floats
from .convolution import convolution, gradients
from .normalization import check_group, check_parameters, group, input_rstd, of_batch, statistics, update


@operator("_group_norm_statistics", node="NativeGroupNormBackward0", outputs=3, method=False, wide=True)
def group_statistics(xp, input: Array, weight: Array = None, bias: Array = None, num_groups=1, eps=1e-5):
    """input normalised over groups of channels, with the groups' means and reciprocal deviations [N, groups]."""
    y, mean, rstd = group.kernel(xp, input, weight, bias, num_groups, eps)
    return y, mean.reshape(-1, num_groups), rstd.reshape(-1, num_groups)


@group_statistics.joint_gradient
def _(t, g, needs, input, weight, num_groups, result1, result2):
    keep = lambda v: v.reshape((*v.shape, 1))
    whole = (input.shape[0], num_groups, prod(input.shape[1:]) // num_groups)
    mean, rstd = keep(result1), keep(result2)
    found = [None, None, None]
    if g[0] is not None:
        found = list(group.joint(t, g[0], needs, input, weight, num_groups, mean, rstd))
    if needs[0] and (g[1] is not None or g[2] is not None):
        more = 0.0
        if g[1] is not None:
            more = more + t.expand(keep(g[1]), whole) / whole[2]
        if g[2] is not None:
            more = more - (input.reshape(whole) - mean) * (keep(g[2]) * rstd**3 / whole[2])
        more = more.reshape(input.shape)
        found[0] = more if found[0] is None else found[0] + more
    return found


@composite("native_group_norm", method=False)
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """`group_norm` of an input of N * C * HxW elements, with the groups' means and reciprocal deviations."""
    check_group(input, group, weight, bias)
    if input.numel() != N * C * HxW:
        raise RuntimeError(unmet("X.numel() == N * C * HxW"))
    return group_statistics.function(input, weight, bias, group, float(eps))


@operator("_fused_rms_norm", node="FusedRmsNormBackward0", outputs=1, method=False)
def rms(xp, input: Array, normalized_shape, weight: Array = None, eps=1e-5):
    """input divided by the root of the mean square over the last dimensions; also the reciprocal of that, in one pass on a GPU."""
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    rstd = input.dtype.type(1) / xp.sqrt((input * input).mean(axes, keepdims=True) + input.dtype.type(eps))
    y = input * rstd
    return y if weight is None else y * weight, rstd


@rms.joint_gradient
def _(t, g, needs, input, normalized_shape, weight, result1):
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    n = prod(normalized_shape)
    rstd = t.kept(result1, input_rstd, t, input, axes, result1, n)
    xhat = input * rstd
    dx = None
    if needs[0]:
        scaled = g if weight is None else g * weight
        dx = (scaled - xhat * (t.sum(scaled * xhat, axes, keepdim=True) / n)) * rstd
    outer = tuple(range(input.ndim - len(normalized_shape)))
    dw = g * xhat if needs[1] else None
    return dx, t.sum(dw, outer) if needs[1] and outer else dw


@composite("native_batch_norm", method=False)
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """`batch_norm`, with the batch's means and reciprocal deviations (empty in evaluation)."""
    y = of_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)
    x = input._array
    xp = module_of([x])
    if not training:
        empty = xp.empty(0, x.dtype)
        return y, wrap(empty), wrap(empty.copy())
    mean, var, _ = statistics(xp, x, (0, *range(2, x.ndim)))
    return y, wrap(mean.reshape(-1)), wrap(1 / xp.sqrt(var.reshape(-1) + x.dtype.type(eps)))


@operator("_batch_norm_statistics", outputs=2, method=False, check=only_floats("batch_norm_update_stats_cpu"))
def batch_statistics(xp, input: Array):
    """The means of the channels of a batch [N, C, *S], and their variances."""
    found = statistics(xp, input.astype(np.float64), (0, *range(2, input.ndim)))[:2]
    return tuple([v.reshape(-1).astype(input.dtype) for v in found])


@composite("batch_norm_update_stats", method=False)
def batch_norm_update_stats(input, running_mean, running_var, momentum):
    """The means of the channels of a batch [N, C, *S], and their variances, toward which the running statistics move by the
    momentum (the variance unbiased)."""
    input.size(1)
    if not input.numel():
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(input.shape)}")
    wider = running_mean is not None and input.is_floating_point()
    mean, var = batch_statistics.function(input.to(running_mean.dtype) if wider else input)
    check_parameters("batch_norm", input, None, None, running_mean, running_var)
    kept = [None if v is None else v._array for v in (running_mean, running_var)]
    update((*kept, momentum), mean._array, var._array, input.numel() // input.shape[1])
    for v in (running_mean, running_var):
        if v is not None:
            v._bump()
    return mean, var


@composite("batch_norm", method=False)
def torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    """``nn.functional.batch_norm`` with its arguments in order."""
    return of_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)


@operator("native_dropout", outputs="_ (_)", method=False)
def native_dropout(xp, input: Array, p, train):
    """Dropout, with the mask of what was kept."""
    if train is False or p == 0:
        return input.copy(), xp.ones(input.shape, bool)
    g = source(None, like=input)
    mask = g.samplers.bernoulli_mask(g, input.shape, 1.0 - p)
    scale = input.dtype.type(0 if p == 1 else 1 / (1 - p))
    return input * mask * scale, mask


native_dropout.gradient(
    input=lambda t, g, p, train, result1: g[0] * result1 * (0 if p == 1 else 1 / (1 - p) if train else 1)
)


def _dropout(name: str, other: str, *inplace: bool) -> None:
    """A dropout of ``torch``."""

    def drop(input, p, train):
        return find_function("nn.functional." + other)(input, p, train, *inplace)

    drop.__doc__ = f"``nn.functional.{other}`` with its arguments in order{', in place' if inplace else ''}."
    composite(name, method=False)(drop)


_dropout("dropout_", "dropout", True)
for _name, _other in ("feature_dropout", "dropout2d"), ("alpha_dropout",) * 2, ("feature_alpha_dropout",) * 2:
    _dropout(_name, _other)
    _dropout(_name + "_", _other, True)


def _losses() -> None:
    """Losses as ``torch`` has them: what they return is a number, 0 the losses themselves, 1 their mean, 2 their sum."""
    pair = {"input": None, "target": None}
    triple = {"input1": None, "input2": None, "target": None}
    for name, settings in (
        ("binary_cross_entropy_with_logits", pair | {"weight": None, "pos_weight": None}),
        ("cosine_embedding_loss", triple | {"margin": 0.0}),
        ("ctc_loss", dict.fromkeys(("log_probs", "targets", "input_lengths", "target_lengths")) | {"blank": 0}),
        ("hinge_embedding_loss", pair | {"margin": 1.0}),
        ("kl_div", pair),
        ("margin_ranking_loss", triple | {"margin": 0.0}),
        ("poisson_nll_loss", pair | dict.fromkeys(("log_input", "full", "eps"))),
        (
            "triplet_margin_loss",
            dict.fromkeys(("anchor", "positive", "negative")) | {"margin": 1.0, "p": 2, "eps": 1e-6, "swap": False},
        ),
    ):
        settings = settings | {"reduction": 0}  # not the mean, which PyTorch's signature shows
        names = (*settings, *(("zero_infinity",) if name == "ctc_loss" else ()))

        def loss(
            *args: Any, _name: str = name, _names: tuple = names, _settings: dict = settings, **kwargs: Any
        ) -> Any:
            if len(args) < 4 and not kwargs and _name not in ("kl_div", "poisson_nll_loss"):
                return find_function("nn.functional." + _name)(*args, reduction="none")  # which begins alike
            given = _settings | dict(zip(_names, args, strict=False)) | kwargs
            kind = int(given.pop("reduction"))
            shown = ("none", "mean", "sum")[kind] if 0 <= kind <= 2 else "none"
            function = find_function("nn.functional." + _name)
            if _name == "kl_div" and shown == "mean":  # of which that function warns
                return function(**given, reduction="none").mean()
            return function(**given, reduction=shown)

        loss.__doc__ = f"``nn.functional.{name}`` with the reduction as a number: 0 for none, 1 for mean, 2 for sum."
        composite(name, method=False)(loss)


_losses()


@composite("nn.functional.gumbel_softmax", method=False)
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample of the relaxed categorical distribution of logits; with `hard` a one-hot vector with the same gradient."""
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = find_function("empty")(logits.shape, dtype=logits.dtype).exponential_().log().neg()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = find_function("zeros_like")(logits).scatter_(dim, soft.max(dim, keepdim=True)[1], 1.0)
    return chosen - soft.detach() + soft


@composite("nn.functional.linear_cross_entropy", method=False)
def linear_cross_entropy(
    input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None,
    label_smoothing=0.0, options=None,
):  # fmt: skip
    """The cross entropy of a linear map of input [N, features]; linear_weight [C, *, features] may make several predictions."""
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    features = input.shape[-1]
    if features != linear_weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{features} and {linear_weight.shape[-1]}, respectively"
        )
    outputs = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != outputs:
        raise RuntimeError(f"expected linear_bias shape {outputs}, got {tuple(linear_bias.shape)}")
    if len(outputs) > 1 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, (N, "
            f"{features}), got unbatched input with shape {tuple(input.shape)}"
        )
    shape = (*input.shape[:-1], *outputs)
    if target.shape == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if len(outputs) > 1:
        linear_weight = linear_weight.reshape(prod(outputs), features)
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = find_function("nn.functional.linear")(input, linear_weight, linear_bias).reshape(shape)
    return find_function("nn.functional.cross_entropy")(
        logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
        label_smoothing=label_smoothing,
    )  # fmt: skip


def check_steps(input: Array, weight: Array, bias: Array, pad: int) -> None:
    """The arguments of a convolution along time."""
    for wrong, said in (
        (input.ndim != 3, "Input must have 3 dims: time, batch, in_channel"),
        (weight.ndim != 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."),
        (bias.ndim != 1, "Bias must be 1-D"),
    ):
        if wrong:
            raise RuntimeError(said)
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if len(bias) != weight.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    steps = len(input) + 2 * pad - len(weight) + 1
    if steps < 0:
        size = [steps, input.shape[1], weight.shape[2]]
        raise RuntimeError(f"Trying to create tensor with negative dimension {steps}: {size}")
    if input.dtype != weight.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {of(input).short} and {of(weight).short}")


@operator("conv_tbc nn.functional.conv_tbc", method=False, out=False, wide=True)
def conv_tbc(xp, input: Array, weight: Array, bias: Array, pad=0):
    """Convolution along time: input [T, B, I], weight [K, I, O], bias [O] give [T + 2 pad - K + 1, B, O]."""
    check_steps(input, weight, bias, pad)
    wide = xp.pad(input, ((pad, pad), (0, 0), (0, 0))) if pad else input
    shape = (len(wide) - len(weight) + 1, *wide.shape[1:])
    total = bias
    for k, w in enumerate(weight):
        part = wide[k : k + shape[0]].reshape((-1, shape[2]))
        if xp is np and not k:
            total = affine(part, w, bias)
            continue
        part = part @ w
        part += total
        total = part
    return xp.broadcast_to(total, (prod(shape[:2]), len(bias))).reshape((*shape[:2], len(bias)))


@conv_tbc.joint_gradient
def _(t, g, needs, input, weight, pad):
    k, steps = weight.shape[0], input.shape[0]
    wider = lambda x, n: t.pad(x, (0, 0, 0, 0, n, n)) if n else x
    padded, back = wider(input, pad), wider(g, k - 1)
    part = lambda x, at, n: t.narrow(x, 0, at, n)
    total = [part(back, k - 1 - i + pad, steps) @ t.transpose(weight[i], 0, 1) for i in range(k)]
    along = [
        t.transpose(part(padded, i, g.shape[0]).reshape((-1, input.shape[2])), 0, 1) @ g.reshape((-1, g.shape[2]))
        for i in range(k)
    ]
    return sum(total[1:], start=total[0]), t.stack(along), t.sum(g, (0, 1))


@composite("frobenius_norm", method=False)
def frobenius_norm(input, dim, keepdim=False):
    """The root of the sum of squares over one or two dimensions."""
    return input.norm(2, dim, keepdim)


@composite("nuclear_norm", method=False)
def nuclear_norm(input, dim=None, keepdim=False):
    """The sum of singular values."""
    return find_function("linalg.matrix_norm")(input, "nuc", (-2, -1) if dim is None else dim, keepdim)


@composite("convolution", method=False)
def general(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """Convolution in any number of dimensions, every setting given for each of them."""
    d = weight.ndim - 2
    settings = [tuples("conv", v, d, w) for v, w in ((stride, "stride"), (padding, "padding"), (dilation, "dilation"))]
    return convolution.function(
        input, weight, bias, *settings, bool(transposed), tuples("conv", output_padding, d, "output_padding"), groups
    )


@composite("_convolution_backward", method=False)
def convolution_backward(
    grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask
):  # fmt: skip
    """The gradients of a convolution for its input, its weight and its bias: None for those that `output_mask` leaves out."""
    form = (tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding), groups, output_mask)
    return gradients(differentiable, grad_output, input, weight, *form)
