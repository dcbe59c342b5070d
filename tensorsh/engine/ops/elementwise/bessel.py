"""Bessel functions: the modified ones of the first kind by Chebyshev series as PyTorch has them; the others by kernels, or by scipy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import kernels
from ...arrays.constants import FLOAT32
from ...numerics.halves import by_table
from ...numerics.rounding import fused, rounded
from ...operators.declare import Array, operator
from ...operators.pointwise import refuse
from ...operators.scipy import from_scipy, scipy_function

FIRST_0 = (
    -4.4153416464793395e-18,
    3.3307945188222384e-17,
    -2.431279846547955e-16,
    1.715391285555133e-15,
    -1.1685332877993451e-14,
    7.676185498604936e-14,
    -4.856446783111929e-13,
    2.95505266312964e-12,
    -1.726826291441556e-11,
    9.675809035373237e-11,
    -5.189795601635263e-10,
    2.6598237246823866e-09,
    -1.300025009986248e-08,
    6.046995022541919e-08,
    -2.670793853940612e-07,
    1.1173875391201037e-06,
    -4.4167383584587505e-06,
    1.6448448070728896e-05,
    -5.754195010082104e-05,
    0.00018850288509584165,
    -0.0005763755745385824,
    0.0016394756169413357,
    -0.004324309995050576,
    0.010546460394594998,
    -0.02373741480589947,
    0.04930528423967071,
    -0.09490109704804764,
    0.17162090152220877,
    -0.3046826723431984,
    0.6767952744094761,
)
LATER_0 = (
    -7.233180487874754e-18,
    -4.830504485944182e-18,
    4.46562142029676e-17,
    3.461222867697461e-17,
    -2.8276239805165836e-16,
    -3.425485619677219e-16,
    1.7725601330565263e-15,
    3.8116806693526224e-15,
    -9.554846698828307e-15,
    -4.150569347287222e-14,
    1.54008621752141e-14,
    3.8527783827421426e-13,
    7.180124451383666e-13,
    -1.7941785315068062e-12,
    -1.3215811840447713e-11,
    -3.1499165279632416e-11,
    1.1889147107846439e-11,
    4.94060238822497e-10,
    3.3962320257083865e-09,
    2.266668990498178e-08,
    2.0489185894690638e-07,
    2.8913705208347567e-06,
    6.889758346916825e-05,
    0.0033691164782556943,
    0.8044904110141088,
)
FIRST_1 = (
    2.7779141127610464e-18,
    -2.111421214358166e-17,
    1.5536319577362005e-16,
    -1.1055969477353862e-15,
    7.600684294735408e-15,
    -5.042185504727912e-14,
    3.223793365945575e-13,
    -1.9839743977649436e-12,
    1.1736186298890901e-11,
    -6.663489723502027e-11,
    3.625590281552117e-10,
    -1.8872497517228294e-09,
    9.381537386495773e-09,
    -4.445059128796328e-08,
    2.0032947535521353e-07,
    -8.568720264695455e-07,
    3.4702513081376785e-06,
    -1.3273163656039436e-05,
    4.781565107550054e-05,
    -0.00016176081582589674,
    0.0005122859561685758,
    -0.0015135724506312532,
    0.004156422944312888,
    -0.010564084894626197,
    0.024726449030626516,
    -0.05294598120809499,
    0.1026436586898471,
    -0.17641651835783406,
    0.25258718644363365,
)
LATER_1 = (
    7.517296310842105e-18,
    4.414348323071708e-18,
    -4.6503053684893586e-17,
    -3.209525921993424e-17,
    2.96262899764595e-16,
    3.3082023109209285e-16,
    -1.8803547755107825e-15,
    -3.8144030724370075e-15,
    1.0420276984128802e-14,
    4.272440016711951e-14,
    -2.1015418427726643e-14,
    -4.0835511110921974e-13,
    -7.198551776245908e-13,
    2.0356285441470896e-12,
    1.4125807436613782e-11,
    3.2526035830154884e-11,
    -1.8974958123505413e-11,
    -5.589743462196584e-10,
    -3.835380385964237e-09,
    -2.6314688468895196e-08,
    -2.512236237870209e-07,
    -3.882564808877691e-06,
    -0.00011058893876262371,
    -0.009761097491361469,
    0.7785762350182801,
)
"""Coefficients of Cephes' Chebyshev series for ``exp(-x) i0(x)`` and ``exp(-x) i1(x) / x`` on [0, 8], beyond for these times the
root of x; the highest degree first."""
SINGLE = 12, 18
"""So many of order 1 PyTorch leaves out in float32."""


def series(x: Any, coefficients: tuple) -> Any:
    """A Chebyshev series by Clenshaw's recurrence, its products fused with their sums."""
    last, before = np.full_like(x, coefficients[0]), np.zeros_like(x)
    older = before
    for c in coefficients[1:]:
        older, before = before, last
        last = fused(x, before, -older) + x.dtype.type(c)
    return x.dtype.type(0.5) * (last - older)


def modified(first: tuple, later: tuple, x: Any, order: int, scaled: bool, whole: bool) -> Any:
    """The modified Bessel function of the first kind of an order, times ``exp(-|x|)`` if scaled."""
    size = np.abs(x)
    kind = x.dtype.type
    near = size <= 8
    inner = series(np.where(near, size, kind(0)) / kind(2) - kind(2), first)
    far = np.where(near, kind(8), size)
    outer = series(kind(32) / far - kind(2), later)
    power = kind(1) if scaled else rounded(np.exp, size)
    inner = power * inner if not order else power * (size * inner) if whole else power * size * inner
    outer = power * outer
    found = np.where(near, inner, outer / np.sqrt(far))
    return np.where(x < 0, -found, found) if order else found


def first_kind(
    names: str, scipy_name: str, order: int, scaled: bool, whole: bool, doc: str, gradient: Any, **options: Any
) -> None:
    """An operator of it; `whole`: with all coefficients in every dtype."""
    name = names.split()[0].rpartition(".")[2]

    def kernel(xp, input: Array):
        if xp is not np:
            return rounded(from_scipy(xp, scipy_name), input)
        if compiled is not None:
            return np.asarray(compiled(input if input.dtype.kind == "f" else input.astype(FLOAT32)))
        wide = input if input.dtype in (FLOAT32, np.dtype(np.float64)) else input.astype(np.float64)
        cut = SINGLE if order and not whole and wide.dtype == FLOAT32 else (0, 0)
        first, later = (FIRST_1, LATER_1) if order else (FIRST_0, LATER_0)
        return np.asarray(modified(first[cut[0] :], later[cut[1] :], wide, order, scaled, whole)).astype(
            input.dtype, copy=False
        )

    compiled = kernels.kernel("whole_i1" if whole and order else f"i{order}" + "e" * scaled)
    kernel.__name__, kernel.__doc__ = name, doc
    check = refuse(options.pop("refused", f"{name}_cpu"), options.pop("kinds", "c"))
    op = operator(names, promote="float", scalars=False, check=check, **options)(kernel)
    op.same = by_table(op)
    if gradient is not None:
        op.gradient(input=gradient)


EPS = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52}
"""By the bytes of a number: what is nearer to zero has the slope there."""


def i1_gradient(t: Any, g: Any, input: Any, result: Any) -> Any:
    away = t.abs(input) > EPS[t.array(input).dtype.itemsize]
    safe = t.where(away, input, t.ones_like(input))
    return g * t.where(away, t.i0(safe) - result / safe, t.ones_like(input) * 0.5)


def i1e_gradient(t: Any, g: Any, input: Any, result: Any) -> Any:
    away = t.abs(input) > EPS[t.array(input).dtype.itemsize]
    safe = t.where(away, input, t.ones_like(input))
    return g * t.where(away, t.i0e(safe) - result * (t.sgn(safe) + 1 / safe), t.ones_like(input) * 0.5)


first_kind("i0 special.i0", "i0", 0, False, False, "The modified Bessel function of order 0.",
           lambda t, g, input: g * t.i1(input), inplace=True, refused="i0_vml_cpu", domain="any")  # fmt: skip
first_kind("special.i0e", "i0e", 0, True, False, "``exp(-|x|) * i0(x)``.",
           lambda t, g, input, result: g * (t.i1e(input) - t.sgn(input) * result), node="SpecialI0EBackward0",
           domain="any")  # fmt: skip
first_kind("special.i1", "i1", 1, False, False, "The modified Bessel function of order 1.", i1_gradient,
           node="SpecialI1Backward0", domain="any")  # fmt: skip
first_kind("special.i1e", "i1e", 1, True, False, "``exp(-|x|) * i1(x)``.", i1e_gradient, node="SpecialI1EBackward0",
           domain="any")  # fmt: skip
first_kind("special.modified_bessel_i0", "i0", 0, False, True, "The modified Bessel function of the first kind of order 0.",
           None, kinds="ch")  # fmt: skip
first_kind("special.modified_bessel_i1", "i1", 1, False, True, "The modified Bessel function of the first kind of order 1.",
           None, kinds="ch")  # fmt: skip
for _name, _scipy_name, _doc in (
    ("bessel_j0", "j0", "The Bessel function of the first kind of order 0."),
    ("bessel_j1", "j1", "The Bessel function of the first kind of order 1."),
    ("bessel_y0", "y0", "The Bessel function of the second kind of order 0."),
    ("bessel_y1", "y1", "The Bessel function of the second kind of order 1."),
    ("modified_bessel_k0", "k0", "The modified Bessel function of the second kind of order 0."),
    ("modified_bessel_k1", "k1", "The modified Bessel function of the second kind of order 1."),
    ("scaled_modified_bessel_k0", "k0e", "``exp(x) * k0(x)``."),
    ("scaled_modified_bessel_k1", "k1e", "``exp(x) * k1(x)``."),
):
    scipy_function("special." + _name, _scipy_name, None, _doc, inplace=False, kinds="ch", compiled=_name)


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
