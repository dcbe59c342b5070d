"""Batch normalisation folded into the layer before it, and modules without initial values."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ....engine.tensors.tensor import Tensor
from ..modules.module import Module
from ..parameter import Parameter
from ..reach import T

__all__ = [
    "fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights", "skip_init",
]  # fmt: skip


def _fused(layer: Any, bn: Any, fuse: Any, *options: Any) -> Any:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    made = deepcopy(layer)
    made.weight, made.bias = fuse(
        made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, *options
    )
    return made


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what a convolution and a batch normalisation do in evaluation."""
    return _fused(conv, bn, fuse_conv_bn_weights, transpose)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that does what a linear layer and a batch normalisation do in evaluation."""
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    return _fused(linear, bn, fuse_linear_bn_weights)


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Any, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Any, bn_b: Any,
    transpose: bool = False,
) -> tuple:  # fmt: skip
    """Weight and bias of the fused convolution."""
    bias = T.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = T.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = T.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = T.rsqrt(bn_rv + bn_eps)
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(dtype=conv_w.dtype)
    bias_dtype = conv_w.dtype if conv_b is None else conv_b.dtype
    moved = ((bias - bn_rm) * scale * bn_w + bn_b).to(dtype=bias_dtype)
    return _parameter(weight, conv_w), _parameter(moved, bias)


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Any, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor, bn_b: Tensor
) -> tuple:
    """Weight and bias of the fused linear layer."""
    bias = T.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * T.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=linear_w.dtype)
    bias_dtype = linear_w.dtype if linear_b is None else linear_b.dtype
    moved = ((bias - bn_rm) * scale + bn_b).to(dtype=bias_dtype)
    return _parameter(weight, linear_w), _parameter(moved, bias)


def _parameter(value: Tensor, like: Tensor) -> Parameter:
    return Parameter(value.detach(), like.requires_grad)


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module whose parameters are not initialised: nothing is drawn from the generator."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    from ....sandbox.wrapping import signature

    if "device" not in signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
