"""Activation functions with kinks: relu and its like, clamps, shrinkages, slopes that are learned or drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import kernels
from ...arrays.backend import move_like
from ...arrays.constants import FLOAT32, FLOAT64, ZERO32, ZERO64
from ...arrays.device import absent
from ...arrays.dtype import finfo, of
from ...arrays.numbers import converted
from ...arrays.on_arrays import on_arrays
from ...loading import table
from ...numerics import choices
from ...numerics.halves import by_kernel, computed
from ...operators.declare import Array, by, composite, operator
from ...operators.elementwise import loop_of
from ...operators.forms import heard
from ...operators.pointwise import takes_floats
from ...operators.signature import Form
from ...tensors.inplace import write
from ...tensors.tensor import Tensor
from .activation import activation, by_kernel_backward, flat, only_floats, select, steep, with_inplace


def compiled(name: str, x: Any, *numbers: Any) -> Any:
    """The ufunc of a name on floats and numbers of their dtype; None where there are no kernels, or for other arrays."""
    ufunc = kernels.kernel(name)
    if ufunc is None or type(x) is not np.ndarray:
        return None
    if x.dtype.itemsize == 2 and len(numbers) == 1:
        number = np.asarray(numbers[0], x.dtype).astype(FLOAT32)
        return computed(ufunc, x, number)
    return ufunc(x, *map(x.dtype.type, numbers)) if x.dtype in FLOATS else None


FLOATS = frozenset((FLOAT32, FLOAT64))


def relu_of(x: Any) -> Any:
    if (found := kernels.through("relu", x)) is not None:
        return found
    # PyTorch keeps a negative zero, as numpy does when it comes second.
    return np.maximum(ZERO32 if x.dtype is FLOAT32 else ZERO64, x)


@takes_floats
def check_relu(input: Any) -> None:
    if input.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if input.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


@operator("relu", domain="any", inplace=True, ufunc=by(relu_of, loop=kernels.kernel("relu")), wide=True, check=check_relu,
          out=False)  # fmt: skip
def relu(xp, input: Array):
    """The larger of each element and 0.
    Any shape; the dtype stays. RuntimeError: booleans."""
    found = choices.limited(input, 0, None)
    return xp.maximum(input.dtype.type(0), input) if found is None else found


@relu.gradient_of("input")
@by_kernel_backward("relu")
def relu_gradient(t: Any, g: Any, result: Any) -> Any:
    return flat(t, result <= 0, g, result, "Threshold")


with_inplace("relu", relu)


@activation("_threshold", check=only_floats("threshold_cpu", "bc"), node="ThresholdBackward0 ThresholdBackward1")  # fmt: skip
def threshold(xp, input: Array, threshold, value):
    """The element where it is above `threshold`, else `value`."""
    if input.dtype.kind in "iu":
        threshold, value = converted(threshold, input.dtype), converted(value, input.dtype)
    if (found := compiled("threshold", input, threshold, value)) is not None:
        return found
    kind = input.dtype.type
    below = input <= kind(threshold)
    return choices.where(below, np.asarray(kind(value)), input) if xp is np else xp.where(below, kind(value), input)


threshold.same = by_kernel("threshold", lambda x, bound, value: (x, bound, value))


@threshold.gradient_of("input")
@by_kernel_backward("threshold")
def threshold_gradient(t: Any, g: Any, input: Any, threshold: float) -> Any:
    return flat(t, input <= threshold, g, input, "Threshold")


with_inplace("threshold", threshold)
table.FUNCTIONS["threshold"] = threshold.make("torch.threshold")
table.FUNCTIONS["threshold_"] = table.FUNCTIONS["nn.functional.threshold_"]


@activation("_hardtanh", node="HardtanhBackward0")
def hardtanh(xp, input: Array, min_val=-1.0, max_val=1.0):
    """Elements limited to [min_val, max_val]."""
    kind = input.dtype.type
    if input.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if input.dtype.kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if (found := compiled("hardtanh", input, min_val, max_val)) is not None:
        return found
    low, high = kind(min_val), kind(max_val)
    found = choices.limited(input, low, high)
    return xp.minimum(high, xp.maximum(low, input)) if found is None else found


hardtanh.same = by_kernel("hardtanh", lambda x, low, high: (x, low, high) if low <= high else None)


@hardtanh.gradient_of("input")
@by_kernel_backward("hardtanh")
def hardtanh_gradient(t: Any, g: Any, input: Any, min_val: float, max_val: float) -> Any:
    return flat(t, t.logical_or(input <= min_val, input >= max_val), g, input, "Hardtanh")


with_inplace("hardtanh", hardtanh)


@composite("nn.functional.relu6", domain="any")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Elements limited to [0, 6]."""
    return table.FUNCTIONS["nn.functional.hardtanh"](input, 0.0, 6.0, inplace)


@activation("_leaky_relu", check=only_floats("leaky_relu_cpu"), node="LeakyReluBackward0 LeakyReluBackward1")  # fmt: skip
def leaky_relu(xp, input: Array, negative_slope=0.01):
    """Elements above 0, the others times `negative_slope`."""
    slope = input.dtype.type(negative_slope)
    found = kernels.through("leaky_relu", input, slope)
    return xp.where(input > 0, input, input * slope) if found is None else found


def leaky_backward(g: Any, input: Any, slope: Any) -> Any:
    if type(g) is not np.ndarray:
        return None
    number = slope if type(slope) is np.ndarray else g.dtype.type(slope)
    found = kernels.through("leaky_relu_backward", g, input, number)
    return np.where(input > 0, g, g * slope) if found is None else found


@leaky_relu.gradient_of("input")
@on_arrays(leaky_backward)
def leaky_gradient(t: Any, g: Any, input: Any, negative_slope: float) -> Any:
    return t._stepped_backward(g, input, t.logical_not(input > 0), negative_slope, "LeakyRelu")


leaky_relu.same = by_kernel("leaky_relu", lambda x, slope: (x, slope))
ISSUE = (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation "
    "with negative slope"
)
steep_leaky_relu = steep(leaky_relu, "leakyReLu", ISSUE)
with_inplace("leaky_relu", leaky_relu, below=steep_leaky_relu)


@activation("_hardsigmoid", check=only_floats("hardsigmoid_cpu"), node="HardsigmoidBackward0")
def hardsigmoid(xp, input: Array):
    """``min(max(x + 3, 0), 6) / 6``."""
    if (found := compiled("hardsigmoid", input)) is not None:
        return found
    kind = input.dtype.type
    return xp.minimum(xp.maximum(input + kind(3), kind(0)), kind(6)) / kind(6)


SIXTH = float(np.float32(1) / np.float32(6))
"""PyTorch multiplies by a single-precision sixth, for every dtype."""


@hardsigmoid.gradient_of("input")
@by_kernel_backward("hardsigmoid")
def hardsigmoid_gradient(t: Any, g: Any, input: Any) -> Any:
    return select(t, t.logical_and(input > -3, input < 3), g * SIXTH)


hardsigmoid.same = by_kernel("hardsigmoid", lambda x: (x,))
with_inplace("hardsigmoid", hardsigmoid, False)


@activation("_hardswish", check=only_floats("hardswish_cpu"), node="HardswishBackward0")
def hardswish(xp, input: Array):
    """``x * min(max(x + 3, 0), 6) / 6``."""
    if (found := kernels.through("hardswish", input)) is not None:
        return found
    kind = input.dtype.type
    return input * xp.minimum(xp.maximum(input + kind(3), kind(0)), kind(6)) / kind(6)


@hardswish.gradient_of("input")
@by_kernel_backward("hardswish")
def hardswish_gradient(t: Any, g: Any, input: Any) -> Any:
    return t.where(input <= -3, t.zeros_like(g), t.where(input < 3, g * (input / 3 + 0.5), g))


hardswish.same = by_kernel("hardswish", lambda x: (x,))
with_inplace("hardswish", hardswish, False)


def check_lambda(input: Any, lambd: float) -> None:
    lambd = converted(lambd, FLOAT64)
    if 0 <= lambd <= 65504:  # the largest half
        return
    largest = float(finfo(of(input)).max)
    if not 0 <= lambd <= largest:
        raise RuntimeError(
            f"lambda must be in range [0, {largest:g}] for input dtype {of(input).short}, but found {lambd:g}"
        )


@operator("nn.functional.softshrink", domain="any", method=False, wide=True, check=only_floats("softshrink_check"))
def softshrink(xp, input: Array, lambd=0.5):
    """Elements drawn toward 0 by `lambd`; 0 within it."""
    check_lambda(input, lambd)
    if (found := compiled("softshrink", input, lambd)) is not None:
        return found
    bound, zero = input.dtype.type(lambd), input * input.dtype.type(0)
    return xp.where(input > bound, input - bound, xp.where(input < -bound, input + bound, zero))


@softshrink.gradient_of("input")
@by_kernel_backward("hardshrink")
def softshrink_gradient(t: Any, g: Any, input: Any, lambd: float) -> Any:
    return flat(t, t.logical_and(input >= -lambd, input <= lambd), g, input, "Softshrink")


@operator("hardshrink nn.functional.hardshrink", domain="any", check=only_floats("hardshrink_cpu"))
def hardshrink(xp, input: Array, lambd=0.5):
    """0 within `lambd` of 0, else the element."""
    if (found := compiled("hardshrink", input, lambd)) is not None:
        return found
    bound = input.dtype.type(lambd)
    return xp.where((input >= -bound) & (input <= bound), input.dtype.type(0), input)


@hardshrink.gradient_of("input")
@by_kernel_backward("hardshrink")
def hardshrink_gradient(t: Any, g: Any, input: Any, lambd: float) -> Any:
    return flat(t, t.logical_and(input >= -lambd, input <= lambd), g, input, "Hardshrink")


@operator(
    "_rrelu", method=False, node="RreluWithNoiseBackward0 RreluWithNoiseBackward1", check=only_floats("leaky_relu_cpu")
)
def rrelu_with_noise(xp, input: Array, noise):
    """Elements above 0, the others times a random slope."""
    return input * noise


rrelu_with_noise.gradient(input=lambda t, g, noise: t.mul(g, t.constant(noise)))
steep_rrelu = steep(rrelu_with_noise, "leakyReLu", ISSUE)


def slopes(x: Any, lower: float, upper: float, training: bool, generator: Any) -> Any:
    """1 above 0; elsewhere the mean of the bounds, or a number drawn between them, in double precision from bounds in x's, as
    PyTorch does."""
    from ..random.sampling import source

    if training and x.dtype == np.float32:
        lower, upper = float(np.float32(lower)), float(np.float32(upper))
    if absent(x):
        return x.copy()
    if not training and type(x) is np.ndarray and x.dtype in FLOATS and x.flags.c_contiguous:
        return choices.where(x > 0, np.ones((), x.dtype), np.array((lower + upper) / 2, x.dtype))
    noise = np.ones(x.shape, x.dtype)
    low = x <= 0 if training else ~(x > 0)
    if type(x) is not np.ndarray:
        low = move_like(low, noise)
    low = np.asarray(low)
    noise[low] = (
        source(generator).doubles(int(low.sum())) * (upper - lower) + lower if training else (lower + upper) / 2
    )
    return noise if type(x) is np.ndarray else move_like(noise, x)


def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False, *,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Leaky relu, in training with a slope drawn anew for each element. A `generator` draws it."""
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training and not inplace and input._node is None and input.is_floating_point() and input.is_contiguous():
        return leaky_relu.run([input, (lower + upper) / 2])
    values = [input, slopes(input._array, lower, upper, training, generator)]
    if not inplace:
        return rrelu_with_noise.run(values)
    return write(steep_rrelu if lower + upper < 0 and not training else rrelu_with_noise, values)


def torch_rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    """Leaky relu, in training with a slope drawn anew for each element."""
    return rrelu(input, lower, upper, training, generator=generator)


def rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    """In-place form of :func:`rrelu`."""
    return rrelu(input, lower, upper, training, True, generator=generator)


composite("nn.functional.rrelu", method=False)(rrelu)
composite("rrelu", method=False)(torch_rrelu)
rrelu_.__wrapped__ = Form("rrelu_", rrelu_)  # type: ignore[attr-defined]
for _name in ("rrelu_", "nn.functional.rrelu_"):
    table.FUNCTIONS[_name] = heard("torch." + _name, rrelu_)


@operator("_prelu_kernel", promote="same", scalars=False, method=False, node="PreluKernelBackward0")
def prelu_kernel(xp, input: Array, weight: Array):
    """Elements above 0, the others times a weight."""
    if (found := kernels.through("leaky_relu", input, weight)) is not None:
        return found
    return xp.where(input > 0, input, input * weight)


if kernels.compiled is not None:
    of_both = kernels.compiled.leaky_relu
    prelu_kernel.loop, prelu_kernel.operands = loop_of(2, of_both, of_both, None, False, 1), 2


@on_arrays(leaky_backward)
def prelu_gradient(t: Any, g: Any, input: Any, weight: Any) -> Any:
    above = input > 0
    return t.where(above, t._stepped_backward(g, input, t.logical_not(above), 0.0, "PreluKernel"), g * weight)


prelu_kernel.gradient(input=prelu_gradient, weight=lambda t, g, input: t.where(input > 0, t.zeros_like(g), g * input))


@composite("prelu nn.functional.prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Elements above 0, the others times the weight of their channel (dimension 1)."""
    if input.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype.short} and {weight.dtype.short}")
    count = weight._array.size
    if count != 1:
        if input.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim >= 2 else 1
        if channels != count:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and channel size = "
                f"{channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if input.ndim == 0:
        weight = weight.reshape(()) if weight.ndim else weight
    elif input.ndim == 1:
        weight = weight.reshape((1,)) if weight.ndim == 0 else weight
    else:
        weight = weight.view([1, count] + [1] * (input.ndim - 2))
    return prelu_kernel.function(input, weight)
