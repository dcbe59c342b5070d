"""Mixtures: one of several components, chosen by a categorical variable."""

from __future__ import annotations

from typing import Any

from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Size, Tensor
from ..nn.reach import T
from . import constraints
from .base import Distribution, checked
from .categories import Categorical

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """One of several components, chosen by a Categorical: the last batch dimension of `component_distribution`.
    mixture_distribution: a Categorical of K categories. component_distribution: a distribution of batch shape (..., K).
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError where both do not fit.
    >>> choice = distributions.Categorical(torch.tensor([1.0, 3.0]))
    >>> distributions.MixtureSameFamily(choice, distributions.Normal(torch.tensor([0.0, 4.0]), 1.0)).mean
    tensor(3.)"""

    arg_constraints: Any = {}

    def __init__(
        self, mixture_distribution: Any, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        mixed, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for i, j in zip(reversed(mixed), reversed(batch), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        weights, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if weights != components:
            raise ValueError(
                f"`mixture_distribution component` ({weights}) does not equal `component_distribution.batch_shape[-1]` "
                f"({components})"
            )
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    mixture_distribution = property(lambda self: self._mixture_distribution, doc="The Categorical.")
    component_distribution = property(lambda self: self._component_distribution, doc="The components.")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        components = self._component_distribution
        new._component_distribution = components.expand(Size(batch_shape) + components.batch_shape[-1:])
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        """What the components allow."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - len(self._event_shape))

    def _averaged(self, x: Tensor) -> Tensor:
        """The mean over the components, by their weights."""
        probs = self._mixture_distribution.probs
        batch = len(self._mixture_distribution.batch_shape)
        more = 0 if batch == 1 else len(self._batch_shape) - batch
        probs = probs.reshape((*probs.shape[:-1], *(1,) * more, probs.shape[-1], *(1,) * len(self._event_shape)))
        return (probs * x).sum(-1 - len(self._event_shape))

    mean = property(lambda self: self._averaged(self._component_distribution.mean), doc="The mean.")

    @property
    def variance(self) -> Tensor:
        """The mean of the variances and the variance of the means."""
        component = self._component_distribution
        away = (component.mean - self._pad(self.mean)).pow(2.0)
        return self._averaged(component.variance) + self._averaged(away)

    def cdf(self, value: Tensor) -> Tensor:
        return (self._component_distribution.cdf(self._pad(value)) * self._mixture_distribution.probs).sum(-1)

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        component = self._component_distribution.log_prob(self._pad(value))
        return (component + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            dim, event = len(sample_shape) + len(self._batch_shape), self._event_shape
            chosen = self._mixture_distribution.sample(sample_shape)
            samples = self._component_distribution.sample(sample_shape)
            index = chosen.reshape((*chosen.shape, *(1,) * (len(event) + 1)))
            index = index.repeat((*(1,) * chosen.ndim, 1, *event))
            return T.gather(samples, dim, index).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
