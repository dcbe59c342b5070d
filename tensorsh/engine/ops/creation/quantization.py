"""Rounding to the steps of an integer type and back, as networks are trained for: fake_quantize.

A number is divided by a step `scale` and moved by `zero_point`, rounded, kept within bounds, and brought back. The
gradient goes through where the rounded number lies within the bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.bounds import refuse
from ...arrays.errors import combination_error, not_implemented, wrap_dim
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor


def _node(input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int, kind: str) -> str:
    return f"FakeQuantizePer{kind}Backward0"


@operator("_fake_quantize", node=_node, method=False, wide=True)
def fake_quantize(xp, input: Array, scale, zero_point, quant_min, quant_max, kind):
    """input in steps of `scale` (a number, or one that broadcasts), and where it was within the bounds."""
    with np.errstate(all="ignore"):
        steps = xp.rint(input * (np.float32(1) / scale)) + zero_point
    inside = (steps >= quant_min) & (steps <= quant_max)
    # fmax and fmin take the bound where there is no number.
    kept = xp.fmin(xp.fmax(steps, quant_min), quant_max) - zero_point
    return (kept * scale).astype(input.dtype, copy=False), inside


fake_quantize.gradient(input=lambda t, g, result1: g * result1)


def _check_bounds(low: int, high: int, zero_points: Any) -> None:
    if low > high:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")
    outside = (zero_points < low) | (zero_points > high) | (zero_points != zero_points)
    refuse(outside, lambda: RuntimeError("`zero_point` must be between `quant_min` and `quant_max`."))


@composite(method=False)
def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """input rounded to steps of `scale` around `zero_point`, within the bounds of the integers that count them."""
    if not isinstance(input, Tensor):
        raise combination_error("fake_quantize_per_tensor_affine", input, scale, zero_point, quant_min, quant_max)
    if input._array.dtype.kind in "biu":
        raise not_implemented("fake_quantize_tensor_cachemask_kernel_type_handling", input._array)
    parts = "TensorAffineCachemask"
    if isinstance(scale, Tensor) and isinstance(zero_point, Tensor):
        parts += "TensorQparams"
    step, zero = (each.item() if isinstance(each, Tensor) else each for each in (scale, zero_point))
    _check_bounds(quant_min, quant_max, np.asarray(zero))
    step = np.float32(step)
    return fake_quantize.function(input, step, step.dtype.type(int(zero)), int(quant_min), int(quant_max), parts)


def _check_channels(input, scale, zero_point, axis, low, high) -> None:
    """PyTorch's complaints about the steps of channels, in its order."""
    steps, zeros = scale._array, zero_point._array
    if steps.dtype.name not in ("float32", "bfloat16"):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {scale.dtype.short}")
    if zeros.dtype.name not in ("int32", "float32", "float16"):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {zero_point.dtype.short}")
    if steps.ndim != 1:
        raise RuntimeError("scale should be a 1-D tensor")
    if zeros.ndim != 1:
        raise RuntimeError("zero point should be a 1-D tensor")
    if steps.shape != zeros.shape:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if input.shape[wrap_dim(axis, input.ndim)] != len(steps):
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    _check_bounds(low, high, zeros)
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    if input._array.dtype.kind in "biu":
        raise not_implemented("fake_quantize_channel_cachemask_cpu_type_handling", input._array)


@composite(method=False)
def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """As `fake_quantize_per_tensor_affine`, with a step and a zero point of its own for each place along `axis`."""
    _check_channels(input, scale, zero_point, axis, quant_min, quant_max)
    broad = (-1, *(1,) * (input.ndim - axis - 1))
    steps, zeros = (each._array.astype(np.float32).reshape(broad) for each in (scale, zero_point))
    return fake_quantize.function(input, steps, zeros, int(quant_min), int(quant_max), "ChannelAffineCachemask")
