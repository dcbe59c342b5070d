"""Quotients and remainders: true, rounded toward zero, rounded down; by tensors and by numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.constants import NUMBERS
from ...arrays.errors import combination_error, not_implemented
from ...kernels import through
from ...loading.table import OPERATORS, find_function
from ...numerics.arithmetic import quotient, refuse_zeros, rounded_half_quotient, rounded_quotient
from ...operators.declare import Array, by
from ...operators.pointwise import chosen, conjugate, hidden, is_number, no_derivative, pointwise
from ...operators.python_operators import install, install_choice
from ...tensors.tensor import Tensor


@pointwise("true_divide", promote="float", node="DivBackward0", ufunc=by(np.true_divide, floats=True), scalars="exact")
def true_divide(xp, input: Array, other: Array):
    """``input / other``; integers become the default float."""
    return quotient(xp, input, other)


true_divide.gradient(
    input=lambda t, g, other: g / conjugate(t, other),
    other=lambda t, g, input, other: -g * conjugate(t, (input / other) / other),
)


@hidden("_div_rounded", node="DivBackward2")
def div_rounded(xp, input: Array, other: Array, rounding_mode):
    """The quotient rounded down ("floor") or toward zero ("trunc"); integers stay integers."""
    return rounded_quotient(xp, input, other, rounding_mode)


div_rounded.same = rounded_half_quotient
div_rounded.gradient(input=lambda t, g: t.zeros_like(g), other=lambda t, g: t.zeros_like(g))


@chosen("div divide", choices=dict.fromkeys([(Tensor, Tensor), (Tensor, object)], true_divide))
def div(input, other, *, rounding_mode=None):
    """``input / other``; `rounding_mode` "floor" or "trunc" rounds the quotient.
    Integers give the default float dtype, but stay integers when rounded. RuntimeError: another `rounding_mode`, a
    rounded integer quotient by 0."""
    if rounding_mode is None:
        return true_divide, [input, other]
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return div_rounded, [input, other, rounding_mode]


@hidden("_floor_divide", domain="", node="NotImplemented")
def floor_divide_tensor(xp, input: Array, other: Array):
    """The quotient rounded down."""
    return rounded_quotient(xp, input, other, "floor")


floor_divide_tensor.same = lambda input, other: rounded_half_quotient(input, other, "floor")
floor_divide_tensor.gradient(input=no_derivative("floor_divide"), other=no_derivative("floor_divide"))


@hidden("_floor_divide_number", node="NotImplemented", promote="same input other")
def floor_divide_number(xp, input: Array, other):
    """The quotient by a number, rounded down."""
    return rounded_quotient(xp, input, other, "floor")


floor_divide_number.same = floor_divide_tensor.same
floor_divide_number.gradient(input=no_derivative("floor_divide"))


@hidden("_floor_divide_first", node="NotImplemented", promote="same input other")
def floor_divide_first(xp, input, other: Array):
    """The quotient of a number by a tensor, rounded down."""
    return rounded_quotient(xp, other.dtype.type(input), other, "floor")


floor_divide_first.same = lambda input, other: floor_divide_tensor.same(np.asarray(input).astype(other.dtype), other)
floor_divide_first.gradient(other=no_derivative("floor_divide"))


@chosen("floor_divide", choices={(Tensor, Tensor): floor_divide_tensor, (Tensor, object): floor_divide_number})
def floor_divide(input, other):
    """``input / other`` rounded down; integers stay integers.
    Towards minus infinity, as Python's ``//``: -1.5 // 1 is -2. They broadcast. RuntimeError: an integer divided by
    0."""
    if is_number(other):
        return floor_divide_number, [input, other]
    return (floor_divide_first if is_number(input) else floor_divide_tensor), [input, other]


def remainder_of(xp: Any, input: Any, other: Any) -> Any:
    """The remainder with the divisor's sign."""
    kind = input.dtype.kind
    if kind in "biu":
        if kind == "b":
            raise not_implemented("remainder_cpu", input)
        refuse_zeros(xp, input, other)
        return xp.remainder(input, other)
    if kind == "c":
        raise not_implemented("remainder_cpu", input)
    if (found := through("remainder", input, other)) is not None:
        return found
    rest = xp.fmod(input, other)
    return xp.where((rest != 0) & ((other < 0) != (rest < 0)), rest + other, rest)


def fmod_of(xp: Any, input: Any, other: Any) -> Any:
    """The remainder with the dividend's sign."""
    kind = input.dtype.kind
    if kind in "bc":
        raise not_implemented("fmod_cpu", input)
    if kind in "iu":
        refuse_zeros(xp, input, other)
    found = through("fmod", input, other)
    return xp.fmod(input, other) if found is None else found


def modulo(name: str, kernel: Any, quotient: str, sign: str) -> None:
    """`remainder` or `fmod`: by a tensor, by a number, of a number by a tensor."""
    title = name.capitalize()

    @hidden(f"_{name}_number", node=title + "Backward0", promote="same input other")
    def by_number(xp, input: Array, other):
        return kernel(xp, input, other)

    by_number.gradient(input=lambda t, g: g)

    @hidden(f"_{name}", node=title + "Backward1")
    def by_tensor(xp, input: Array, other: Array):
        return kernel(xp, input, other)

    by_tensor.gradient(
        input=lambda t, g: g, other=lambda t, g, input, other: -g * t._div_rounded(input, other, quotient)
    )

    @hidden(f"_{name}_first", node="NotImplemented", promote="same input other")
    def of_number(xp, input, other: Array):
        return kernel(xp, other.dtype.type(input), other)

    of_number.gradient(other=no_derivative(name))

    def choose(input, other):
        if isinstance(other, Tensor):
            return (of_number if is_number(input) else by_tensor), [input, other]
        if not is_number(other) or not isinstance(input, Tensor):
            raise combination_error(name, input, other)
        return by_number, [input, other]

    choose.__doc__ = f"What is left over from the division by `other`, with the sign of {sign}."
    chosen(name, choices={(Tensor, Tensor): by_tensor, (Tensor, object): by_number})(choose)


modulo("remainder", remainder_of, "floor", "`other`")
modulo("fmod", fmod_of, "trunc", "`input`")


def divided_by(self: Tensor, other: Any) -> Any:
    """``number / x`` is the number times the reciprocal, as PyTorch computes it."""
    if not isinstance(other, (*NUMBERS, np.ndarray)):
        return NotImplemented
    return find_function("reciprocal")(self) * other


install("truediv", "true_divide", np.true_divide, floats=True)
install_choice("mod", OPERATORS["remainder"].function)
install_choice("floordiv", floor_divide)
Tensor.__rtruediv__ = divided_by  # type: ignore[attr-defined]
for _name in ("__div__", "__rdiv__", "__idiv__"):  # of Python 2, which PyTorch keeps
    setattr(Tensor, _name, getattr(Tensor, _name.replace("div", "truediv")))
