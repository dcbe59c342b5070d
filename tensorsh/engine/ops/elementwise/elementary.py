"""Exponentials, logarithms, trigonometric and hyperbolic functions.

Integers become the default float. Small float32 arrays are computed in double and rounded (see `constants.EXACT_SIZE`).
"""

from __future__ import annotations

from functools import partial
from math import pi
from typing import Any

import numpy as np

from ... import kernels
from ...arrays.constants import EXACT_SIZE, FLOAT32
from ...arrays.on_arrays import on_arrays
from ...numerics.halves import by_kernel
from ...numerics.rounding import rounded
from ...operators.declare import Array, by, operator
from ...operators.pointwise import refuse

LN2, LN10 = 0.6931471805599453, 2.302585092994046


def function(names: str = "", /, **options: Any) -> Any:
    """An elementwise function of one tensor: integers become the default float, an in-place form."""
    return operator(names, **{"promote": "float", "inplace": True, "scalars": False, "domain": "any"} | options)


def elementary(names: str, ufunc: str, gradient: Any, doc: str, **options: Any) -> None:
    """A function that numpy has, and its gradient."""

    def kernel(xp, input: Array):
        return rounded(getattr(xp, ufunc), input)

    kernel.__doc__ = doc
    found = getattr(np, ufunc)
    function(names, ufunc=by(found, exact=True, precise=found), **options)(kernel).gradient(input=gradient)


elementary("exp", "exp", lambda t, g, result: g * t.conj(result), "The exponential of each element.")
elementary(
    "exp2 special.exp2", "exp2", lambda t, g, result: g * t.conj(result) * LN2, "Two to the power of each element."
)
elementary("expm1 special.expm1", "expm1", lambda t, g, result: g * t.conj(result + 1), "``exp(x) - 1``, exact near 0.")
elementary(
    "log", "log", lambda t, g, input: g / t.conj(input), "The natural logarithm; NaN below 0.", domain="positive"
)
elementary("log2", "log2", lambda t, g, input: g / t.conj(input * LN2), "The logarithm to base 2.", domain="positive")
elementary(
    "log10", "log10", lambda t, g, input: g / t.conj(input * LN10), "The logarithm to base 10.", domain="positive"
)


@function(
    "log1p special.log1p", ufunc=by(np.log1p, exact=True, precise=np.log1p, real=True), node="Log1PBackward0",
    domain="positive",
)  # fmt: skip
def log1p(xp, input: Array):
    """``log(1 + x)``, exact near 0."""
    if input.dtype.kind != "c":
        return rounded(xp.log1p, input)
    # Of complex numbers near 0 the sum with 1 would lose all digits.
    near = xp.abs(input) < 0.5
    re, im = input.real.astype(np.float64), input.imag.astype(np.float64)
    close = xp.log1p(xp.where(near, re * (2 + re) + im * im, 0)) / 2 + 1j * xp.arctan2(im, re + 1)
    return xp.where(near, close, xp.log1p(input)).astype(input.dtype)


log1p.gradient(input=lambda t, g, input: g / t.conj(input + 1))


elementary("sin", "sin", lambda t, g, input: g * t.conj(t.cos(input)), "The sine of each element.")
elementary("cos", "cos", lambda t, g, input: g * -t.conj(t.sin(input)), "The cosine of each element.")
elementary(
    "tan", "tan", lambda t, g, result: g * t.conj(1 + result * result), "The tangent of each element.", domain="unit"
)
elementary("asin arcsin", "arcsin", lambda t, g, input: g * t.conj(t.rsqrt(1 - input * input)), "The inverse sine.",
           domain="unit")  # fmt: skip
elementary("acos arccos", "arccos", lambda t, g, input: g * -t.conj(t.rsqrt(1 - input * input)), "The inverse cosine.",
           domain="unit")  # fmt: skip
elementary("atan arctan", "arctan", lambda t, g, input: g / t.conj(input * input + 1), "The inverse tangent.")
elementary("sinh", "sinh", lambda t, g, input: g * t.conj(t.cosh(input)), "The hyperbolic sine.")
elementary("cosh", "cosh", lambda t, g, input: g * t.conj(t.sinh(input)), "The hyperbolic cosine.")


elementary(
    "tanh nn.functional.tanh", "tanh", lambda t, g, result: tanh_gradient(t, g, result), "The hyperbolic tangent."
)
elementary("asinh arcsinh", "arcsinh", lambda t, g, input: g * t.conj(t.rsqrt(input * input + 1)),
           "The inverse hyperbolic sine.", node="AsinhBackward0 AsinhBackward1")  # fmt: skip
elementary("acosh arccosh", "arccosh", lambda t, g, input: acosh_gradient(t, g, input),
           "The inverse hyperbolic cosine.", node="AcoshBackward0 AcoshBackward1", domain="above one")  # fmt: skip
elementary("atanh arctanh", "arctanh", lambda t, g, input: g / t.conj(1 - input * input), "The inverse hyperbolic tangent.",
           node="AtanhBackward0 AtanhBackward1", domain="unit")  # fmt: skip


def acosh_gradient(t: Any, g: Any, input: Any) -> Any:
    if t.array(input).dtype.kind == "c":
        return g * t.conj(t.rsqrt(input - 1) * t.rsqrt(input + 1))
    return g * t.rsqrt(input * input - 1)


def tanh_backward(g: Any, result: Any) -> Any:
    """By a kernel, which rounds the bracket once, as PyTorch does."""
    return kernels.through("tanh_backward", g, result) if type(g) is type(result) is np.ndarray else None


@on_arrays(tanh_backward)
def tanh_gradient(t: Any, g: Any, result: Any) -> Any:
    """``g * (1 - y * y)``."""
    return t._tanh_backward(g, result)


@operator("_tanh_backward", node="TanhBackwardBackward0", method=False, wide=True)
def tanh_again(xp, grad: Array, output: Array):
    """``g * (1 - result * result)``."""
    found = tanh_backward(grad, output)
    return grad * (1 - xp.conj(output * output)) if found is None else found


tanh_again.gradient(
    grad=lambda t, g, output: t._tanh_backward(g, t.conj(output)),
    output=lambda t, g, grad, output: t.conj(g) * (-2 * t.conj(output) * grad),
)


def sigmoid_backward(g: Any, result: Any) -> Any:
    if type(result) is np.ndarray and result.dtype.kind != "c":
        if kernels.suits(g, result):
            return kernels.compiled.sigmoid_backward(g, result)
        return g * (1 - result) * result
    return None


@on_arrays(sigmoid_backward)
def sigmoid_gradient(t: Any, g: Any, result: Any) -> Any:
    """``g * (1 - y) * y``, in PyTorch's order, which is another for complex numbers."""
    return t._sigmoid_backward(g, result)


@operator("_sigmoid_backward", node="SigmoidBackwardBackward0", method=False, wide=True)
def sigmoid_again(xp, grad: Array, output: Array):
    """``g * (1 - result) * result``."""
    found = sigmoid_backward(grad, output)
    return grad * xp.conj((1 - output) * output) if found is None else found


sigmoid_again.gradient(
    grad=lambda t, g, output: t._sigmoid_backward(g, t.conj(output)),
    output=lambda t, g, grad, output: t.conj(g) * grad * (-2 * t.conj(output) + 1),
)


@operator("atan2 arctan2", promote="float", inplace=True, scalars=False, check=refuse("atan2_cpu", "c"))
def atan2(xp, input: Array, other: Array):
    """The angle of the point (other, input)."""
    if (found := kernels.through("arctan2", input, other)) is not None:
        return found
    if input.dtype == np.float32 and input.size <= EXACT_SIZE:
        return xp.arctan2(input, other, dtype=np.float64).astype(np.float32)
    return xp.arctan2(input, other)


def per_square(t: Any, input: Any, other: Any) -> Any:
    """``1 / (input**2 + other**2)``, 0 where both are 0."""
    total = input * input + other * other
    return t.where(total == 0, t.zeros_like(total), 1 / total)


atan2.gradient(
    input=lambda t, g, input, other: g * other * per_square(t, input, other),
    other=lambda t, g, input, other: g * -input * per_square(t, input, other),
)


@operator(promote="same", inplace=True, scalars=False, check=refuse("hypot_cpu", "biuc"))
def hypot(xp, input: Array, other: Array):
    """The length of the hypotenuse of a right triangle."""
    found = kernels.through("hypotenuse", input, other)
    return xp.hypot(input, other) if found is None else found


hypot.same = by_kernel("hypotenuse", lambda x, y: (x, y))
hypot.gradient(
    input=lambda t, g, input, result: g * input / result, other=lambda t, g, other, result: g * other / result
)


def sigmoid_of(xp: Any, x: Any) -> Any:
    """``1 / (1 + exp(-x))``, its exponential rounded as `exp` is."""
    if (found := kernels.through("sigmoid", x)) is not None:
        return found
    one = x.dtype.type(1)
    if x.dtype == FLOAT32 and x.size <= EXACT_SIZE:
        return one / (one + xp.exp(-x.astype(np.float64)).astype(np.float32))
    return one / (one + xp.exp(-x))


@function(
    "sigmoid special.expit nn.functional.sigmoid", ufunc=by(partial(sigmoid_of, np), loop=kernels.kernel("sigmoid"))
)
def sigmoid(xp, input: Array):
    """The logistic function ``1 / (1 + exp(-x))``.
    Any shape; integers and booleans give the default float dtype."""
    return sigmoid_of(xp, input)


sigmoid.gradient(input=lambda t, g, result: sigmoid_gradient(t, g, result))


@function("sinc special.sinc")
def sinc(xp, input: Array):
    """``sin(pi x) / (pi x)``, 1 at 0."""
    x = input * input.dtype.type(pi)
    if xp is np and x.all():  # a GPU would have to be waited for
        return rounded(xp.sin, x) / x
    return xp.where(x == 0, x.dtype.type(1), rounded(xp.sin, x) / xp.where(x == 0, x.dtype.type(1), x))


@sinc.gradient_of("input")
def sinc_gradient(t: Any, g: Any, input: Any) -> Any:
    flat = input * input * pi == 0
    safe = t.where(flat, t.ones_like(input), input)
    x = safe * pi
    slope = (x * t.cos(x) - t.sin(x)) / (safe * safe * pi)
    return t.where(flat, t.zeros_like(g), g * t.conj(slope))


@operator(promote="same", scalars=False, domain="any", check=refuse("logaddexp_cpu", "biu"))
def logaddexp(xp, input: Array, other: Array):
    """``log(exp(x) + exp(y))`` without overflow."""
    if input.dtype.kind == "c":
        return complex_logaddexp(xp, input, other)
    found = kernels.through("logaddexp", input, other)
    return xp.logaddexp(input, other) if found is None else found


def complex_logaddexp(xp: Any, x: Any, y: Any) -> Any:
    larger = xp.where(x.real >= y.real, x, y)
    smaller = xp.where(x.real >= y.real, y, x)
    found = larger + xp.log1p(xp.exp(smaller - larger))
    same = (larger.real == smaller.real) & xp.isinf(larger.real)  # whose difference is no number
    found = xp.where(same, xp.where(larger.real < 0, smaller, xp.log(xp.exp(smaller) + xp.exp(larger))), found)
    return xp.where(xp.isnan(x) | xp.isnan(y), found.dtype.type(complex("nan+nanj")), found)


logaddexp.gradient(
    input=lambda t, g, input, other: g / t.conj(1 + t.exp(other - input)),
    other=lambda t, g, input, other: g / t.conj(1 + t.exp(input - other)),
)


@operator(promote="same", scalars=False, domain="any", check=refuse("logaddexp2_cpu", "biuc"))
def logaddexp2(xp, input: Array, other: Array):
    """``log2(2**x + 2**y)`` without overflow."""
    found = kernels.through("logaddexp2", input, other)
    return xp.logaddexp2(input, other) if found is None else found


logaddexp2.gradient(
    input=lambda t, g, input, other: g / t.conj(1 + t.exp2(other - input)),
    other=lambda t, g, input, other: g / t.conj(1 + t.exp2(input - other)),
)
