"""PyTorch's complaints about convolutions: shapes, settings and dtypes, in its order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.constants import FLOAT32, FLOAT64
from ..arrays.errors import cpp_name, not_implemented, tensor_type
from ..arrays.state import state
from ..numerics.windows import check_blocks, remembered
from ..tensors.tensor import Tensor

FLOATS = (FLOAT32, FLOAT64)


@remembered
def geometry(
    given: int, input: tuple, weight: tuple, bias: tuple | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> tuple:
    """The settings of a convolution of `given` dimensions, for each of them, and whether the input has no batch."""
    check_given(weight, given, stride=stride, padding=padding, dilation=dilation, output_padding=0)
    settings, single = check(input, weight, bias, False, stride, padding, dilation, 0, groups, given)
    check_fits(input, weight, settings[1], settings[2], given)
    return tuple(settings), single


@remembered
def transposed_geometry(
    given: int, input: tuple, weight: tuple, bias: tuple | None, stride: Any, padding: Any, dilation: Any,
    output_padding: Any, groups: int,
) -> tuple:  # fmt: skip
    """The same for a transposed one, but for what `check_output` says."""
    check_given(weight, given, stride=stride, padding=padding, dilation=dilation, output_padding=output_padding)
    settings, single = check(input, weight, bias, True, stride, padding, dilation, output_padding, groups, given)
    return tuple(settings), single


def tuples(name: str, value: Any, d: int, what: str) -> tuple:
    """A setting for each of d dimensions, from one number or a sequence."""
    if isinstance(value, (int, np.integer)):
        return (int(value),) * d
    values = tuple(int(v) for v in value)
    if len(values) == 1:
        return values * d
    if len(values) != d:
        raise RuntimeError(
            f"expected {what} to be a single integer value or a list of {d} values to match the convolution dimensions, but got {what}={list(values)}"
        )
    return values


def check_given(weight: tuple, given: int, **settings: Any) -> None:
    """Settings that are spread over the dimensions that a function of convolution has, where the weight has others."""
    d = len(weight) - 2
    if d < 1 or d == given:
        return
    for name, value in settings.items():
        values = list(value) if isinstance(value, (tuple, list)) else [value] * given
        if len(values) not in (1, d):
            tuples("conv", values, d, name)


def check(
    input: tuple, weight: tuple, bias: tuple | None, transposed: bool, stride: Any, padding: Any, dilation: Any,
    output_padding: Any, groups: int, dims: int,
) -> tuple:  # fmt: skip
    """PyTorch's complaints about shapes, types and settings, in its order; the settings for each dimension, and whether the
    input is a single sample without batch."""
    d, weights = len(weight) - 2, list(weight)
    if d < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    given = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": output_padding}
    settings = [tuples("conv", value, d, name) for name, value in given.items()]
    for name, values in zip(("padding", "output_padding"), settings[1::2], strict=True):
        if min(values) < 0:
            raise RuntimeError(f"negative {name} is not supported")
    if min(settings[0]) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(settings[2]) <= 0 and not transposed:
        shown = f", but got {[1] * (d == 1) + list(settings[2])}" if min(settings[2]) == 0 else ""
        raise RuntimeError(f"dilation should be greater than zero{shown}")
    if d != dims:
        batched = [*input] if len(input) == dims + 2 else [1, *input]
        raise RuntimeError(
            f"Expected {d + 2}-dimensional input for {d + 2}-dimensional weight {weights}, but got {dims + 2}-dimensional "
            f"input of size {batched} instead"
        )
    if weights[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {weights} "
            "instead"
        )
    if weights[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size "
            f"[{weights}] instead"
        )
    shape = list(input) if len(input) == d + 2 else [1, *input]
    wanted = weights[0] if transposed else weights[1] * groups
    if shape[1] != wanted:
        first = f"transposed={int(transposed)}" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {first}, weight of size {weights}, expected input{shape} to have {wanted} channels, but got {shape[1]} "
            "channels instead"
        )
    outputs = weights[1] * groups if transposed else weights[0]
    if bias is not None and bias != (outputs,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {weights}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(bias)} instead"
        )
    return settings, len(input) == d + 1


def check_fits(input: tuple, weight: tuple, padding: tuple, dilation: tuple, d: int) -> None:
    sizes = [n + 2 * p for n, p in zip(input[-d:], padding, strict=True)]
    spans = [w * (k - 1) + 1 for k, w in zip(weight[2:], dilation, strict=True)]
    if any(k > n for k, n in zip(spans, sizes, strict=True)):
        shown = " x ".join(map(str, sizes)), " x ".join(map(str, spans))
        raise RuntimeError(
            f"Calculated padded input size per channel: ({shown[0]}). Kernel size: ({shown[1]}). Kernel size can't be greater "
            "than actual input size"
        )


@remembered
def check_output(input: tuple, weight: tuple, stride: tuple, padding: tuple, dilation: tuple, rest: tuple) -> bool:
    """The settings of a transposed convolution that depend on each other; a line is an image of height 1."""
    d = len(stride)
    axes = ("depth", "height", "width")[-max(d, 2) :]
    plane = lambda values, one: (*([one] if d == 1 else []), *values)
    parts = {"output_padding": plane(rest, 0), "stride": plane(stride, 1), "dilation": plane(dilation, 1)}
    if min(dilation) <= 0:
        shown = ", ".join(f"dilation_{a}: {v}" for a, v in zip(axes, parts["dilation"], strict=True))
        raise RuntimeError(f"dilation should be greater than zero, but got {shown}")
    if any(r >= s and r >= w for r, s, w in zip(rest, stride, dilation, strict=True)):
        shown = " ".join(f"{n}_{a}: {v}" for n, values in parts.items() for a, v in zip(axes, values, strict=True))
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {shown}")
    sizes = plane(input[-d:], 1)
    out = [
        (n - 1) * s - 2 * p + w * (k - 1) + r + 1
        for n, s, p, w, k, r in zip(input[-d:], stride, padding, dilation, weight[2:], rest, strict=True)
    ]
    if min(out) < 1:
        given, found = [" x ".join(map(str, each)) for each in (sizes, plane(out, 1))]
        raise RuntimeError(
            f"Given input size per channel: ({given}). Calculated output size per channel: ({found}). Output size is too "
            "small"
        )
    return True


def check_bias(input: Tensor, bias: Tensor | None) -> None:
    """A bias of the input's dtype: what is looked at first."""
    if bias is not None and bias.dtype is not input.dtype:
        raise RuntimeError(f"Input type ({cpp_name(input)}) and bias type ({cpp_name(bias)}) should be the same")


def check_dims(input: Tensor, d: int, name: str, bias: Tensor | None = None) -> None:
    check_bias(input, bias)
    if input.ndim not in (d + 1, d + 2):
        raise RuntimeError(
            f"Expected {d + 1}D (unbatched) or {d + 2}D (batched) input to {name}, but got input of size: {list(input.shape)}"
        )


def by_onednn(shape: tuple, kernel: tuple, stride: tuple, dilation: tuple, rest: tuple, groups: int) -> bool:
    """Whether PyTorch leaves a convolution of float32 to oneDNN, which looks at the dtype of the weight first."""
    d = len(kernel)
    batch, channels, *image = shape if len(shape) == d + 2 else (1, *shape)
    if any(r >= s for r, s in zip(rest, stride, strict=True)):
        return False
    if d == 1:
        image, kernel = [1, *image], (1, *kernel)
    apart = any(n != 1 for n in (*stride, *dilation))
    several = apart or batch >= 16 or kernel[-2:] != (1, 1) or state.threads > 1
    return several and (
        groups > 1 or min(kernel[-2:]) > 3 or batch > 1 or batch * channels * image[0] * image[1] > 20480
    )


def check_types(input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool, *settings: Any) -> None:
    """One dtype for all, and one that convolutions compute. settings: for `by_onednn`."""
    kind = input._array.dtype
    if kind in FLOATS and weight._array.dtype is kind and (bias is None or bias._array.dtype is kind):
        if 0 not in weight._array.shape:
            return
    name, d = input.dtype.name, weight.ndim - 2
    if not transposed and weight.dtype is input.dtype:
        check_bias(input, bias)
    if weight.dtype is not input.dtype and (
        name == "bfloat16"
        or transposed
        and name == "float16"
        or name == "float32"
        and by_onednn(input._array.shape, weight._array.shape[2:], *settings)
    ):
        kinds = tensor_type(input.dtype), tensor_type(weight.dtype)
        raise RuntimeError(
            f"Input type ({kinds[0]}) and weight type ({kinds[1]}) should be the same or input should be a MKLDNN tensor and "
            "weight is a dense tensor"
        )
    if transposed and kind.kind in "biu" and name != "int64":
        raise not_implemented(f"slow_conv_transpose{max(d, 2)}d_out_cpu", input.dtype)
    if transposed and bias is not None and d == 3 and bias.dtype is not input.dtype is weight.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.short} but found {bias.dtype.short}")
    if not transposed and any(n > 1 for n in settings[1]) and kind.kind in "biu" and name != "int64":
        raise not_implemented("slow_conv_dilated<>", input.dtype)
    if name == "bool":
        raise not_implemented("slow_conv2d_cpu" if d < 3 else "compute_columns3d", input.dtype)
    if weight.dtype is not input.dtype:
        if "complex" in name and weight.dtype.is_floating_point:
            kinds = tensor_type(input.dtype), tensor_type(weight.dtype)
            raise RuntimeError(f"Input type ({kinds[0]}) and weight type ({kinds[1]}) should be the same")
        raise RuntimeError(f"expected scalar type {input.dtype.short} but found {weight.dtype.short}")
    if 0 in weight.shape[2:]:
        kernel = (1, *weight.shape[2:])[-2:]
        check_blocks(kernel, (1, 1), (0, 0), (1, 1))
