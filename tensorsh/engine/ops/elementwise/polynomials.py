"""The orthogonal polynomials of ``torch.special``: Chebyshev, Hermite, Laguerre, Legendre, by their recurrences."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    return 2 * x * last - before


def angles(formula: Any) -> Any:
    """Chebyshev polynomials of high degree within (-1, 1), through the angle whose cosine x is."""

    def value(xp: Any, x: Any, n: Any) -> Any:
        return formula(xp, xp.arccos(xp.clip(x, -1, 1)), n)

    return value


FAMILIES: dict[str, tuple] = {
    "chebyshev_polynomial_t": (lambda x: x, chebyshev_step, angles(lambda xp, a, n: xp.cos(n * a))),
    "chebyshev_polynomial_u": (lambda x: 2 * x, chebyshev_step, angles(lambda xp, a, n: xp.sin((n + 1) * a) / xp.sin(a))),
    "chebyshev_polynomial_v": (
        lambda x: 2 * x - 1, chebyshev_step, angles(lambda xp, a, n: xp.cos((n + 0.5) * a) / xp.cos(a / 2))),
    "chebyshev_polynomial_w": (
        lambda x: 2 * x + 1, chebyshev_step, angles(lambda xp, a, n: xp.sin((n + 0.5) * a) / xp.sin(a / 2))),
    "hermite_polynomial_h": (lambda x: 2 * x, lambda k, x, last, before: 2 * (x * last - k * before), None),
    "hermite_polynomial_he": (lambda x: x, lambda k, x, last, before: x * last - k * before, None),
    "laguerre_polynomial_l": (
        lambda x: 1 - x, lambda k, x, last, before: ((2 * k + 1 - x) * last - k * before) / (k + 1), None),
    "legendre_polynomial_p": (
        lambda x: x, lambda k, x, last, before: ((2 * k + 1) * x * last - k * before) / (k + 1), None),
}  # fmt: skip
LONGEST = 10_000
"""Degrees above this are not stepped to."""


def polynomial(name: str, first: Any, step: Any, closed: Any, shifted: bool = False) -> None:
    title = "shifted_" + name if shifted else name

    def kernel(xp, input: Array, n: Array):
        x, degree = xp.broadcast_arrays(input.astype(np.float64), xp.trunc(n.astype(np.float64)).astype(np.int64))
        if shifted:
            x = 2 * x - 1
        high = closed is not None and ((degree > 6) & (abs(x) < 1)).any().item()
        stepped = xp.where((degree > 6) & (abs(x) < 1), -1, degree) if high else degree
        result = recurrence(xp, x, xp.minimum(stepped, LONGEST), first, step)
        if high:
            result = xp.where((degree > 6) & (abs(x) < 1), closed(xp, x, degree), result)
        return result.astype(input.dtype)

    kernel.__name__, kernel.__doc__ = title, f"The {title.replace('_', ' ')} of degree n."
    operator("special." + title, promote="float", check=refuse(f"{title}_cpu", "ch"))(kernel)


for _name, _family in FAMILIES.items():
    polynomial(_name, *_family)
    if _name.startswith("chebyshev"):
        polynomial(_name, *_family, shifted=True)
