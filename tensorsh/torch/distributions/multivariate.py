"""Distributions over vectors: normal, of low rank, Dirichlet, logistic normal."""

from __future__ import annotations

import math
from typing import Any

from ...engine.tensors.tensor import Tensor
from ..nn.reach import F, T
from .base import Distribution, ExponentialFamily, checked, lazy_property, standard_normal
from .constraints import L, independent, lower_cholesky, positive, positive_definite, real, real_vector, simplex
from .maps import StickBreakingTransform
from .real_line import Normal
from .transformed import TransformedDistribution

__all__ = "Dirichlet LogisticNormal LowRankMultivariateNormal MultivariateNormal".split()

LOG_TAU = math.log(2 * math.pi)
ONE_OF = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."


def batch_mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """Matrices times vectors."""
    return T.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def half_log_det(lower: Tensor) -> Tensor:
    """The logarithm of the determinant of a triangular matrix."""
    return lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def mahalanobis(lower: Tensor, x: Tensor) -> Tensor:
    """x' M^-1 x for M = lower @ lower', where x may have a batch of its own in front.

    Each batch dimension of x is split into copies and the batch of `lower`, so that one triangular solve serves all.
    """
    n, inner = x.size(-1), lower.ndim - 2
    batch = x.shape[:-1]
    outer = len(batch) - inner
    split = [part for s, b in zip(lower.shape[:-2], batch[outer:], strict=True) for part in (b // s, s)]
    x = x.reshape((*batch[:outer], *split, n))
    copies = [*range(outer), *range(outer, outer + 2 * inner, 2)]
    order = [*copies, *range(outer + 1, outer + 2 * inner, 2), outer + 2 * inner]
    x = x.permute(order)
    flat = lower.reshape(-1, n, n)
    columns = x.reshape(-1, flat.size(0), n).permute(1, 2, 0)
    squares = L.solve_triangular(flat, columns, upper=False).pow(2).sum(-2).t().reshape(x.shape[:-1])
    back = [*range(outer), *(at for i in range(inner) for at in (outer + i, outer + inner + i))]
    return squares.permute(back).reshape(batch)


def lower_of_precision(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse of a matrix."""
    flipped = L.cholesky(precision.flip((-2, -1))).flip((-2, -1)).transpose(-2, -1)
    return L.solve_triangular(
        flipped, T.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device), upper=False
    )


def one_matrix(**given: Any) -> tuple[str, Tensor] | None:
    chosen = [(name, value) for name, value in given.items() if value is not None]
    return chosen[0] if len(chosen) == 1 else None


class Scaled(Distribution):
    """Distributions of a scale matrix given as covariance, as precision or as Cholesky factor."""

    def _take_matrix(self, name: str, value: Tensor, batch_shape: Any) -> None:
        setattr(self, name, value.expand((*batch_shape, -1, -1)))
        factors = {"covariance_matrix": lambda m: L.cholesky(m), "precision_matrix": lower_of_precision}
        # A Cholesky factor is taken when the arguments have been checked.
        self._factor = lambda: factors[name](value) if name in factors else value

    def _square(self, m: Tensor) -> Tensor:
        n = m.shape[-1]
        return m.expand((*self._batch_shape, n, n))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return self._square(T.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._square(T.cholesky_inverse(self._unbroadcasted_scale_tril))


class MultivariateNormal(Scaled):
    """Normal vectors (..., D) of a mean and a covariance, of which one form is given.
    loc: the mean, a tensor (..., D). covariance_matrix: positive definite (..., D, D); or precision_matrix: its
    inverse; or scale_tril: its lower triangular factor, which costs least.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds and
    where not one form is given.
    >>> distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(2))
    tensor(-1.8379)"""

    arg_constraints = {
        "loc": real_vector, "covariance_matrix": positive_definite, "precision_matrix": positive_definite,
        "scale_tril": lower_cholesky,
    }  # fmt: skip
    support = real_vector
    has_rsample = True

    def __init__(
        self, loc: Tensor, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        chosen = one_matrix(
            scale_tril=scale_tril, covariance_matrix=covariance_matrix, precision_matrix=precision_matrix
        )
        if chosen is None:
            raise ValueError(ONE_OF)
        name, value = chosen
        if value.dim() < 2:
            title = name if name != "scale_tril" else "scale_tril matrix"
            raise ValueError(f"{title} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = T.broadcast_shapes(value.shape[:-2], loc.shape[:-1])
        self._take_matrix(name, value, batch_shape)
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._factor()
        del self._factor

    mean = property(lambda self: self.loc, doc="The mean.")
    mode = property(lambda self: self.loc, doc="The mode.")

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        eps = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + batch_mv(self._unbroadcasted_scale_tril, eps)

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        lower = self._unbroadcasted_scale_tril
        return -0.5 * (self._event_shape[0] * LOG_TAU + mahalanobis(lower, value - self.loc)) - half_log_det(lower)

    def entropy(self) -> Tensor:
        h = 0.5 * self._event_shape[0] * (1.0 + LOG_TAU) + half_log_det(self._unbroadcasted_scale_tril)
        return h.expand(self._batch_shape) if self._batch_shape else h


def plus_identity(k: Tensor) -> Tensor:
    """Matrices with 1 added to each element of the diagonal."""
    n = k.size(-1)
    k = k.contiguous()
    k.view(-1, n * n)[:, :: n + 1] += 1
    return k


class LowRankMultivariateNormal(Distribution):
    """Normal vectors (..., D) of covariance cov_factor @ cov_factor.mT + diag(cov_diag); the work is that of a K by K
    matrix.
    loc: the mean, a tensor (..., D). cov_factor: a tensor (..., D, K). cov_diag: positive, a tensor (..., D).
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for other shapes.
    >>> distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).variance
    tensor([2., 2.])"""

    arg_constraints = {"loc": real_vector, "cov_factor": independent(real, 2), "cov_diag": independent(positive, 1)}
    support = real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            whole = T.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.size()}, cov_factor {cov_factor.size()}, cov_diag {cov_diag.size()}"
            ) from error
        self.loc, self.cov_factor, self.cov_diag = whole[0][..., 0], whole[1], whole[2][..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = L.cholesky(plus_identity(T.matmul(self._whitened(), cov_factor)))
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    def _whitened(self) -> Tensor:
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    def _square(self, m: Tensor) -> Tensor:
        return m.expand(self._batch_shape + self._event_shape + self._event_shape)

    mean = property(lambda self: self.loc, doc="The mean.")
    mode = property(lambda self: self.loc, doc="The mode.")

    @lazy_property
    def variance(self) -> Tensor:
        """The variance of each element."""
        own = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return own.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._square(root * L.cholesky(plus_identity(T.matmul(scaled, scaled.mT))))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._square(T.matmul(factor, factor.mT) + T.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        a = L.solve_triangular(self._capacitance_tril, self._whitened(), upper=False)
        return self._square(T.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        shared = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc)
        own = standard_normal(shape, self.loc)
        mixed = batch_mv(self._unbroadcasted_cov_factor, shared)
        return self.loc + mixed + self._unbroadcasted_cov_diag.sqrt() * own

    def _log_det(self) -> Tensor:
        return 2 * half_log_det(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def _distance(self, x: Tensor) -> Tensor:
        """x' covariance^-1 x, by Woodbury's identity."""
        whole = (x.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
        return whole - mahalanobis(self._capacitance_tril, batch_mv(self._whitened(), x))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        distance = self._distance(value - self.loc)
        return -0.5 * (self._event_shape[0] * LOG_TAU + self._log_det() + distance)

    def entropy(self) -> Tensor:
        h = 0.5 * (self._event_shape[0] * (1.0 + LOG_TAU) + self._log_det())
        return h.expand(self._batch_shape) if self._batch_shape else h


class Dirichlet(ExponentialFamily):
    """Gamma variates divided by their sum: random probabilities (..., K).
    concentration: their shapes, positive, a tensor (..., K); large ones give samples near its shares.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])"""

    arg_constraints = {"concentration": independent(positive, 1)}
    support = simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return T._dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        a = self.concentration
        return T.xlogy(a - 1.0, value).sum(-1) + T.lgamma(a.sum(-1)) - T.lgamma(a).sum(-1)

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True), doc="The mean.")

    @property
    def mode(self) -> Tensor:
        """The mode; one of the corners where all parameters are below 1."""
        less = (self.concentration - 1).clamp(min=0.0)
        mode = less / less.sum(-1, True)
        mask = (self.concentration < 1).all(dim=-1)
        mode[mask] = F.one_hot(mode[mask].argmax(dim=-1), less.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        a, total = self.concentration, self.concentration.sum(-1, True)
        return a * (total - a) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        a, total = self.concentration, self.concentration.sum(-1)
        spread = T.lgamma(a).sum(-1) - T.lgamma(total) - (a.size(-1) - total) * T.digamma(total)
        return spread - ((a - 1.0) * T.digamma(a)).sum(-1)

    _natural_params = property(lambda self: (self.concentration,))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma().sum(-1) - T.lgamma(x.sum(-1))


class LogisticNormal(TransformedDistribution):
    """Probabilities (..., K + 1) from K independent normal variates, by breaking a stick (Aitchison and Shen, 1980).
    loc, scale: means and standard deviations of the normal variates, tensors (..., K), scale positive.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.LogisticNormal(torch.zeros(3), torch.ones(3)).sample().shape
    torch.Size([4])"""

    arg_constraints = {"loc": real, "scale": positive}
    support = simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = property(lambda self: self.base_dist.base_dist.loc, doc="The normal variates' means.")
    scale = property(lambda self: self.base_dist.base_dist.scale, doc="The normal variates' standard deviations.")


def _Dirichlet_backward(x: Tensor, concentration: Tensor, grad_output: Tensor) -> Tensor:
    """The gradient of the concentration, given that of a sample `x`."""
    total = concentration.sum(-1, True).expand_as(concentration)
    return T._dirichlet_grad(x, concentration, total) * (grad_output - (x * grad_output).sum(-1, True))
