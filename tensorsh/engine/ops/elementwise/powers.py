"""Powers, squares and roots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.dtype import float64
from ...arrays.errors import combination_error, not_implemented
from ...arrays.numbers import converted
from ...arrays.on_arrays import on_arrays
from ...arrays.promotion import result_type
from ...kernels import kernel
from ...numerics.arithmetic import raised
from ...numerics.complex import weighted
from ...operators.declare import Array, by, composite
from ...operators.pointwise import chosen, hidden, is_number, tensors_only
from ...operators.python_operators import install_choice
from ...tape.worlds import raw
from ...tensors.tensor import Tensor

NEGATIVE = "Integers to negative integer powers are not allowed."


def check_exponent(input: Any, exponent: Any) -> None:
    if type(exponent) is int and 0 <= exponent < 128 and input.dtype.kind in "fiuV":
        return  # in the range of all of these
    if input.dtype.kind in "biu" and isinstance(exponent, (int, np.integer)) and exponent < 0:
        raise RuntimeError(NEGATIVE)
    number = not hasattr(exponent, "dtype")
    if number and result_type([input, exponent]).numpy == input.dtype and input.dtype.kind != "c":
        converted(exponent, input.dtype)


def times_small_power(g: Any, input: Any, exponent: Any) -> Any:
    if exponent == 2:
        return g * raw.conj(input + input if input.dtype.kind != "c" else weighted(input, input.dtype.type(2)))
    return g if exponent == 1 else None


@on_arrays(times_small_power)
def times_power(t: Any, g: Any, input: Any, exponent: Any) -> Any:
    """The gradient of ``input ** exponent`` for a number."""
    if exponent == 0:
        return t.zeros_like(g)
    if isinstance(exponent, (int, np.integer)):
        exponent = float(exponent)
    elif isinstance(exponent, complex):
        input = input + 0j
    return g * t.conj(t._pow_number(input, exponent - 1) * exponent)


def short_power(x: Any, exponent: Any) -> Any:
    return x * x if exponent == 2 else raised(np, x, x.dtype.type(exponent))


@hidden("_pow_number", node="PowBackward0", promote="same input exponent", scalars=False, check=check_exponent,
        ufunc=short_power)  # fmt: skip
def pow_number(xp, input: Array, exponent):
    """A tensor to the power of a number."""
    return raised(xp, input, input.dtype.type(exponent))


pow_number.gradient(input=times_power)


def check_bools(input: Any, exponent: Any) -> None:
    if input.dtype.kind == "b" and exponent.dtype.kind == "b":
        raise not_implemented("pow", input)


@hidden("_pow_tensor", domain="positive", node="PowBackward1", scalars=False, check=check_bools)
def pow_tensor(xp, input: Array, exponent: Array):
    """A tensor to the power of a tensor."""
    if xp is np and input.dtype.kind in "fc" and exponent.ndim == 0 and float(exponent.real) != 2:
        exponent = xp.broadcast_to(exponent, input.shape) if input.ndim else exponent
    return raised(xp, input, exponent)


def base_gradient(t: Any, g: Any, input: Any, exponent: Any) -> Any:
    grad = g * t.conj(exponent * t._pow_tensor(input, exponent - 1))
    return t.where(exponent == 0, t.zeros_like(grad), grad)


def exponent_gradient(t: Any, g: Any, input: Any, exponent: Any, result: Any) -> Any:
    kind = t.array(exponent).dtype.kind
    flat = input == 0 if kind == "c" else t.logical_and(input == 0, exponent >= 0)
    base = t.where(flat, t.ones_like(input), input)
    if kind == "c" and t.array(base).dtype.kind != "c":
        base = base + 0j  # negative numbers have logarithms then
    slope = t.conj(result * t.log(base))
    return g * t.where(flat, t.zeros_like(slope), slope)


pow_tensor.gradient(input=base_gradient, exponent=exponent_gradient)


def check_base(input: Any, exponent: Any) -> None:
    if type(input) is bool and exponent.dtype.kind == "b":
        raise not_implemented("pow", exponent)


@hidden("_pow_base", node="PowBackward2", promote="same input exponent", scalars=False, check=check_base)
def pow_base(xp, input, exponent: Array):
    """A number to the power of a tensor."""
    base = exponent.dtype.type(input)
    if exponent.dtype.kind in "fc":
        base = xp.broadcast_to(xp.asarray(base), exponent.shape) if exponent.ndim else xp.asarray(base)
    else:
        base = xp.full(exponent.shape, base)
    if exponent.ndim == 0:
        return raised(xp, xp.asarray(base), exponent)
    return raised(xp, base, exponent)


@pow_base.gradient_of("exponent")
def base_number_gradient(t: Any, g: Any, input: Any, exponent: Any, result: Any) -> Any:
    if input == 0:
        kind = t.array(exponent).dtype.kind
        slope = t.conj(result * -math.inf)
        return t.zeros_like(g) if kind == "c" else g * t.where(exponent >= 0, t.zeros_like(slope), slope)
    log = np.log(complex(input)) if isinstance(input, complex) or input < 0 else math.log(input)
    if isinstance(log, np.complexfloating):
        kind = t.array(exponent).dtype.kind
        log = complex(log) if kind == "c" else math.nan
    return g * t.conj(result * log)


@chosen("pow", usual=pow_number, choices={(Tensor, Tensor): pow_tensor})
def pow(input, exponent):
    """``input ** exponent``; either may be a number.
    The shapes broadcast, the dtypes are promoted. RuntimeError: integers to a negative integer number."""
    if isinstance(input, Tensor):
        if isinstance(exponent, Tensor):
            return pow_tensor, [input, exponent]
        if is_number(exponent):
            return pow_number, [input, exponent]
    elif isinstance(exponent, Tensor) and is_number(input):
        return pow_base, [input, exponent]
    raise combination_error("pow", input, exponent)


def power_in_place(input: Tensor, exponent: Any) -> Tensor:
    want = wide_dtype(input, exponent)
    if input.dtype is not want:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {input.dtype.short} but the operation's result requires dtype "
            f"{want.short}"
        )
    return input.pow_(exponent.to(want) if isinstance(exponent, Tensor) else exponent)


def wide_dtype(*values: Any) -> Any:
    """float64, or complex128 where an operand is complex."""
    for x in values:
        if x.dtype.is_complex if isinstance(x, Tensor) else isinstance(x, (complex, np.complexfloating)):
            return float64.to_complex()
    return float64


@composite(inplace=power_in_place)
def float_power(input, exponent, *, out=None):
    """``input ** exponent`` in double precision."""
    want = wide_dtype(input, exponent)
    values = [
        x.to(want) if isinstance(x, Tensor) else complex(x) if want.is_complex else float(x) for x in (input, exponent)
    ]
    return table_pow(*values, out)


def table_pow(input: Any, exponent: Any, out: Any) -> Any:
    if out is None and isinstance(input, Tensor) and is_number(exponent):
        return pow_number.run([input, exponent])
    return pow(input, exponent) if out is None else pow(input, exponent, out=out)


@composite(inplace=lambda input: input.pow_(2), domain="any")
def square(input, *, out=None):
    """``input ** 2``."""
    return table_pow(input, 2, out)


@tensors_only(promote="float", ufunc=np.sqrt, domain="positive")
def sqrt(xp, input: Array):
    """The square root; NaN for negative numbers.
    Any shape; integers and booleans give the default float dtype."""
    return xp.sqrt(input)


sqrt.gradient(input=lambda t, g, result: g / t.conj(result * 2))


root_kernel = kernel("rsqrt")
root = root_kernel or (lambda x: np.reciprocal(np.sqrt(x)))


@tensors_only(promote="float", ufunc=by(root, loop=root_kernel), domain="positive")
def rsqrt(xp, input: Array):
    """``1 / sqrt(input)``."""
    return input.dtype.type(1) / xp.sqrt(input)


rsqrt.gradient(input=lambda t, g, result: g * t.conj(result * result * result) * -0.5)


install_choice("pow", pow)
