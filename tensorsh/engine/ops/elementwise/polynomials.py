"""The orthogonal polynomials of ``torch.special``: Chebyshev, Hermite, Laguerre, Legendre, by their recurrences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import kernels
from ...arrays.layout import row_order
from ...numerics.rounding import fused, rounded
from ...operators.declare import Array, operator
from ...operators.pointwise import refuse


def recurrence(xp: Any, x: Any, n: Any, first: Any, step: Any) -> Any:
    """The polynomial of degree n at x: 1, ``first(x)``, then ``step(k, x, last, before)`` for degree k + 1; 0 for n < 0."""
    before, last = xp.ones_like(x), first(x)
    result = xp.where(n == 0, before, xp.where(n == 1, last, xp.zeros_like(x)))
    for k in range(1, int(n.max().item()) if n.size else 0):
        before, last = last, step(k, x, last, before)
        result = xp.where(n == k + 1, last, result)
    return result


def chebyshev_step(k: int, x: Any, last: Any, before: Any) -> Any:
    return fused(x + x, last, -before)


def angles(formula: Any) -> Any:
    """Chebyshev polynomials of high degree within (-1, 1), through the angle whose cosine x is."""

    def value(xp: Any, x: Any, n: Any) -> Any:
        return formula(
            lambda f, a: rounded(getattr(xp, f), a), rounded(xp.arccos, xp.clip(x, -1, 1)), n.astype(x.dtype)
        )

    return value


FAMILIES: dict[str, tuple] = {
    "chebyshev_polynomial_t": (lambda x: x, chebyshev_step, angles(lambda f, a, n: f("cos", n * a)), 6, 6),
    "chebyshev_polynomial_u": (
        lambda x: x + x, chebyshev_step, angles(lambda f, a, n: f("sin", (n + 1) * a) / f("sin", a)), 8, 6),
    "chebyshev_polynomial_v": (
        lambda x: x + x - 1, chebyshev_step, angles(lambda f, a, n: f("cos", (n + 0.5) * a) / f("cos", a / 2)), 8, 6),
    "chebyshev_polynomial_w": (
        lambda x: x + x + 1, chebyshev_step, angles(lambda f, a, n: f("sin", (n + 0.5) * a) / f("sin", a / 2)), 8, 4),
    "hermite_polynomial_h": (
        lambda x: x + x, lambda k, x, last, before: fused(x + x, last, -(2 * k * before)), None, 0, 0),
    "hermite_polynomial_he": (lambda x: x, lambda k, x, last, before: fused(x, last, -(k * before)), None, 0, 0),
    "laguerre_polynomial_l": (
        lambda x: 1 - x,
        lambda k, x, last, before: fused(2 * k + (1 - x), last, -(k * before)) / (k + 1), None, 0, 0),
    "legendre_polynomial_p": (
        lambda x: x, lambda k, x, last, before: fused((2 * k + 1) * x, last, -(k * before)) / (k + 1), None, 0, 0),
}  # fmt: skip
"""The polynomial of degree 1, the next one; of Chebyshev's the closed form, and the degrees, of the plain and of the shifted
ones, above which it is used within (-1, 1)."""
by_steps: Any = kernels.kernel("polynomial", kernels.unsuited)
LONGEST = 10_000
"""Degrees above this are not stepped to."""


def polynomial(name: str, first: Any, step: Any, closed: Any, stepped_to: int, shifted: bool = False) -> None:
    title = "shifted_" + name if shifted else name

    family = list(FAMILIES).index(name)

    def kernel(xp, input: Array, n: Array):
        for laid in (np.asarray, row_order) if xp is np else ():
            if (found := by_steps(laid(input), laid(n), family, shifted)) is not None:
                return found
        kind = input.dtype if input.dtype == np.float32 else np.dtype(np.float64)
        n = xp.trunc(n.astype(np.float64))
        n = xp.where(abs(n) < 2.0**63, n, -1)  # which processors make different integers of
        x, degree = xp.broadcast_arrays(input.astype(kind), n.astype(np.int64))
        if shifted:
            x = x + x - 1
        high = (degree > stepped_to) & (abs(x) < 1) if closed is not None else None
        by_angle = high is not None and high.any().item()
        stepped = xp.where(high, -1, degree) if by_angle else degree
        result = recurrence(xp, x, xp.minimum(stepped, LONGEST), first, step)
        if by_angle:
            result = xp.where(high, closed(xp, x, degree), result)
        return result.astype(input.dtype)

    kernel.__name__, kernel.__doc__ = title, f"The {title.replace('_', ' ')} of degree n."
    operator("special." + title, promote="float", check=refuse(f"{title}_cpu", "ch"))(kernel)


for _name, (_first, _step, _closed, _plain, _shifted) in FAMILIES.items():
    polynomial(_name, _first, _step, _closed, _plain)
    if _name.startswith("chebyshev"):
        polynomial(_name, _first, _step, _closed, _shifted, shifted=True)
