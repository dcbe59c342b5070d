"""Distributions over counts and yes-or-no outcomes."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ..nn.reach import F, T
from . import constraints
from .base import ExponentialFamily, Trials, broadcast_all, checked, lazy_property
from .constraints import boolean, nonnegative_integer, real, unit_interval
from .half_line import Gamma

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"]


class Odds(Trials):
    """Outcomes of one yes-or-no trial, given by `probs` or `logits`."""

    arg_constraints: Any = {"probs": unit_interval, "logits": real}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = self._take_one(probs=probs, logits=logits)
        self._take(validate_args, **{name: value})


class Bernoulli(Odds, ExponentialFamily):
    """1 with the probability `probs`, else 0.
    probs: in [0, 1], or logits: log(probs / (1 - probs)); one of the two, numbers or tensors.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Bernoulli(torch.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])"""

    support = boolean
    has_enumerate_support = True
    mean = property(lambda self: self.probs, doc="The mean.")
    variance = property(lambda self: self.probs * (1 - self.probs), doc="The variance.")

    @property
    def mode(self) -> Tensor:
        """The mode; NaN where both outcomes are equally likely."""
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = math.nan
        return mode

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return T.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(T.arange(2, dtype=self._param.dtype, device=self._param.device), expand)

    _natural_params = property(lambda self: (T.logit(self.probs),))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return T.log1p(T.exp(x))


class Geometric(Odds):
    """Number of failures before the first success: probs * (1 - probs) ** k, k from 0.
    probs: chance of a success, in (0, 1], or logits: log(probs / (1 - probs)); one of the two, numbers or tensors.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Geometric(torch.tensor(0.25)).mean
    tensor(3.)"""

    support = nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            valid = value > 0
            if not bool(valid.all()):
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to be positive but found invalid values:\n{value.data[~valid]}"
                )

    mean = property(lambda self: 1.0 / self.probs - 1.0, doc="The mean.")
    mode = property(lambda self: T.zeros_like(self.probs), doc="The mode.")
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs, doc="The variance.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        dtype = self.probs.dtype
        with no_grad():
            u = T.empty(self._extended_shape(sample_shape), dtype=dtype, device=self._param.device).uniform_(
                finfo(dtype).tiny, 1
            )
            return (u.log() / (-self.probs).log1p()).floor()

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Repeated(Trials):
    """A count and the odds of each trial."""

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, value = self._take_one(probs=probs, logits=logits)
        count, odds = broadcast_all(total_count, value)
        self._take(validate_args, **{"total_count": count.type_as(odds), name: odds})


class Binomial(Repeated):
    """Number of successes in `total_count` trials.
    total_count: trials, from 0 (1), a number or a tensor. probs: chance of a success, in [0, 1], or logits:
    log(probs / (1 - probs)); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Binomial(4, torch.tensor(0.5)).mean
    tensor(2.)"""

    arg_constraints = {"total_count": nonnegative_integer, "probs": unit_interval, "logits": real}
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The integers up to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    mean = property(lambda self: self.total_count * self.probs, doc="The mean.")
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs), doc="The variance.")

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return T.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        n, x = self.total_count, self.logits
        # log(1 + exp(x)) without overflow; the first term's gradient is 1/2 at 0, as both clamps share it.
        softplus = n * ((x.clamp(min=0) + x - x.clamp(max=0)) / 2) + n * T.log1p(T.exp(-T.abs(x)))
        return value * x - T.lgamma(value + 1) - T.lgamma(n - value + 1) - (softplus - T.lgamma(n + 1))

    def _total(self, method: str) -> int:
        total = int(self.total_count.max())
        if self.total_count.min() != total:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return total

    def entropy(self) -> Tensor:
        self._total("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(T.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(
            T.arange(1 + self._total("enumerate_support"), dtype=self._param.dtype, device=self._param.device), expand
        )


class NegativeBinomial(Repeated):
    """Number of successes before `total_count` failures.
    total_count: failures, also fractions. probs: chance of a success, in [0, 1), or logits: log(probs / (1 - probs));
    one of the two, numbers or tensors.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.NegativeBinomial(4.0, torch.tensor(0.5)).mean
    tensor(4.)"""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0), "logits": real,
    }  # fmt: skip
    support = nonnegative_integer
    mean = property(lambda self: self.total_count * T.exp(self.logits), doc="The mean.")
    variance = property(lambda self: self.mean / T.sigmoid(-self.logits), doc="The variance.")
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0), doc="The mode.")

    @lazy_property
    def _gamma(self) -> Gamma:
        return Gamma(self.total_count, T.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return T.poisson(self._gamma.sample(sample_shape))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        n = self.total_count
        likelihood = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        ways = -T.lgamma(n + value) + T.lgamma(1.0 + value) + T.lgamma(n)
        return likelihood - ways.masked_fill(n + value == 0.0, 0.0)


class Poisson(ExponentialFamily):
    """Number of events that happen independently: rate ** k * exp(-rate) / k! (Poisson, 1837).
    rate: their mean number, from 0, a number or a tensor.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Poisson(torch.tensor(2.0)).log_prob(torch.tensor(0.0))
    tensor(-2.)"""

    arg_constraints = {"rate": constraints.nonnegative}
    support = nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._take(validate_args, rate=rate)

    mean = property(lambda self: self.rate, doc="The mean.")
    mode = property(lambda self: self.rate.floor(), doc="The mode.")
    variance = property(lambda self: self.rate, doc="The variance.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return T.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    _natural_params = property(lambda self: (T.log(self.rate),))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return T.exp(x)
