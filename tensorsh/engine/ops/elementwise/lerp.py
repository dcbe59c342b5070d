"""Linear interpolation between tensors."""

from __future__ import annotations

from typing import Any

from ...arrays.errors import combination_error, cpp_name, not_implemented
from ...kernels import through
from ...numerics.halves import by_kernel
from ...numerics.rounding import fused
from ...operators.declare import Array
from ...operators.pointwise import chosen, hidden, is_number
from ...tensors.tensor import Tensor


def between(xp: Any, input: Any, end: Any, weight: Any) -> Any:
    """Linear interpolation from the nearer end, so that weight 1 gives `end` exactly."""
    if (found := through("lerp", input, end, weight)) is not None:
        return found
    step = end - input
    near = xp.absolute(weight) < 0.5
    return xp.where(near, fused(step, weight, input), fused(-step, 1 - weight, end))


def check_lerp(input: Any, end: Any, weight: Any) -> None:
    for x, name in ((end, "end"), (weight, "weight")):
        if hasattr(x, "dtype") and x.dtype != input.dtype and (name == "end" or x.ndim):
            want, got = cpp_name(input), cpp_name(x)
            raise RuntimeError(f"expected dtype {want} for `{name}` but got dtype {got}")


@hidden("_lerp_number", node="LerpBackward0", check=check_lerp, scalars=False)
def lerp_number(xp, input: Array, end: Array, weight):
    """``input + weight * (end - input)`` for a number `weight`."""
    if input.dtype.kind in "biu":
        raise not_implemented("lerp_kernel_scalar", input)
    if isinstance(weight, complex) and input.dtype.kind != "c":
        raise RuntimeError("value cannot be converted to type float without overflow")
    weight = input.dtype.type(weight)
    return between(xp, input, end, weight)


lerp_number.fast = lambda x, end, weight: through("lerp", x, end, x.dtype.type(weight)) if is_number(weight) else None
lerp_number.same = by_kernel("lerp", lambda x, end, weight: (x, end, weight))
lerp_number.gradient(
    input=lambda t, g, weight: g * (1 - weight).conjugate(), end=lambda t, g, weight: g * weight.conjugate()
)


@hidden("_lerp_tensor", node="LerpBackward1", check=check_lerp, scalars=False)
def lerp_tensor(xp, input: Array, end: Array, weight: Array):
    """``input + weight * (end - input)``."""
    if input.dtype.kind in "biu":
        raise not_implemented("lerp_kernel_tensor", input)
    return between(xp, input, end, weight)


lerp_tensor.same = lerp_number.same
lerp_tensor.gradient(
    input=lambda t, g, weight: g * t.conj(1 - weight),
    end=lambda t, g, weight: g * t.conj(weight),
    weight=lambda t, g, input, end: g * t.conj(end - input),
)


@chosen("lerp", choices={(Tensor, Tensor, Tensor): lerp_tensor, (Tensor, Tensor, object): lerp_number})
def lerp(input, end, weight):
    """Linear interpolation: ``input + weight * (end - input)``; `weight` a number or a tensor.
    All broadcast to a common shape. RuntimeError: dtypes that differ."""
    if isinstance(weight, Tensor):
        return lerp_tensor, [input, end, weight]
    if not is_number(weight):
        raise combination_error("lerp", input, end, weight)
    return lerp_number, [input, end, weight]
