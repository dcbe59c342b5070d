"""Batch, layer, group, instance and RMS normalisation.

The first three share one shape of computation: centre and scale by statistics over some dimensions, then an affine map.
Their gradient in one formula, with x^ the normalised input, w the weight and n the number of elements averaged over:
    dx = rstd * (w*g - mean(w*g) - x^ * mean(w*g * x^))
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ... import kernels
from ...arrays.backend import check_statistics
from ...arrays.dtype import HALVES, of
from ...arrays.errors import cpp_name, not_implemented, wrap_dim
from ...arrays.layout import channels_are_last
from ...arrays.on_arrays import on_arrays
from ...arrays.state import here, state
from ...arrays.warning import first, warn
from ...loading.table import find_operator
from ...numerics import norms
from ...numerics.halves import gradients_in_singles
from ...numerics.rounding import fused
from ...numerics.sums import mean as exact_mean
from ...numerics.sums import sum as exact_sum
from ...operators.declare import Array, composite, operator
from ...tape.forward_mode import tangent_of
from ..elementwise.by_number import plus


def statistics(xp: Any, x: Any, axes: tuple) -> tuple:
    """Mean and variance over axes, kept as dimensions, and the centred array."""
    n = prod(x.shape[a] for a in axes)
    mean = (
        (exact_mean(x, axes, True) if n else x.sum(axis=axes, keepdims=True) / 0)
        if xp is np
        else x.mean(axes, keepdims=True)
    )
    centred = x - mean
    if xp is np and axes == tuple(range(x.ndim - len(axes), x.ndim)) and n > 1:
        rows = centred.reshape(-1, n)
        var = np.einsum("ij,ij->i", rows, rows).reshape(mean.shape) / x.dtype.type(n)
    else:
        square = centred * centred
        total = exact_sum(square, axes, True) if xp is np else square.sum(axis=axes, keepdims=True)
        var = total / x.dtype.type(n)
    return mean, var, centred


def backward(t: Any, g: Any, xhat: Any, rstd: Any, axes: tuple, n: int) -> Any:
    """The gradient through centring and scaling, given that of the normalised input."""
    return (g - t.sum(g, axes, keepdim=True) / n - xhat * (t.sum(g * xhat, axes, keepdim=True) / n)) * rstd


KEPT = (None, None, 0.0)  # no running statistics


def update(running: tuple, mean: Any, var: Any, n: int) -> None:
    """Running statistics move toward the batch's, if it has elements, by the momentum beside them; the variance unbiased."""
    *kept, momentum = running
    for a, value in zip(kept, (mean, var * var.dtype.type(n / max(n - 1, 1))), strict=True):
        if a is not None and n:
            a[...] = momentum * value.reshape(-1) + (1 - momentum) * a


def channelwise(v: Any, ndim: int) -> Any:
    return v.reshape((1, -1) + (1,) * (ndim - 2)) if ndim > 1 else v


@operator("_native_batch_norm", node="NativeBatchNormBackward0", method=False, wide=True, laid="images 1")
def batch(xp, input: Array, weight: Array = None, bias: Array = None, mean=None, var=None, eps=1e-5, running=KEPT):
    """input [N, C, *S] normalised over N and S, by given statistics (evaluation) or its own, toward which `running` move."""
    if (kernels.suits(input) or norms.are_doubles(input)) and input.ndim > 1:
        found = norms.batch(input, weight, bias, (mean, var), eps, running)
        if found is not None:
            return found
    axes, dtype = (0, *range(2, input.ndim)), input.dtype
    if mean is None:
        mean, var, _ = statistics(xp, input, axes)
        update(running, mean, var, prod(input.shape[a] for a in axes))
    else:
        mean, var = (channelwise(v, input.ndim).astype(dtype, copy=False) for v in (mean, var))
    rstd = dtype.type(1) / xp.sqrt(var + dtype.type(eps))
    scale = rstd if weight is None else rstd * channelwise(weight, input.ndim).astype(dtype, copy=False)
    offset = dtype.type(0) if bias is None else channelwise(bias, input.ndim).astype(dtype, copy=False)
    return fused(input, scale, fused(-mean, scale, offset)), mean, rstd


@gradients_in_singles
def batch_backward(g, needs, input, weight, mean, result1, result2):
    if type(g) is np.ndarray and g.dtype == input.dtype == np.float64 and input.ndim > 1:
        w = None if weight is None else channelwise(weight, input.ndim)
        return norms.batch_gradient_of_doubles(g, needs, input, w, result1, result2, mean is None)
    if not kernels.suits(g, input, result1, result2) or input.ndim < 2:
        return None
    return norms.batch_gradient(g, needs, input, weight, result1, result2, mean is None)


@batch.joint_gradient
@on_arrays(batch_backward)
def _(t, g, needs, input, weight, mean, result1, result2):
    axes = (0, *range(2, input.ndim))
    n = prod(input.shape[a] for a in axes)
    evaluation = mean is not None
    if evaluation:
        rstd, centred = result2, input - result1
    else:
        centred = input - t.kept(result1, t.mean, input, axes, True)
        rstd = t.kept(result2, input_rstd, t, centred, axes, result2, n)
    xhat = centred * rstd
    x = None
    if needs[0]:
        scaled = g if weight is None else g * channelwise(weight, input.ndim)
        x = scaled * rstd if evaluation else backward(t, scaled, xhat, rstd, axes, n)
    return x, t.sum(g * xhat, axes) if needs[1] else None, t.sum(g, axes) if needs[2] else None


def input_rstd(t, centred, axes, rstd, n):
    """1 / sqrt(var + eps) as a function of the centred input; eps is what the saved value implies."""
    var = t.sum(centred * centred, axes, keepdim=True) / n
    eps = (1 / (rstd * rstd) - var).detach()
    return (var + eps) ** -0.5


def check_batch(size: Any, input: Any = None) -> None:
    if prod([size[0], *size[2:]]) == 1:
        shown = getattr(input, "shape", size)
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shown}")


def check_mixing(input: Any, *parameters: Any) -> bool:
    """Whether the first parameter has another dtype than the input, as float32 beside half may; anything else of that is refused."""
    array = getattr(input, "_array", input)
    others = [getattr(each, "_array", each).dtype for each in parameters if each is not None]
    if not others or others[0] == array.dtype or not array.size:
        return False
    if any(each != np.float32 for each in others):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if of(array) not in HALVES:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    return True


def check_parameters(kernel: str, input: Any, *parameters: Any) -> None:
    """The dtypes of an input and its parameters: all alike or, where the first of these has another, half and float32."""
    array = getattr(input, "_array", input)
    others = [getattr(each, "_array", each) for each in parameters if each is not None]
    kind = array.dtype
    if kind.kind in "biuc" and (kernel == "batch_norm" or not others or others[0].dtype == kind):
        raise not_implemented(kernel, array)
    for each in others:
        if each.dtype != kind and array.size:
            if check_mixing(input, *parameters):
                return
            raise RuntimeError(f"expected scalar type {of(array).short} but found {of(each).short}")


NO_TANGENTS = "batch_norm is not differentiable wrt running_mean and running_var, they cannot have forward grad defined"
STATISTICS = ("running_mean", "running_var", "weight", "bias")


@composite("nn.functional.batch_norm", method=False)
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Normalise each channel of input [N, C, ...] over the batch; running statistics are updated while training."""
    if training:
        check_batch(input._array.shape, input)
    if eps <= 0.0 if training else eps < 0.0:
        rule = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {rule}, but got {eps}")
    return of_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)


def of_batch(input, running_mean, running_var, weight, bias, training, momentum, eps):
    """`batch_norm` without the checks that are made in Python."""
    shape = input._array.shape
    empty = shape == (0,)
    for name, v in () if training or empty else (("running_mean", running_mean), ("running_var", running_var)):
        if v is None:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    channels = shape[1] if len(shape) > 1 else 0
    for name, v in zip(STATISTICS, (running_mean, running_var, weight, bias), strict=True):
        if v is not None and (v._array.size != channels or v._array.ndim > 1 and name in STATISTICS[:2]):
            if v._array.size != channels:
                raise RuntimeError(f"{name} should contain {channels} elements not {v.numel()}")
            raise RuntimeError(f"TensorAccessor expected 1 dims but tensor has {v.ndim}")
    if empty:
        return input.clone()
    if len(shape) == 1:
        wrap_dim(1, 1)
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    check_parameters("batch_norm", input, weight, bias, running_mean, running_var)
    check_statistics(input, weight, bias, running_mean, running_var, training)
    for name, v in ("running_mean", running_mean), ("running_var", running_var):
        if v is not None and v._node is not None and here.grad_enabled and v.requires_grad:
            raise RuntimeError(
                f"The function 'native_batch_norm' is not differentiable with respect to argument '{name}'. This input cannot "
                "have requires_grad True."
            )
    if not training:
        if state.dual and all(
            any(tangent_of(v) is not None for v in each) for each in ((running_mean, running_var), (input,))
        ):
            raise RuntimeError(NO_TANGENTS)
        return batch.function(input, weight, bias, running_mean._array, running_var._array, float(eps))
    means, variances = (None if v is None else v._array for v in (running_mean, running_var))
    y = batch.function(input, weight, bias, None, None, float(eps), (means, variances, momentum))
    for v in (running_mean, running_var):
        if v is not None:
            v._bump()
    return y


def check_shapes(input: Any, normalized_shape: Any, shown: str, **parameters: Any) -> tuple:
    """The shape that is normalised over, of one dimension at least: the parameters' own, and the input's last sizes."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []"
        )
    for name, v in parameters.items():
        if v is not None and tuple(v.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(v.shape)} and "
                f"normalized_shape = {list(shape)}"
            )
    if tuple(input.shape[-len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{shown}{', '.join(map(str, shape))}], but got "
            f"input of size{list(input.shape)}"
        )
    return shape


def check_layer(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> None:
    """The dtypes and shapes of what is normalised over its last dimensions, as arrays."""
    if weight is not None or bias is not None:
        check_mixing(input, weight, bias)
    check_shapes(input, normalized_shape, "*, ", weight=weight, bias=bias)
    check_parameters("LayerNormKernelImpl", input, weight, bias)


@operator(
    "native_layer_norm",
    node="NativeLayerNormBackward0",
    outputs="_ (_) (_)",
    method=False,
    wide=True,
    check=check_layer,
)
def layer(xp, input: Array, normalized_shape, weight: Array = None, bias: Array = None, eps=1e-5):
    """input normalised over its last dimensions; also the means and reciprocal deviations."""
    if kernels.suits(input) or norms.are_doubles(input):
        found = norms.layer(input, len(normalized_shape), weight, bias, eps)
        if found is not None:
            return found
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    mean, var, centred = statistics(xp, input, axes)
    rstd = input.dtype.type(1) / xp.sqrt(var + input.dtype.type(eps))
    xhat = centred
    xhat *= rstd
    if weight is not None:
        xhat *= weight
    xhat += 0 if bias is None else bias  # no bias is one of +0
    return xhat, mean, rstd


batch.same, layer.same = norms.batch_of_halves, norms.layer_of_halves


def layer_backward(g, needs, input, normalized_shape, weight, result1, result2):
    g = g[0]
    if kernels.suits(g, input, result1, result2):
        found = norms.layer_gradient(g, needs, input, tuple(normalized_shape), weight, result1, result2)
        if found is not None:
            return found
    if type(g) is np.ndarray and g.dtype == input.dtype == np.float64:
        return norms.layer_gradient_of_doubles(g, needs, input, tuple(normalized_shape), weight, result1, result2)
    return None


@layer.joint_gradient
@on_arrays(layer_backward)
def _(t, g, needs, input, normalized_shape, weight, result1, result2):
    g = g[0]
    first = input.ndim - len(normalized_shape)
    axes = tuple(range(first, input.ndim))
    n = prod(normalized_shape)
    centred = input - t.kept(result1, t.mean, input, axes, True)
    rstd = t.kept(result2, input_rstd, t, centred, axes, result2, n)
    xhat = centred * rstd
    x = backward(t, g if weight is None else g * weight, xhat, rstd, axes, n) if needs[0] else None
    outer = tuple(range(first))
    total = lambda v: t.sum(v, outer) if outer else v
    return x, total(g * xhat) if needs[1] else None, total(g) if needs[2] else None


@composite("nn.functional.layer_norm layer_norm", method=False)
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    """Normalise over the last dimensions, which have the shape `normalized_shape`.
    RuntimeError: other last dimensions; NotImplementedError: integers."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    return layer.function(input, shape, weight, bias, float(eps))[0]


@operator("_native_group_norm", node="NativeGroupNormBackward0", method=False, wide=True, laid="images 1")
def group(xp, input: Array, weight: Array = None, bias: Array = None, num_groups=1, eps=1e-5):
    """input [N, C, *S] normalised over groups of channels."""
    if kernels.suits(input) or norms.are_doubles(input):
        found = norms.group(input, weight, bias, num_groups, eps)
        if found is not None:
            return found
    n, c = input.shape[:2]
    x = input.reshape(n, num_groups, prod(input.shape[1:]) // num_groups)
    mean, var, centred = statistics(xp, x, (2,))
    rstd = input.dtype.type(1) / xp.sqrt(var + input.dtype.type(eps))
    y = (centred * rstd).reshape(input.shape)
    if weight is not None:
        y = y * channelwise(weight, input.ndim)
    if bias is not None:
        y = y + channelwise(bias, input.ndim)
    return y, mean, rstd


group.same = norms.group_of_halves


@gradients_in_singles
def group_backward(g, needs, input, weight, num_groups, result1, result2):
    if type(g) is np.ndarray and g.dtype == input.dtype == np.float64 and g.size:
        return norms.group_gradient_of_doubles(g, needs, input, weight, num_groups, result1, result2)
    if not kernels.suits(g, input, result1, result2):
        return None
    return norms.group_gradient(g, needs, input, weight, num_groups, result1, result2)


@group.joint_gradient
@on_arrays(group_backward)
def _(t, g, needs, input, weight, num_groups, result1, result2):
    shape = (input.shape[0], num_groups, prod(input.shape[1:]) // num_groups)
    x = input.reshape(shape)
    n = x.shape[2]
    centred = x - t.kept(result1, t.mean, x, (2,), True)
    rstd = t.kept(result2, input_rstd, t, centred, (2,), result2, n)
    xhat = centred * rstd
    dx = None
    if needs[0]:
        scaled = g if weight is None else g * channelwise(weight, input.ndim)
        dx = backward(t, scaled.reshape(shape), xhat, rstd, (2,), n).reshape(input.shape)
    axes = (0, *range(2, input.ndim))
    return dx, t.sum(g * xhat.reshape(input.shape), axes) if needs[1] else None, t.sum(g, axes) if needs[2] else None


def check_group(input: Any, num_groups: int, weight: Any, bias: Any) -> None:
    """The number of groups, the shapes and the dtypes of the parameters."""
    shape = input._array.shape
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if (channels := shape[1]) % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={num_groups}"
        )
    for name, v in (("weight", weight), ("bias", bias)) if weight is not None or bias is not None else ():
        if v is not None and tuple(v.shape) != (channels,):
            shown = list(weight.shape) if weight is not None else [0]
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape "
                f"{shown} and input of shape {list(shape)}"
            )
    check_parameters("GroupNormKernelImpl", input, weight, bias)


@composite("nn.functional.group_norm group_norm", method=False)
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    """Normalise over groups of the channels of input [N, C, ...].
    The C channels in `num_groups` equal groups, each brought to mean 0 and variance 1 (`eps` is added to the latter),
    then times `weight` plus `bias`, of C elements. RuntimeError: C that `num_groups` does not divide.
    """
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    if input._array.size < 2 * num_groups or num_groups < 1:  # otherwise a group has two elements, or none
        check_batch([shape[0] * shape[1] // num_groups, num_groups, *shape[2:]])
    check_group(input, num_groups, weight, bias)
    return group.function(input, weight, bias, num_groups, float(eps))


@composite("nn.functional.instance_norm instance_norm", method=False)
def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5,
    cudnn_enable=True,
):  # fmt: skip
    """Normalise each channel of each sample of input [N, C, ...] by itself: a batch norm of N*C channels."""
    shape = input._array.shape
    if use_input_stats and prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    n, c = shape[:2]
    flat = input.contiguous().view(1, n * c, *shape[2:])
    many = lambda v: None if v is None else v.repeat(n)
    if running_mean is not None and running_var is not None:
        if running_mean.dtype is input.dtype is not running_var.dtype:
            raise RuntimeError(f"expected scalar type {input.dtype.short} but found {running_var.dtype.short}")
    means, variances = (None if v is None else many(v.to(input.dtype)) for v in (running_mean, running_var))
    y = of_batch(flat, means, variances, many(weight), many(bias), use_input_stats, momentum, eps)
    for running, found in ((running_mean, means), (running_var, variances)):
        if running is not None and use_input_stats:
            running._array[...] = found._array.reshape(n, c).mean(0)
            running._bump()
    return y.view(shape)


@composite("nn.functional.rms_norm rms_norm", method=False)
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide by the root of the mean square over the last dimensions."""
    shape = check_shapes(input, normalized_shape, "*", weight=weight)
    if weight is not None and weight.dtype is not input.dtype and first("rms_norm"):
        warn(
            f"Mismatch dtype between input and weight: input dtype = {cpp_name(input)}, weight dtype = {cpp_name(weight)}, Cannot "
            "dispatch to fused implementation."
        )
    if input._array.dtype.kind in "biu":
        raise not_implemented("rms_norm", input._array)
    if eps is None:
        eps = float(np.finfo(np.float32 if input._array.dtype.itemsize <= 2 else input._array.dtype).eps)
    if input.is_cuda and input._array.dtype.kind != "c" and (weight is None or weight.dtype is input.dtype):
        return find_operator("_fused_rms_norm").function(input, shape, weight, float(eps))
    x = input.float() if input._array.dtype.itemsize <= 2 else input
    y = x * plus(x.pow(2).mean(tuple(range(-len(shape), 0)), keepdim=True), eps).rsqrt()
    y = y if weight is None else y * weight
    y = y.to(input.dtype) if y.dtype is not input.dtype else y
    return y if y._array.flags.c_contiguous or channels_are_last(y._array) else y.contiguous()
