"""Distributions over all real numbers, and over an interval: most are a shift and a scale of a standard form."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ..nn.reach import T
from . import constraints
from .base import Distribution, ExponentialFamily, checked, lazy_property, standard_normal
from .constraints import interval, positive, real

__all__ = ["Cauchy", "GeneralizedPareto", "Laplace", "Normal", "Uniform", "VonMises"]

nan, inf, pi = math.nan, math.inf, math.pi


class LocationScale(Distribution):
    """``loc + scale * z`` for a standard variate z."""

    arg_constraints = {"loc": real, "scale": positive}
    support = real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._take(validate_args, loc=loc, scale=scale)

    mean = property(lambda self: self.loc, doc="The mean.")
    mode = property(lambda self: self.loc, doc="The mode.")


class Normal(LocationScale, ExponentialFamily):
    """Normal distribution exp(-((x - loc) / scale) ** 2 / 2) / (scale * sqrt(2 * pi)) (Gauss, 1809).
    loc: mean. scale: standard deviation, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
    tensor(-0.9189)"""

    stddev = property(lambda self: self.scale, doc="The standard deviation.")
    variance = property(lambda self: self.scale.pow(2), doc="The variance.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        var = self.scale**2
        return -((value - self.loc) ** 2) / (2 * var) - self.scale.log() - math.log(math.sqrt(2 * pi))

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        return 0.5 * (1 + T.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * T.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * pi) + T.log(self.scale)

    _natural_params = property(lambda self: (self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return -0.25 * x.pow(2) / y + 0.5 * T.log(-pi / y)


class Laplace(LocationScale):
    """Double exponential distribution exp(-abs(x - loc) / scale) / (2 * scale) (Laplace, 1774).
    loc: mean and median. scale: mean distance from it, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Laplace(0.0, 1.0).log_prob(torch.tensor(1.0))
    tensor(-1.6931)"""

    variance = property(lambda self: 2 * self.scale.pow(2), doc="The variance.")
    stddev = property(lambda self: 2**0.5 * self.scale, doc="The standard deviation.")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape, eps = self._extended_shape(sample_shape), finfo(self.loc.dtype).eps
        u = T.empty(shape, dtype=self.loc.dtype, device=self.loc.device).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * T.log1p(-u.abs())

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        return -T.log(2 * self.scale) - T.abs(value - self.loc) / self.scale

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * T.expm1(-away.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * T.log1p(-2 * term.abs())

    def entropy(self) -> Tensor:
        return 1 + T.log(2 * self.scale)


class Cauchy(LocationScale):
    """Quotient of two normal variates: 1 / (pi * scale * (1 + ((x - loc) / scale) ** 2)); without mean (nan) and
    variance (inf).
    loc: median. scale: half width at half height, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Cauchy(0.0, 1.0).cdf(torch.tensor(1.0))
    tensor(0.7500)"""

    mean = property(lambda self: self._full(nan, self.loc), doc="NaN: there is no mean.")
    variance = property(lambda self: self._full(inf, self.loc), doc="Infinite.")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return (
            self.loc
            + T.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device).cauchy_()
            * self.scale
        )

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        return -math.log(pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        return T.atan((value - self.loc) / self.scale) / pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return T.tan(pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * pi) + self.scale.log()


class Uniform(Distribution):
    """The same density 1 / (high - low) everywhere from `low` up to, and without, `high`.
    low, high: the bounds, numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError where low is not below high.
    >>> distributions.Uniform(0.0, 4.0).log_prob(torch.tensor(1.0))
    tensor(-1.3863)"""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._take(validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> dict:
        """`low` must be less than `high`."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The interval."""
        return interval(self.low, self.high)

    mean = property(lambda self: (self.high + self.low) / 2, doc="The mean.")
    mode = property(lambda self: nan * self.high, doc="NaN: no value is more likely than others.")
    stddev = property(lambda self: (self.high - self.low) / 12**0.5, doc="The standard deviation.")
    variance = property(lambda self: (self.high - self.low).pow(2) / 12, doc="The variance.")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        rand = T.rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + rand * (self.high - self.low)

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        above, below = (x.type_as(self.low) for x in (self.low.le(value), self.high.gt(value)))
        return T.log(above.mul(below)) - T.log(self.high - self.low)

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return T.log(self.high - self.low)


class GeneralizedPareto(Distribution):
    """Excesses over a threshold (Pickands, 1975): (1 + concentration * z) ** (-1 / concentration - 1) / scale with z =
    (x - loc) / scale; exponential where the concentration is 0, heavy-tailed above, bounded below.
    loc: the threshold. scale: unit of excesses, positive. concentration: shape of the tail; numbers or tensors.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)"""

    arg_constraints = {"loc": real, "scale": positive, "concentration": real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._take(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `loc` to infinity, or to a bound."""
        bound = T.where(self.concentration < 0, self.loc - self.scale / self.concentration, inf)
        return interval(self.loc, bound)

    mode = property(lambda self: self.loc, doc="The mode.")

    def _safe(self) -> tuple[Tensor, Tensor]:
        zero = T.isclose(self.concentration, T.zeros_like(self.concentration))
        return zero, T.where(zero, T.ones_like(self.concentration), self.concentration)

    def _moment(self, limit: float, formula: Any) -> Tensor:
        valid = self.concentration < limit
        return T.where(valid, formula(T.where(valid, self.concentration, limit / 2)), nan)

    @property
    def mean(self) -> Tensor:
        """The mean; NaN where there is none."""
        return self._moment(1, lambda c: self.loc + self.scale / (1 - c))

    @property
    def variance(self) -> Tensor:
        """The variance; NaN where there is none."""
        return self._moment(0.5, lambda c: self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c)))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(T.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        z = (value - self.loc) / self.scale
        zero, safe = self._safe()
        y = 1 / safe + T.ones_like(z)
        bent = T.where(y == 0, y, y * T.log1p(safe * z))
        return -self.scale.log() - T.where(zero, z, bent)

    @checked
    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of a sample above `value`."""
        z = (value - self.loc) / self.scale
        zero, safe = self._safe()
        return T.where(zero, -z, -T.log1p(safe * z) / safe)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of `cdf`."""
        return T.log1p(-T.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return T.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        zero, safe = self._safe()
        log_rest = T.log1p(-value)
        bent = self.loc + self.scale / safe * T.expm1(-safe * log_rest)
        return T.where(zero, self.loc - self.scale * log_rest, bent)

    def entropy(self) -> Tensor:
        return (T.log(self.scale) + self.concentration + 1).expand(self._batch_shape)


BESSEL = (
    (
        (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813),
        (0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633, 0.00392377),
    ),
    (
        (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411),
        (
            0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312, 0.01787654,
            -0.00420059,
        ),
    ),
)  # fmt: skip
"""Abramowitz and Stegun 9.8: polynomials for I0 and I1, below 3.75 and above."""


def log_bessel(x: Tensor, order: int = 0) -> Tensor:
    """The logarithm of a modified Bessel function of the first kind."""

    def polynomial(y: Tensor, coefficients: tuple) -> Any:
        result: Any = coefficients[-1]
        for c in coefficients[-2::-1]:
            result = c + y * result
        return result

    low, high = BESSEL[order]
    small = polynomial((x / 3.75) * (x / 3.75), low)
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + polynomial(3.75 / x, high).log()
    return T.where(x < 3.75, small, large)


class VonMises(Distribution):
    """Normal distribution's counterpart on the circle: angles x with density exp(concentration * cos(x - loc)) / (2 *
    pi * I0), drawn by rejection (Best and Fisher, 1979).
    loc: the mean angle. concentration: nearness to it, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.VonMises(torch.tensor(0.0), torch.tensor(1.0)).log_prob(torch.tensor(0.0))
    tensor(-1.0738)"""

    arg_constraints = {"loc": real, "concentration": positive}
    support = real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._take(validate_args, loc=loc, concentration=concentration)

    mean = property(lambda self: self.loc, doc="The circular mean.")
    mode = property(lambda self: self.loc, doc="The mode.")

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance."""
        return 1 - (log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0)).exp()

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        return self.concentration * T.cos(value - self.loc) - math.log(2 * pi) - log_bessel(self.concentration)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Best and Fisher's rejection sampler, in double precision; all elements are drawn until the last is accepted."""
        with no_grad():
            loc, kappa = self.loc.double(), self.concentration.double()
            tau = 1 + (1 + 4 * kappa**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
            r = T.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
            x = T.empty(self._extended_shape(sample_shape), dtype=loc.dtype, device=loc.device)
            done = T.zeros(x.shape, device=x.device).bool()
            while not bool(done.all()):
                u1, u2, u3 = T.rand((3, *x.shape), dtype=loc.dtype, device=loc.device).unbind()
                z = T.cos(pi * u1)
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                if bool(accept.any()):
                    x = T.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                    done = done | accept
            return ((x + pi + loc) % (2 * pi) - pi).to(self.loc.dtype)
