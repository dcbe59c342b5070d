"""`statistics` for programs."""

from __future__ import annotations

import statistics as real
from typing import Any
from weakref import WeakKeyDictionary

from ..sealed import current
from .standard import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment


def statistics(environment: Environment) -> dict[str, Any]:
    """Its functions make their results by a call of the numbers' class, and `NormalDist` draws from the process's generator."""
    ratio = real._exact_ratio  # type: ignore[attr-defined]
    if ratio.__module__ == "statistics":
        real._exact_ratio = lambda x: _of_number(ratio, x)  # type: ignore[attr-defined]
        real.random = Drawing(real.random)  # type: ignore[attr-defined]
    drawing[environment.permissions] = environment.module("random")
    names = """NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean kde linear_regression
    mean median median_grouped median_high median_low mode multimode pstdev pvariance quantiles stdev variance"""
    return take(real, names)


drawing: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""The generators of sessions, by the sessions' permissions."""


class Drawing:
    """The module `random` for functions of Python's: that of the session whose program runs."""

    def __init__(self, real: Any) -> None:
        self.real = real

    def __getattr__(self, name: str) -> Any:
        permissions = current.get()
        return getattr(self.real if permissions is None else drawing.get(permissions, self.real), name)


def _of_number(function: Any, x: Any) -> Any:
    """A function of a number. The class of a class is Python's own `type`."""
    if isinstance(x, type):
        raise TypeError(f"can't convert type '{type(x).__name__}' to numerator/denominator")
    return function(x)
