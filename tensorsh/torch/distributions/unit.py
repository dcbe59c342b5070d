"""Distributions over the unit interval, and the Gumbel distribution they are relaxed with."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ..nn.reach import F, T
from .base import NUMBERS, ExponentialFamily, broadcast_all, checked, clamp_probs, lazy_property, parameter_of
from .constraints import positive, real, unit_interval
from .counts import Odds
from .half_line import EULER
from .maps import AffineTransform, ExpTransform, PowerTransform, SigmoidTransform
from .multivariate import Dirichlet
from .real_line import Uniform
from .transformed import TransformedDistribution

__all__ = "Beta ContinuousBernoulli Gumbel Kumaraswamy LogitRelaxedBernoulli RelaxedBernoulli".split()

nan = math.nan


class Gumbel(TransformedDistribution):
    """Limit of the largest of many variates (Gumbel, 1935): exp(-(z + exp(-z))) / scale with z = (x - loc) / scale.
    loc: the mode. scale: the unit, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Gumbel(torch.tensor(0.0), torch.tensor(1.0)).mean
    tensor(0.5772)"""

    arg_constraints = {"loc": real, "scale": positive}
    support = real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        ends: Any = (limits.tiny, 1 - limits.eps)
        if not (isinstance(loc, NUMBERS) and isinstance(scale, NUMBERS)):
            ends = [T.full_like(self.loc, end) for end in ends]
        steps = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-T.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(Uniform(*ends, validate_args=validate_args), steps, validate_args=validate_args)

    mean = property(lambda self: self.loc + self.scale * EULER, doc="The mean.")
    mode = property(lambda self: self.loc, doc="The mode.")
    stddev = property(lambda self: (math.pi / math.sqrt(6)) * self.scale, doc="The standard deviation.")
    variance = property(lambda self: self.stddev.pow(2), doc="The variance.")

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + EULER)


class Beta(ExponentialFamily):
    """Share of the first of two gamma variates in their sum: proportional to
    x ** (concentration1 - 1) * (1 - x) ** (concentration0 - 1), for x in (0, 1).
    concentration1, concentration0: the weights of both, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Beta(1.0, 3.0).mean
    tensor(0.2500)"""

    arg_constraints = {"concentration1": positive, "concentration0": positive}
    support = unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, NUMBERS) and isinstance(concentration0, NUMBERS):
            both = T.tensor([float(concentration1), float(concentration0)])
        else:
            both = T.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0], doc="The first parameter.")
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1], doc="The second parameter.")
    mode = property(lambda self: self._dirichlet.mode[..., 0], doc="The mode.")
    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0), doc="The mean.")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        return self._dirichlet.log_prob(T.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    _natural_params = property(lambda self: (self.concentration1, self.concentration0))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return T.lgamma(x) + T.lgamma(y) - T.lgamma(x + y)


class Kumaraswamy(TransformedDistribution):
    """Much like Beta, with closed forms (Kumaraswamy, 1980): a * b * x ** (a - 1) * (1 - x ** a) ** (b - 1), for x in
    (0, 1).
    concentration1, concentration0: the a and the b, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Kumaraswamy(torch.tensor(1.0), torch.tensor(3.0)).mean
    tensor(0.2500)"""

    arg_constraints = {"concentration1": positive, "concentration0": positive}
    support = unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        ends = [T.full_like(self.concentration0, end) for end in (0, 1)]
        steps = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(*ends, validate_args=validate_args), steps, validate_args=validate_args)

    def _moment(self, n: int) -> Tensor:
        b, at = self.concentration0, 1 + n / self.concentration1
        return b * T.exp(T.lgamma(at) + T.lgamma(b) - T.lgamma(at + b))

    mean = property(lambda self: self._moment(1), doc="The mean.")
    variance = property(lambda self: self._moment(2) - T.pow(self.mean, 2), doc="The variance.")

    @property
    def mode(self) -> Tensor:
        """The mode; NaN where there is none inside."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        log_mode[(b < 1) | (a < 1)] = nan
        return log_mode.exp()

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = T.digamma(b + 1) + EULER
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - T.log(a) - T.log(b)


class ContinuousBernoulli(Odds, ExponentialFamily):
    """Density proportional to probs ** x * (1 - probs) ** (1 - x), for x in [0, 1] (Loaiza-Ganem and Cunningham, "The
    continuous Bernoulli", 2019).
    probs: in (0, 1), or logits: log(probs / (1 - probs)); one of the two. lims: between these bounds of probs the
    normalizer is computed by a series ((0.499, 0.501)).
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.ContinuousBernoulli(torch.tensor(0.5)).mean
    tensor(0.5000)"""

    support = unit_interval
    has_rsample = True

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if probs is not None and logits is None and validate_args is not None:
            if not bool(unit_interval.check(broadcast_all(probs)[0]).all()):
                raise ValueError("The parameter probs has invalid values")
        self._lims = lims
        if probs is not None and logits is None and isinstance(probs, Tensor):
            probs = clamp_probs(probs)
        elif probs is not None:
            broadcast_all(probs)
            eps = finfo(T.tensor(0.0).dtype).eps
            probs = min(max(probs, eps), 1 - eps)
        super().__init__(probs, logits, validate_args)

    @lazy_property
    def probs(self) -> Tensor:  # type: ignore[override]
        """The parameter as a probability."""
        return clamp_probs(T.sigmoid(self.logits))

    def _stable(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self) -> Tensor:
        return T.where(self._stable(), self.probs, self._lims[0] * T.ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Tensor:
        cut = self._cut()
        below = T.where(cut <= 0.5, cut, T.zeros_like(cut))
        above = T.where(cut >= 0.5, cut, T.ones_like(cut))
        halves = T.where(cut <= 0.5, T.log1p(-2.0 * below), T.log(2.0 * above - 1.0))
        exact = T.log(T.abs(T.log1p(-cut) - T.log(cut))) - halves
        x = T.pow(self.probs - 0.5, 2)
        return T.where(self._stable(), exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        cut, x = self._cut(), self.probs - 0.5
        exact = cut / (2.0 * cut - 1.0) + 1.0 / (T.log1p(-cut) - T.log(cut))
        return T.where(self._stable(), exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * T.pow(x, 2)) * x)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        cut, x = self._cut(), T.pow(self.probs - 0.5, 2)
        exact = cut * (cut - 1.0) / T.pow(1.0 - 2.0 * cut, 2) + 1.0 / T.pow(T.log1p(-cut) - T.log(cut), 2)
        return T.where(self._stable(), exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(T.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    @checked
    def cdf(self, value: Tensor) -> Tensor:
        cut = self._cut()
        exact = (T.pow(cut, value) * T.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        found = T.where(self._stable(), exact, value)
        inside = T.where(value >= 1.0, T.ones_like(value), found)
        return T.where(value <= 0.0, T.zeros_like(value), inside)

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut()
        rest = T.log1p(-cut)
        exact = (T.log1p(-cut + value * (2.0 * cut - 1.0)) - rest) / (T.log(cut) - rest)
        return T.where(self._stable(), exact, value)

    def entropy(self) -> Tensor:
        zero, one = T.log1p(-self.probs), T.log(self.probs)
        return self.mean * (zero - one) - self._cont_bern_log_norm() - zero

    _natural_params = property(lambda self: (self.logits,))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        low, high = (lim - 0.5 for lim in self._lims)
        stable = (x <= low) | (x > high)
        cut = T.where(stable, x, low * T.ones_like(x))
        exact = T.log(T.abs(T.expm1(cut))) - T.log(T.abs(cut))
        return T.where(stable, exact, 0.5 * x + T.pow(x, 2) / 24.0 - T.pow(x, 4) / 2880.0)


class LogitRelaxedBernoulli(Odds):
    """Log odds of a RelaxedBernoulli: logistic noise added to logits, divided by a temperature.
    temperature: a positive tensor. probs: in (0, 1), or logits: log(probs / (1 - probs)); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds."""

    support = real
    _unexpanded = ("temperature",)

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniforms = clamp_probs(T.rand(shape, dtype=probs.dtype, device=probs.device))
        return (uniforms.log() - (-uniforms).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        logits, value = broadcast_all(self.logits, value)
        diff = logits - value.mul(self.temperature)
        return self.temperature.log() + diff - 2 * diff.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """Differentiable stand-in for Bernoulli, for x in (0, 1): nearer to it, the lower the temperature (Maddison, Mnih
    and Teh, "The concrete distribution", 2016).
    temperature: a positive tensor. probs: in (0, 1), or logits: log(probs / (1 - probs)); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.3, 0.6])).rsample().shape
    torch.Size([2])"""

    arg_constraints = {"probs": unit_interval, "logits": real}
    support = unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    temperature = parameter_of("base_dist", "temperature")
    probs, logits = parameter_of("base_dist", "probs"), parameter_of("base_dist", "logits")
