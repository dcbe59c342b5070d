"""Sums, differences and products of tensors and numbers.

Every operator here broadcasts, promotes its operands to a common dtype and has an in-place form."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.constants import constant
from ...arrays.numbers import check_width, converted, not_integral
from ...kernels import kernel, through
from ...loading import table
from ...numerics.arithmetic import product, quotient
from ...numerics.complex import weighted as complex_weighted
from ...numerics.halves import both_halves, by_kernel
from ...numerics.rounding import fused
from ...operators.declare import Array, by, composite
from ...operators.pointwise import chosen, conjugate, hidden, pointwise, refuse, takes_floats, tensors_only
from ...operators.public_form import Symbol
from ...operators.python_operators import OPERANDS, install
from ...operators.results import scalar
from ...tensors.tensor import Tensor

BOOL_MINUS = "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
BOOL_MASK = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)


def check_alpha(alpha: Any, *operands: Any) -> None:
    """`alpha` and `value` must be integral where the operands are."""
    kinds = {x.dtype.kind for x in operands}
    if alpha == 1 or kinds & set("fcV"):
        return
    if kinds == {"b"}:
        if not isinstance(alpha, (bool, np.bool_, int, np.integer)):
            raise not_integral("alpha")
    elif not isinstance(alpha, (int, np.integer)):
        raise not_integral("alpha")


def plus_scaled(xp: Any, input: Any, other: Any, alpha: Any) -> Any:
    """``input + alpha * other``, with one rounding."""
    if alpha is True and other.dtype.kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if alpha == 1:
        return xp.add(input, times_one(other, 1))
    return fused(other, scale(other, alpha), input)


def less_scaled(xp: Any, input: Any, other: Any, alpha: Any) -> Any:
    """``input - alpha * other``, with one rounding."""
    if alpha is True and other.dtype.kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if alpha == 1:
        return xp.add(input, times_one(other, -1)) if other.dtype.kind == "c" else xp.subtract(input, other)
    return fused(other, scale(other, -alpha), input)


def times_one(other: Any, one: int) -> Any:
    """What is added: PyTorch multiplies a complex one by `alpha` where that is 1, too, which turns some zeros."""
    return other * other.dtype.type(one) if other.dtype.kind == "c" else other


def scale(other: Any, alpha: Any) -> Any:
    """`alpha` as a number of the type of what it multiplies."""
    check_alpha(alpha, other)
    if isinstance(alpha, (complex, np.complexfloating)) and other.dtype.kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return scalar(alpha if other.dtype.kind in "biu" else converted(alpha, other.dtype), other.dtype)


@pointwise(ufunc=by(np.add, real=True))
def add(xp, input: Array, other: Array, *, alpha=1):
    """``input + alpha * other``.
    The shapes broadcast, the dtypes are promoted; of booleans it is "or". RuntimeError: shapes that do not
    broadcast, a fractional `alpha` with integers."""
    return plus_scaled(xp, input, other, alpha)


add.gradient(input=lambda t, g: g, other=lambda t, g, alpha: g if alpha == 1 else g * conjugate(t, alpha))


@takes_floats
def checked_subtraction(input: Any, other: Any, alpha: Any) -> None:
    kinds = [x.dtype.kind if hasattr(x, "dtype") else "b" if isinstance(x, bool) else "" for x in (input, other)]
    if kinds == ["b", "b"]:
        raise RuntimeError(BOOL_MINUS)
    if "b" in kinds:
        raise RuntimeError(BOOL_MASK)


@pointwise("sub subtract", ufunc=by(np.subtract, real=True), check=checked_subtraction)
def sub(xp, input: Array, other: Array, *, alpha=1):
    """``input - alpha * other``.
    The shapes broadcast, the dtypes are promoted. RuntimeError: shapes that do not broadcast, two boolean tensors."""
    return less_scaled(xp, input, other, alpha)


sub.gradient(input=lambda t, g: g, other=lambda t, g, alpha: -g if alpha == 1 else -g * conjugate(t, alpha))


@hidden("_rsub", node="RsubBackward0", check=checked_subtraction)
def rsub_tensor(xp, input: Array, other: Array, *, alpha=1):
    """``other - alpha * input``."""
    return less_scaled(xp, other, input, alpha)


rsub_tensor.same = lambda x, other, alpha: (
    both_halves(np.subtract, other, x) if type(alpha) is int and alpha == 1 else None
)
rsub_tensor.gradient(input=lambda t, g, alpha: -g if alpha == 1 else -g * conjugate(t, alpha), other=lambda t, g: g)


def subtracted_from(x: Any, number: Any, alpha: Any) -> Any:
    if alpha != 1:
        raise TypeError
    return np.subtract(constant(number, x.dtype), x)


@hidden(
    "_rsub_number", node="RsubBackward1", promote="same input other", check=checked_subtraction, ufunc=subtracted_from
)
def rsub_number(xp, input: Array, other, alpha=1):
    """``other - alpha * input`` for a number `other`."""
    return less_scaled(xp, other, input, alpha)


rsub_number.gradient(input=lambda t, g, alpha: -g if alpha == 1 else -g * conjugate(t, alpha))


@chosen("rsub", method=False, inplace=False, choices={(Tensor, Tensor): rsub_tensor, (Tensor, object): rsub_number})
def rsub(input, other, *, alpha=1):
    """``other - alpha * input``."""
    if isinstance(other, Tensor):
        return rsub_tensor, [input, other, alpha]
    return rsub_number, [input, other, alpha]


@pointwise("mul multiply", ufunc=by(np.multiply, real=True), scalars="exact")
def mul(xp, input: Array, other: Array):
    """``input * other``.
    The shapes broadcast, the dtypes are promoted. RuntimeError: shapes that do not broadcast."""
    return product(xp, input, other)


mul.gradient(input=lambda t, g, other: g * conjugate(t, other), other=lambda t, g, input: g * conjugate(t, input))


@takes_floats
def checked_negation(input: Any) -> None:
    if input.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
            "or `logical_not()` operator instead."
        )


@tensors_only("neg negative", ufunc=np.negative, check=checked_negation)
def neg(xp, input: Array):
    """``-input``.
    Any shape; the dtype stays. RuntimeError: booleans."""
    return xp.negative(input)


neg.gradient(input=lambda t, g: -g)


@composite()
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@tensors_only(promote="float", ufunc=by(kernel("reciprocal", np.reciprocal), real=True))
def reciprocal(xp, input: Array):
    """``1 / input``; integers become the default float."""
    return quotient(xp, input.dtype.type(1), input)


reciprocal.gradient(input=lambda t, g, result: -g * t.conj(result * result))


def weighted(x: Any, value: Any) -> Any:
    """`value * x`, the value brought to the type of x."""
    if value == 1:
        return times_one(x, 1)
    number = x.dtype.type(value)
    return complex_weighted(x, number) if x.dtype.kind == "c" else x * number


@tensors_only(check=refuse("addcmul_cpu_out", "b"))
def addcmul(xp, input: Array, tensor1: Array, tensor2: Array, *, value=1):
    """``input + value * tensor1 * tensor2``."""
    return fused(weighted(tensor1, value), tensor2, input)


addcmul.same = by_kernel("multiply_add", lambda x, first, second, value: (first, second, x) if value == 1 else None)
addcmul.gradient(
    input=lambda t, g: g,
    tensor1=lambda t, g, tensor2, value: g * t.conj(tensor2 * value),
    tensor2=lambda t, g, tensor1, value: g * t.conj(tensor1 * value),
)


INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of "
    "tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
    "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
    "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
)


def refuse_integers(input: Any, tensor1: Any, tensor2: Any, value: Any) -> None:
    """Raise where a whole number would be divided by a whole number."""
    if tensor1.dtype.kind in "biu" and tensor2.dtype.kind in "biu":
        raise RuntimeError(INTEGER_ADDCDIV)


@tensors_only(check=refuse_integers)
def addcdiv(xp, input: Array, tensor1: Array, tensor2: Array, *, value=1):
    """``input + value * tensor1 / tensor2``."""
    if xp is np and input.strides == tensor1.strides == tensor2.strides:
        if (found := through("add_quotient", input, weighted(tensor1, value), tensor2)) is not None:
            return found
    return xp.add(input, weighted(tensor1, value) / tensor2)


addcdiv.same = by_kernel("add_quotient", lambda x, over, under, value: (x, over, under) if value == 1 else None)
addcdiv.gradient(
    input=lambda t, g: g,
    tensor1=lambda t, g, tensor2, value: g * t.conj(value / tensor2),
    tensor2=lambda t, g, tensor1, tensor2, value: -g * t.conj((tensor1 * value) / (tensor2 * tensor2)),
)


def reflected_sub(self: Tensor, other: Any) -> Any:
    if type(other) is int:
        check_width(other)
    return rsub(self, other) if isinstance(other, OPERANDS) else NotImplemented


install("add", "add", np.add, real=True)
install("sub", "sub", np.subtract, real=True)
install("mul", "mul", np.multiply, real=True)
# A sum or product of a number and a tensor is that of the tensor and the number: the number counts as the second operand.
Tensor.__radd__ = Symbol("Tensor.__radd__", add, False)  # type: ignore[attr-defined]
Tensor.__rmul__ = Symbol("Tensor.__rmul__", mul, False)  # type: ignore[attr-defined]
Tensor.__rsub__ = reflected_sub  # type: ignore[attr-defined]
Tensor.__neg__ = table.METHODS["neg"]  # type: ignore[attr-defined]
Tensor.__pos__ = positive  # type: ignore[attr-defined]
