"""Distributions over the positive numbers."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.tensors.tensor import Tensor
from ..nn.reach import Functions, T
from . import constraints
from .base import ExponentialFamily, broadcast_all, checked, parameter_of
from .constraints import nonnegative, positive
from .maps import AbsTransform, AffineTransform, ExpTransform, PowerTransform
from .real_line import Cauchy, Normal
from .transformed import TransformedDistribution

__all__ = ("Chi2 Exponential Gamma HalfCauchy HalfNormal InverseGamma LogNormal Pareto Weibull").split()

nan, inf, pi = math.nan, math.inf, math.pi
EULER = 0.57721566490153286060
S = Functions("special.")


class Exponential(ExponentialFamily):
    """Waiting times between events at a rate: rate * exp(-rate * x) for x >= 0.
    rate: events in a unit of time, positive, a number or a tensor.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Exponential(2.0).mean
    tensor(0.5000)"""

    arg_constraints = {"rate": positive}
    support = nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._take(validate_args, rate=rate)

    mean = property(lambda self: self.rate.reciprocal(), doc="The mean.")
    mode = property(lambda self: T.zeros_like(self.rate), doc="The mode.")
    stddev = property(lambda self: self.rate.reciprocal(), doc="The standard deviation.")
    variance = property(lambda self: self.rate.pow(-2), doc="The variance.")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return (
            T.empty(self._extended_shape(sample_shape), dtype=self.rate.dtype, device=self.rate.device).exponential_()
            / self.rate
        )

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        return self.rate.log() - self.rate * value

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        return 1 - T.exp(-self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        return -T.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - T.log(self.rate)

    _natural_params = property(lambda self: (-self.rate,))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return -T.log(-x)


class Gamma(ExponentialFamily):
    """Sums of waiting times: rate ** concentration * x ** (concentration - 1) * exp(-rate * x) / gamma(concentration)
    for x > 0.
    concentration: the shape, positive. rate: one over the scale, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Gamma(3.0, 2.0).mean
    tensor(1.5000)"""

    arg_constraints: Any = {"concentration": positive, "rate": positive}
    support = nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._take(validate_args, concentration=concentration, rate=rate)

    mean = property(lambda self: self.concentration / self.rate, doc="The mean.")
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0), doc="The mode.")
    variance = property(lambda self: self.concentration / self.rate.pow(2), doc="The variance.")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = T._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)  # Not recorded: the gradient stays that of the quotient.
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = T.as_tensor(value, dtype=self.rate.dtype)
        if self._validate_args:
            self._validate_sample(value)
        a, rate = self.concentration, self.rate
        return T.xlogy(a, rate) + T.xlogy(a - 1, value) - rate * value - T.lgamma(a)

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        return S.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - T.log(self.rate) + T.lgamma(a) + (1.0 - a) * T.digamma(a)

    _natural_params = property(lambda self: (self.concentration - 1, -self.rate))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return T.lgamma(x + 1) + (x + 1) * T.log(-y.reciprocal())


class Chi2(Gamma):
    """Sum of the squares of `df` normal variates: Gamma(df / 2, 1 / 2) (Helmert, 1876).
    df: degrees of freedom, positive, a number or a tensor.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Chi2(torch.tensor(3.0)).mean
    tensor(3.)"""

    arg_constraints = {"df": positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    df = property(lambda self: self.concentration * 2, doc="The degrees of freedom.")


class Half(TransformedDistribution):
    """The absolute value of a distribution symmetric about zero."""

    arg_constraints = {"scale": positive}
    support = nonnegative
    has_rsample = True
    _owned = ("log_prob", "cdf", "icdf", "entropy", "expand")
    kind: Any = None

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self.kind(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    scale = parameter_of("base_dist", "scale")
    mode = property(lambda self: T.zeros_like(self.scale), doc="The mode.")

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        if self.kind is Cauchy:
            value = T.as_tensor(value, dtype=self.scale.dtype)
        return T.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -inf)

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Tensor) -> Tensor:  # type: ignore[override]
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(Half):
    """Absolute value of a normal variate of mean 0: twice its density for x >= 0.
    scale: standard deviation of that normal variate, positive, a number or a tensor.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.HalfNormal(1.0).mean
    tensor(0.7979)"""

    kind = Normal
    mean = property(lambda self: self.scale * math.sqrt(2 / pi), doc="The mean.")
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / pi), doc="The variance.")


class HalfCauchy(Half):
    """Absolute value of a Cauchy variate of median 0: twice its density for x >= 0; mean and variance are inf.
    scale: median of the absolute value, positive, a number or a tensor.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.HalfCauchy(1.0).cdf(torch.tensor(1.0))
    tensor(0.5000)"""

    kind = Cauchy
    mean = property(lambda self: self._full(inf, self.scale), doc="Infinite.")
    variance = property(lambda self: self.base_dist.variance, doc="Infinite.")


class InverseGamma(TransformedDistribution):
    """Reciprocal of a gamma variate: rate ** concentration * x ** (-concentration - 1) * exp(-rate / x) /
    gamma(concentration).
    concentration: the shape, positive. rate: the scale, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.InverseGamma(torch.tensor(3.0), torch.tensor(2.0)).mean
    tensor(1.)"""

    arg_constraints = {"concentration": positive, "rate": positive}
    support = positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    concentration = parameter_of("base_dist", "concentration")
    rate = parameter_of("base_dist", "rate")
    mode = property(lambda self: self.rate / (self.concentration + 1), doc="The mode.")

    @property
    def mean(self) -> Tensor:
        """The mean, or infinity."""
        return T.where(self.concentration > 1, self.rate / (self.concentration - 1), inf)

    @property
    def variance(self) -> Tensor:
        """The variance, or infinity."""
        a = self.concentration
        return T.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class LogNormal(TransformedDistribution):
    """Exponential of a normal variate, for x > 0.
    loc, scale: mean and standard deviation of the logarithm, scale positive; numbers or tensors, broadcast to each
    other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.LogNormal(0.0, 1.0).mean
    tensor(1.6487)"""

    arg_constraints = {"loc": constraints.real, "scale": positive}
    support = positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    loc, scale = parameter_of("base_dist", "loc"), parameter_of("base_dist", "scale")
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp(), doc="The mean.")
    mode = property(lambda self: (self.loc - self.scale.square()).exp(), doc="The mode.")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc


class Pareto(TransformedDistribution):
    """Power law (Pareto, 1896): alpha * scale ** alpha / x ** (alpha + 1) from `scale` on.
    scale: the least value, positive. alpha: exponent of the tail, positive; numbers or tensors, broadcast to each
    other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Pareto(torch.tensor(1.0), torch.tensor(3.0)).mean
    tensor(1.5000)"""

    arg_constraints = {"alpha": positive, "scale": positive}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        steps = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(self.alpha, validate_args=validate_args), steps, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `scale` on."""
        return constraints.greater_than_eq(self.scale)

    mode = property(lambda self: self.scale, doc="The mode.")

    @property
    def mean(self) -> Tensor:
        """The mean, or infinity."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def variance(self) -> Tensor:
        """The variance, or infinity."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """Life times (Weibull, 1951): scale times an exponential variate to the power 1 / concentration, for x > 0.
    scale: the unit, positive. concentration: the shape, positive, 1 for exponential ones; numbers or tensors.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Weibull(torch.tensor(2.0), torch.tensor(1.0)).mean
    tensor(2.)"""

    arg_constraints = {"scale": positive, "concentration": positive}
    support = positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        steps = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        base = Exponential(T.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, steps, validate_args=validate_args)

    def _moment(self, n: int) -> Tensor:
        return T.lgamma(1 + n * self.concentration_reciprocal)

    mean = property(lambda self: self.scale * T.exp(self._moment(1)), doc="The mean.")

    @property
    def mode(self) -> Tensor:
        """The mode."""
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.scale.pow(2) * (T.exp(self._moment(2)) - T.exp(2 * self._moment(1)))

    def entropy(self) -> Tensor:
        reciprocal = self.concentration_reciprocal
        return EULER * (1 - reciprocal) + T.log(self.scale * reciprocal) + 1
