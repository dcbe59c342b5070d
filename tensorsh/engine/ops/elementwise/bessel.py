"""Bessel functions, by kernels that have PyTorch's series, or by scipy."""

from __future__ import annotations

from typing import Any

from ... import kernels
from ...numerics.rounding import rounded
from ...operators.declare import Array, operator
from ...operators.pointwise import refuse
from ...operators.scipy import from_scipy, scipy_function

EPS = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52}
"""By the bytes of a number: what is nearer to zero has the slope there."""


def half_at_zero(slope: Any) -> Any:
    """The gradient of a function of this slope, which is one half at zero, where the slope has no value."""

    def gradient(t: Any, g: Any, input: Any, result: Any) -> Any:
        away = t.abs(input) > EPS[t.array(input).dtype.itemsize]
        safe = t.where(away, input, t.ones_like(input))
        return g * t.where(away, slope(t, safe, result), t.ones_like(input) * 0.5)

    return gradient


i1_gradient = half_at_zero(lambda t, x, result: t.i0(x) - result / x)
i1e_gradient = half_at_zero(lambda t, x, result: t.i0e(x) - result * (t.sgn(x) + 1 / x))


scipy_function("i0 special.i0", "i0", lambda t, g, input: g * t.i1(input), "The modified Bessel function of order 0.",
               compiled="i0", check="i0_vml_cpu", domain="any")  # fmt: skip
scipy_function("special.i0e", "i0e", lambda t, g, input, result: g * (t.i1e(input) - t.sgn(input) * result),
               "``exp(-|x|) * i0(x)``.", compiled="i0e", node="SpecialI0EBackward0", inplace=False, domain="any")  # fmt: skip
scipy_function("special.i1", "i1", i1_gradient, "The modified Bessel function of order 1.",
               compiled="i1", node="SpecialI1Backward0", inplace=False, domain="any")  # fmt: skip
scipy_function("special.i1e", "i1e", i1e_gradient, "``exp(-|x|) * i1(x)``.",
               compiled="i1e", node="SpecialI1EBackward0", inplace=False, domain="any")  # fmt: skip
for _name, _scipy_name, _compiled, _doc in (
    ("modified_bessel_i0", "i0", "i0", "The modified Bessel function of the first kind of order 0."),
    ("modified_bessel_i1", "i1", "whole_i1", "The modified Bessel function of the first kind of order 1."),
    ("bessel_j0", "j0", "bessel_j0", "The Bessel function of the first kind of order 0."),
    ("bessel_j1", "j1", "bessel_j1", "The Bessel function of the first kind of order 1."),
    ("bessel_y0", "y0", "bessel_y0", "The Bessel function of the second kind of order 0."),
    ("bessel_y1", "y1", "bessel_y1", "The Bessel function of the second kind of order 1."),
    ("modified_bessel_k0", "k0", "modified_bessel_k0", "The modified Bessel function of the second kind of order 0."),
    ("modified_bessel_k1", "k1", "modified_bessel_k1", "The modified Bessel function of the second kind of order 1."),
    ("scaled_modified_bessel_k0", "k0e", "scaled_modified_bessel_k0", "``exp(x) * k0(x)``."),
    ("scaled_modified_bessel_k1", "k1e", "scaled_modified_bessel_k1", "``exp(x) * k1(x)``."),
):
    scipy_function("special." + _name, _scipy_name, None, _doc, inplace=False, kinds="ch", compiled=_compiled)


@operator("special.airy_ai", promote="float", scalars=False, check=refuse("airy_ai_cpu", "ch"), long="hosted")
def airy_ai(xp, input: Array):
    """The Airy function Ai."""
    if (found := kernels.through("airy_ai", input)) is not None:
        return found
    return rounded(lambda x: from_scipy(xp, "airy")(x)[0], input)


@operator("special.spherical_bessel_j0", promote="float", scalars=False, check=refuse("spherical_bessel_j0_cpu", "ch"))
def spherical_bessel_j0(xp, input: Array):
    """``sin(x) / x``, 1 at 0."""
    if (found := kernels.through("spherical_j0", input)) is not None:
        return found
    one = input.dtype.type(1)
    small = xp.absolute(input) < 0.5
    safe = xp.where(small, one, input)
    square = input * input
    series = one - square / 6 * (one - square / 20 * (one - square / 42 * (one - square / 72 * (one - square / 110))))
    return xp.where(xp.isinf(input), 0 * one, xp.where(small, series, xp.sin(safe) / safe))
