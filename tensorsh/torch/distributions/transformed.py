"""Distributions made from others: events of several dimensions, transformed samples, mixtures."""

from __future__ import annotations

from typing import Any

from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Size, Tensor
from . import constraints
from .base import Distribution, checked, sum_rightmost
from .transform import ComposeTransform, Transform

__all__ = ["Independent", "TransformedDistribution"]


class Independent(Distribution):
    """Batch dimensions on the right of another distribution taken as dimensions of the event: log_prob is summed over
    them.
    base_distribution: the other distribution. reinterpreted_batch_ndims: the number of these dimensions.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for more than the batch has.
    >>> distributions.Independent(distributions.Normal(torch.zeros(3), 1.0), 1).log_prob(torch.zeros(3))
    tensor(-2.7568)"""

    arg_constraints: Any = {}

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        cut = len(batch) - reinterpreted_batch_ndims
        super().__init__(batch[:cut], batch[cut:] + base_distribution.event_shape, validate_args=validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    mean = property(lambda self: self.base_dist.mean, doc="The mean.")
    mode = property(lambda self: self.base_dist.mode, doc="The mode.")
    variance = property(lambda self: self.base_dist.variance, doc="The variance.")

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        return not self.reinterpreted_batch_ndims and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        """The base distribution's, for whole events."""
        n = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_dist.support, n) if n else self.base_dist.support

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """Samples of a base distribution taken through transforms, one after the other; log_prob follows by the change of
    variables.
    base_distribution: the distribution to start from. transforms: a transform or a list of them.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for what is no transform.
    >>> normal = distributions.Normal(0.0, 1.0)
    >>> distributions.TransformedDistribution(normal, distributions.ExpTransform()).log_prob(torch.tensor(1.0))
    tensor(-0.9189)"""

    arg_constraints: Any = {}

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        shape = base_distribution.batch_shape + base_distribution.event_shape
        events = len(base_distribution.event_shape)
        whole = ComposeTransform(transforms)
        takes, gives = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < takes:
            raise ValueError(f"base_distribution needs to have shape with size at least {takes}, but got {shape}.")
        result = Size(whole.forward_shape(shape))
        expanded = whole.inverse_shape(result)
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - events])
        if takes > events:
            base_distribution = Independent(base_distribution, takes - events)
        self.base_dist = base_distribution
        cut = len(result) - max(gives, events + gives - takes)
        super().__init__(result[:cut], result[cut:], validate_args=validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = Size(batch_shape) + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new = super().expand(batch_shape, _instance)
        base = self.base_dist
        new.base_dist = base.expand(shape[: len(shape) - len(base.event_shape)])
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """What the last transform gives."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        events = len(self.event_shape)
        result: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            takes = transform.domain.event_dim
            events += takes - transform.codomain.event_dim
            result = result - sum_rightmost(transform.log_abs_det_jacobian(x, y), events - takes)
            y = x
        return result + sum_rightmost(self.base_dist.log_prob(y), events - len(self.base_dist.event_shape))

    def _increasing(self, probability: Tensor) -> Tensor:
        """A probability of the base distribution as one of this, or back: where the transforms fall, of the other side."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return probability if isinstance(sign, int) and sign == 1 else sign * (probability - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._increasing(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._forward(self.base_dist.icdf(self._increasing(value)))
