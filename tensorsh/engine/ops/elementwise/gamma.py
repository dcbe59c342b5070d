"""The gamma function's logarithm and derivatives, incomplete gamma functions, Hurwitz's zeta function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....sandbox.long_calls import HUGE
from ...arrays.constants import FLOAT32, FLOAT64
from ...arrays.extents import span
from ...arrays.on_arrays import on_arrays
from ...arrays.type_names import type_name
from ...kernels import kernel, unsuited
from ...loading import table
from ...numerics.halves import by_table, in_rows
from ...numerics.rounding import rounded
from ...operators.declare import Array, operator
from ...operators.pointwise import chosen, is_number, no_derivative, refuse, tensors_only, three_ways
from ...operators.scipy import from_scipy, leavable
from ...tensors.tensor import Tensor


def compiled(name: str, x: Any) -> Any:
    """A kernel's ufunc of floats, which can be interrupted on large arrays; None for other arrays."""
    ufunc = kernel(name)
    if ufunc is None or type(x) is not np.ndarray or x.dtype not in (FLOAT32, FLOAT64):
        return None
    return leavable(ufunc)(x)


log_gamma_above = kernel("log_gamma", unsuited)


def log_gamma(xp: Any, input: Any) -> Any:
    if xp is np and (found := log_gamma_above(input)) is not None:
        return found
    return xp.where(xp.isinf(input), input.dtype.type(np.inf), rounded(from_scipy(xp, "gammaln"), input))


@tensors_only("digamma special.psi special.digamma", promote="float", domain="positive", check=refuse("digamma", "c"))
def digamma(xp, input: Array):
    """The derivative of lgamma; at 0 infinite with the opposite sign, at negative integers NaN."""
    result = compiled("digamma", input)
    if result is None:
        result = rounded(from_scipy(xp, "digamma"), input)
    if type(input) is np.ndarray and 0 < input.size < HUGE and np.minimum.reduce(input, None) > 0:
        return result  # no poles
    kind = input.dtype.type
    result = xp.where((input < 0) & (input == xp.floor(input)), kind(np.nan), result)
    return xp.where(input == 0, xp.copysign(kind(np.inf), -input), result)


digamma.same = by_table(digamma)
digamma.gradient(input=lambda t, g, input: g * t._polygamma(input, 1))


def check_polygamma(input: Any, n: Any) -> None:
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    refuse("trigamma" if n == 1 else "polygamma", "c")(input)


@operator("_polygamma", promote="float", method=False, scalars=False, node="PolygammaBackward0 PolygammaBackward1", check=check_polygamma)  # fmt: skip
def polygamma_of(xp, input: Array, n):
    """The n-th derivative of digamma."""
    if n == 0:
        return digamma.kernel(xp, input)
    if n == 1 and (found := compiled("trigamma", input)) is not None:
        return found
    zeta = from_scipy(xp, "zeta")
    wide = input.astype(np.float64)
    # The series of the zeta function covers positive arguments; trigamma is reflected for the others.
    if n == 1:
        reflect = wide < 0.5
        value = zeta(2.0, xp.where(reflect, 1 - wide, wide))
        sine = xp.sin(input.dtype.type(np.pi) * input)
        result = xp.where(reflect, -value + np.pi**2 / (sine * sine), value)
    else:
        factorial = math.gamma(n + 1) if -1 < n < 171 else math.inf if n > 0 else math.nan
        result = (1 if n % 2 else -1) * factorial * hurwitz(xp, zeta, input.dtype.type(n + 1), wide, input.dtype)
    return result.astype(input.dtype)


polygamma_of.gradient(input=lambda t, g, input, n: g * t._polygamma(input, n + 1))


@chosen("polygamma special.polygamma", method="polygamma")
def polygamma(n, input):
    """The n-th derivative of the digamma function."""
    if isinstance(n, Tensor) and not (isinstance(input, Tensor) and n._array.dtype.kind in "iu" and not n.ndim):
        # The method has them the other way round.
        n, input = input, n
    if isinstance(n, Tensor) and not n._array.ndim and n._array.dtype.kind in "iu":
        n = n.item()
    if not isinstance(n, (int, np.integer)) or isinstance(n, bool):
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type_name(n)}")
    return polygamma_of, [input, n]


@tensors_only("mvlgamma special.multigammaln", promote="float", domain="", check=lambda x, p: check_mvlgamma(x, p))
def mvlgamma(xp, input: Array, p):
    """The logarithm of the multivariate gamma function of dimension p."""
    total = input.dtype.type(p * (p - 1) / 4 * math.log(math.pi))
    for step in np.arange(p) / 2:  # an array, which the bounds on memory bound
        total = total + log_gamma(xp, input - input.dtype.type(step))
    return total


def check_mvlgamma(input: Any, p: Any) -> None:
    if input.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    span((p,), None, 4)
    refuse("arange_cpu", "c")(input)  # the first kernel of PyTorch's formula


@mvlgamma.gradient_of("input")
def mvlgamma_gradient(t: Any, g: Any, input: Any, p: Any) -> Any:
    total = t.digamma(input + 0)
    for j in range(1, p):
        total = total + t.digamma(input - j / 2)
    return g * total


@tensors_only("lgamma special.gammaln", domain="positive", promote="float", check=refuse("lgamma_vml_cpu", "c"))
def lgamma(xp, input: Array):
    """The logarithm of the absolute value of the gamma function."""
    return log_gamma(xp, input)


lgamma.same = by_table(lgamma)
lgamma.gradient(input=lambda t, g, input: g * t.digamma(input))


def zeta_of(xp: Any, input: Any, other: Any) -> Any:
    """The Hurwitz zeta function; infinite at the poles."""
    input = in_rows(input)
    if xp is np and not np.count_nonzero(input > 1):
        value = (input == 1) / input.dtype.type(0)
        return value if input.shape == other.shape else np.broadcast_arrays(value, other)[0].copy()
    x, q = xp.broadcast_arrays(xp.asarray(input, dtype=np.float64), xp.asarray(other, dtype=np.float64))
    if xp is np and (beside := x <= 1).any():  # these have no sum
        value, inside = np.full(x.shape, np.nan), ~beside
        value[inside] = hurwitz(np, from_scipy(np, "zeta"), x[inside], q[inside], input.dtype)
    else:
        value = hurwitz(xp, from_scipy(xp, "zeta"), x, q, input.dtype)
    return xp.where(x == 1, np.inf, xp.where(x < 1, np.nan, value)).astype(input.dtype)


def hurwitz(xp: Any, zeta: Any, x: Any, q: Any, dtype: Any) -> Any:
    """scipy's function. Where the first term of the series is too small to hold, PyTorch's remainder may multiply 0 by inf."""
    first = xp.power(xp.asarray(q, dtype=dtype), xp.asarray(-x, dtype=dtype))
    overflows = (q == np.inf) | (x > np.finfo(np.float64).max ** (1 / 23))
    value = xp.where((first == 0) & overflows & (q > 1), np.nan, zeta(xp.asarray(x, dtype=np.float64), q))
    return xp.where((q <= 0) & (q == xp.floor(q)), np.inf, value)


three_ways("special.zeta", "SpecialZetaBackward", zeta_of, no_derivative("zeta", True),
           lambda t, g, input, other: g * -input * zeta_function(t, input + 1, other), "The Hurwitz zeta function.",
           inplace=False)  # fmt: skip


def zeta_on_arrays(x: Any, q: Any) -> Any:
    like = q if not is_number(q) else x
    return zeta_of(np, np.asarray(x, dtype=like.dtype), np.asarray(q, dtype=like.dtype))


@on_arrays(zeta_on_arrays)
def zeta_function(t: Any, x: Any, q: Any) -> Any:
    return table.FUNCTIONS["special.zeta"](x, q)


incomplete: Any = kernel("incomplete_gamma", unsuited)
"""The functions for first parameters up to 20; None where one is larger, or is no point of their inside."""


def incomplete_gamma(names: str, scipy_name: str, sign: int) -> None:
    name = names.split()[0]

    def kernel(xp, input: Array, other: Array):
        low, high = input.dtype.type(sign < 0), input.dtype.type(sign > 0)
        both = [input, other] if type(input) is np.ndarray is type(other) else []
        if both and input.shape != other.shape:
            both = np.broadcast_arrays(input, other)
        value = incomplete(*[np.asarray(x, order="C") for x in both], sign < 0) if both else None
        if value is not None:
            return value
        value = from_scipy(xp, scipy_name)(input, other)
        value = xp.where((other == np.inf) & ~(input < 0) & (input != np.inf), high, value)
        value = xp.where((input == np.inf) & ~(other < 0) & (other != np.inf), low, value)
        return xp.where((other == 0) & ~(input <= 0), low, value)

    kernel.__doc__ = f"The regularized {'lower' if sign > 0 else 'upper'} incomplete gamma function."
    op = operator(names, promote="same", inplace=True, scalars=False, check=refuse(f"{name}_cpu", "biuc"))(kernel)
    op.gradient(
        input=no_derivative(f"{name}: input", True),
        other=lambda t, g, input, other: g * t.exp((input - 1) * t.log(other) - other - t.lgamma(input)) * sign,
    )


incomplete_gamma("igamma special.gammainc", "gammainc", 1)
incomplete_gamma("igammac special.gammaincc", "gammaincc", -1)
