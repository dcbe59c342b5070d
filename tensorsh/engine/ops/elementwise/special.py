"""``torch.special``: error, gamma, Bessel functions and their kin, computed by scipy where numpy has none.

scipy is imported inside the kernels, when one of them first runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.on_arrays import on_arrays
from ...kernels import through
from ...loading import table
from ...numerics.halves import by_table
from ...numerics.rounding import rounded
from ...operators.declare import Array, composite
from ...operators.pointwise import is_number, refuse, tensors_only, three_ways
from ...operators.results import store_out
from ...operators.scipy import from_scipy, scipy_function
from ...tape.worlds import raw
from ...tensors.tensor import Tensor
from .by_number import plus, times

SQRT_PI = math.sqrt(math.pi)


def exp_square(t: Any, x: Any, factor: float) -> Any:
    return t.exp(x * x * factor)


scipy_function("erf special.erf", "erf", lambda t, g, input: exp_square(t, input, -1) * (2 / SQRT_PI) * g,
               "The error function.", check="erf_vml_cpu", compiled="erf", domain="any")  # fmt: skip
scipy_function("erfc special.erfc", "erfc", lambda t, g, input: exp_square(t, input, -1) * (-2 / SQRT_PI) * g,
               "One minus the error function, exact for large arguments.", check="erfc_vml_cpu", compiled="erfc", domain="any")  # fmt: skip
scipy_function("erfinv special.erfinv", "erfinv", lambda t, g, input: exp_square(t, t.erfinv(input), 1) * (SQRT_PI / 2) * g,
               "The inverse of the error function.", check="erfinv_vml_cpu", compiled="erfinv", odd=True, domain="unit")  # fmt: skip
scipy_function("special.erfcx", "erfcx", lambda t, g, input, result: g * (input * result * 2 - 2 / SQRT_PI),
               "``exp(x**2) * erfc(x)``.", inplace=False, kinds="ch", compiled="erfcx", node="SpecialErfcxBackward0", domain="any")  # fmt: skip
scipy_function("special.log_ndtr", "log_ndtr", lambda t, g, input: g / t.erfcx(input * -math.sqrt(0.5)) * math.sqrt(2 / math.pi),
               "The logarithm of the normal distribution function.", inplace=False, kinds="ch", compiled="log_ndtr", node="SpecialLogNdtrBackward0", domain="any")  # fmt: skip
scipy_function("special.ndtri", "ndtri", lambda t, g, result: g * math.sqrt(2 * math.pi) * exp_square(t, result, 0.5),
               "The inverse of the normal distribution function.", inplace=False, kinds="ch", compiled="ndtri", node="SpecialNdtriBackward0", domain="inside")  # fmt: skip


# -- logarithms of odds, entropies: half types round after each step


@tensors_only("logit special.logit", domain="inside", promote="float", wide=False,
              check=lambda x, eps: refuse("logit_cpu", "c")(x))  # fmt: skip
def logit(xp, input: Array, eps=None):
    """``log(x / (1 - x))``; with `eps`, x is first limited to [eps, 1 - eps]."""
    if eps is not None:
        kind = input.dtype.type
        low = kind(eps)
        input = xp.where(input < low, low, xp.minimum(input, kind(1 - eps)))
    if type(input) is np.ndarray and (found := through("logit", input)) is not None:
        return found
    return rounded(xp.log, input / (input.dtype.type(1) - input))


def logit_parts(t: Any, input: Any, eps: Any) -> tuple:
    """Where the input is an end of [0, 1], where it is outside the range with a slope, the slope there; a safe input."""
    low, high, beyond = (0.0, 1.0, math.nan) if eps is None else (eps, 1 - eps, 0.0)
    edge = t.logical_or(input == 0, input == 1)
    return edge, t.logical_or(input < low, input > high), beyond, t.where(edge, t.ones_like(input) / 2, input)


def logit_backward(g: Any, input: Any, eps: Any) -> Any:
    if type(g) is np.ndarray:
        limits = () if eps is None else (g.dtype.type(eps), g.dtype.type(1 - eps))
        found = through("logit_limited_backward" if limits else "logit_backward", g, input, *limits)
        if found is not None:
            return found
    edge, outside, beyond, inside = logit_parts(raw, input, eps)
    return raw.where(outside, inside.dtype.type(beyond), raw.where(edge, g * math.inf, g / (inside * (1 - inside))))


@logit.gradient_of("input")
@on_arrays(logit_backward)
def logit_gradient(t: Any, g: Any, input: Any, eps: Any) -> Any:
    edge, outside, beyond, inside = logit_parts(t, input, eps)
    one = t.ones_like(input)
    return t.where(outside, one * beyond, g * t.where(edge, one * math.inf, 1 / (inside * (1 - inside))))


logit.same = by_table(logit)


@tensors_only("special.entr", promote="float", wide=False, inplace=False, node="SpecialEntrBackward0", domain="positive",
              check=refuse("entr_cpu", "c"))  # fmt: skip
def entr(xp, input: Array):
    """``-x * log(x)``, 0 at 0 and -inf below."""
    if input.dtype.itemsize == 2:
        kind = input.dtype.type
        value = -input * xp.log(input)
        return xp.where(input == 0, kind(0), xp.where(input < 0, kind(-math.inf), value))
    found = through("entropy", input)
    return rounded(from_scipy(xp, "entr"), input) if found is None else found


entr.same = by_table(entr)
entr.gradient(input=lambda t, g, input: g * (-t.log(input) - 1))


@composite("special.ndtr", domain="any")
def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """The normal distribution function."""
    refuse("erf_vml_cpu", "c")(input._array)
    value = times(plus(times(input, math.sqrt(0.5)).erf(), 1), 0.5)
    if out is None:
        return value
    store_out(out, value)
    return out


def product_log(ufunc: Any) -> Any:
    """``x * log(y)`` that is 0 where x is 0 and y is no NaN."""

    def kernel(xp: Any, input: Any, other: Any) -> Any:
        value = input * rounded(ufunc, xp.asarray(other))
        if xp is np and input.all():  # a GPU would have to be waited for
            return value
        return xp.where(xp.isnan(other), input.dtype.type(np.nan), xp.where(input == 0, input.dtype.type(0), value))

    return kernel


def log_where(log: str, bound: float) -> Any:
    def gradient(t: Any, g: Any, input: Any, other: Any) -> Any:
        value = logarithm(t, log, other)
        flat = g == 0  # no gradient is none, also of infinite steepness
        if is_number(other):
            flat = flat if other > bound else t.logical_or(flat, input == 0)
        else:
            flat = t.logical_and(flat, other == other)
            if not is_number(input):
                flat = t.logical_or(flat, t.logical_and(input == 0, other <= bound))
            elif input == 0:
                flat = t.logical_or(flat, other <= bound)
        return t.where(flat, t.zeros_like(g), g * value)

    return gradient


def logarithm(t: Any, name: str, x: Any) -> Any:
    if not is_number(x):
        return getattr(t, name)(x)
    x = x + 1 if name == "log1p" else x
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


three_ways("xlogy special.xlogy", "XlogyBackward", product_log(np.log), log_where("log", 0),
           lambda t, g, input, other: g * input / other, "``x * log(y)``, 0 where x is 0.", inplace=True)  # fmt: skip
three_ways("special.xlog1py", "SpecialXlog1PyBackward", product_log(np.log1p), log_where("log1p", -1),
           lambda t, g, input, other: g * input / (other + 1), "``x * log1p(y)``, 0 where x is 0.", inplace=False)  # fmt: skip


def elsewhere(name: str, doc: str) -> None:
    """A function of another family under its name in torch.special."""

    def function(input: Tensor, dim: Any, *args: Any, **kwargs: Any) -> Tensor:
        return table.find_function(name)(input, dim, *args, **kwargs)

    function.__doc__ = doc
    composite("special." + name)(function)


elsewhere("softmax", "Exponentials along `dim`, divided by their sum.")
elsewhere("log_softmax", "The logarithm of softmax.")
