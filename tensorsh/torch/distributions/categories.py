"""Distributions over one of several outcomes: as an index, as a one-hot vector, counted, and relaxed."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.tensors.tensor import Size, Tensor
from ..nn.reach import F, T
from . import constraints
from .base import Distribution, Trials, broadcast_all, checked, clamp_probs, parameter_of
from .constraints import real_vector, simplex
from .counts import Binomial
from .maps import ExpTransform
from .transformed import TransformedDistribution

__all__ = (
    "Categorical ExpRelaxedCategorical Multinomial OneHotCategorical OneHotCategoricalStraightThrough "
    "RelaxedOneHotCategorical"
).split()

SEVERAL: Any = {"probs": simplex, "logits": real_vector}


class Categorical(Trials):
    """Index k of the last dimension, with a probability proportional to probs[..., k] or exp(logits[..., k]).
    probs: numbers from 0, (..., K), divided by their sum, or logits: any numbers (..., K); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Categorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor(1))
    tensor(-0.2877)"""

    arg_constraints = SEVERAL
    has_enumerate_support = True
    binary = False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = self._take_one(probs=probs, logits=logits)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            self.probs = value / value.sum(-1, keepdim=True)
        else:
            self.logits = value - value.logsumexp(dim=-1, keepdim=True)
        self._num_events = value.shape[-1]
        super().__init__(value.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The indices."""
        return constraints.integer_interval(0, self._num_events - 1)

    mean = property(lambda self: self._full(math.nan, self.probs), doc="NaN: outcomes are no numbers.")
    mode = property(lambda self: self.probs.argmax(dim=-1), doc="The most likely index.")
    variance = property(lambda self: self._full(math.nan, self.probs), doc="NaN: outcomes are no numbers.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        rows = self.probs.reshape(-1, self._num_events)
        drawn = T.multinomial(rows, Size(sample_shape).numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        value, logits = T.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(T.arange(self._num_events, device=self._param.device), expand)


class OfCategories(Distribution):
    """Distributions over vectors, one element a category."""

    arg_constraints = SEVERAL

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        Distribution.__init__(
            self, self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    probs, logits = parameter_of("_categorical", "probs"), parameter_of("_categorical", "logits")
    param_shape, _param = parameter_of("_categorical", "param_shape"), parameter_of("_categorical", "_param")


class OneHotCategorical(OfCategories):
    """One category of K, as a vector (..., K) with a one at its place and zeros else.
    probs: numbers from 0, (..., K), divided by their sum, or logits: any numbers (..., K); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.OneHotCategorical(torch.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])"""

    support = constraints.one_hot
    has_enumerate_support = True
    mean = property(lambda self: self.probs, doc="The mean.")
    variance = property(lambda self: self.probs * (1 - self.probs), doc="The variance.")

    def _one_hot(self, index: Tensor) -> Tensor:
        return F.one_hot(index, self.probs.shape[-1]).to(self.probs)

    mode = property(lambda self: self._one_hot(self.probs.argmax(dim=-1)), doc="The most likely vector.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self._one_hot(self._categorical.sample(sample_shape))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = T.eye(n, dtype=self._param.dtype, device=self._param.device).view(
            (n, *(1,) * len(self.batch_shape), n)
        )
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose samples pass gradients to the probabilities as if they were these (Bengio, Léonard and
    Courville, "Estimating or propagating gradients through stochastic neurons", 2013).
    probs: numbers from 0, (..., K), divided by their sum, or logits: any numbers (..., K); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.OneHotCategoricalStraightThrough(torch.tensor([0.0, 1.0])).rsample()
    tensor([0., 1.])"""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(OfCategories):
    """How often each of K categories comes in `total_count` trials: counts (..., K).
    total_count: trials, one number for all (1). probs: numbers from 0, (..., K), divided by their sum, or logits: any
    numbers (..., K); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Multinomial(4, torch.tensor([1.0, 3.0])).mean
    tensor([1., 3.])"""

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Counts that sum to at most `total_count`."""
        return constraints.multinomial(self.total_count)

    mean = property(lambda self: self.probs * self.total_count, doc="The mean.")
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs), doc="The variance.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        drawn = self._categorical.sample(Size((self.total_count,)) + Size(sample_shape)).movedim(0, -1)
        counts = T.zeros(self._extended_shape(sample_shape), dtype=drawn.dtype, device=drawn.device)
        return counts.scatter_add_(-1, drawn, T.ones_like(drawn)).type_as(self.probs)

    def entropy(self) -> Tensor:
        n = T.tensor(self.total_count)
        support = self._binomial.enumerate_support(expand=False)[1:]
        likely = T.exp(self._binomial.log_prob(support))
        return n * self._categorical.entropy() - T.lgamma(n + 1) + (likely * T.lgamma(support + 1)).sum([0, -1])

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        ways = T.lgamma(value.sum(-1) + 1) - T.lgamma(value + 1).sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return ways + (logits * value).sum(-1)


class ExpRelaxedCategorical(OfCategories):
    """Logarithm of a RelaxedOneHotCategorical: softmax of logits with Gumbel noise, divided by a temperature.
    temperature: a positive tensor. probs: numbers from 0, (..., K), or logits: any numbers (..., K); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds."""

    support = real_vector
    has_rsample = True
    _unexpanded = ("temperature",)

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        uniforms = clamp_probs(
            T.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype, device=self.logits.device)
        )
        scores = (self.logits + -((-uniforms.log()).log())) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        k = self.event_shape[0]
        logits, value = broadcast_all(self.logits, value)
        scale = T.full_like(self.temperature, float(k)).lgamma() - self.temperature.log().mul(-(k - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Differentiable stand-in for OneHotCategorical: nearer to it, the lower the temperature (Maddison, Mnih and Teh,
    "The concrete distribution", 2016; Jang, Gu and Poole, "Categorical reparameterization with Gumbel-softmax", 2016).
    temperature: a positive tensor. probs: numbers from 0, (..., K), or logits: any numbers (..., K); one of the two.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(3)).rsample().shape
    torch.Size([3])"""

    arg_constraints = SEVERAL
    support = simplex
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    temperature = parameter_of("base_dist", "temperature")
    probs, logits = parameter_of("base_dist", "probs"), parameter_of("base_dist", "logits")
