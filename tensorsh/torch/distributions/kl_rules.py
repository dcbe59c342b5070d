"""The rules of `kl_divergence`: formulas for pairs of distributions, and the pairs whose divergence is infinite."""

from __future__ import annotations

import math
from typing import Any

from ...engine.tensors.tensor import Tensor
from ..nn.reach import F, T
from .base import ExponentialFamily, sum_rightmost
from .categories import Categorical, OneHotCategorical
from .constraints import L
from .counts import Bernoulli, Binomial, Geometric, Poisson
from .half_line import EULER, Exponential, Gamma, HalfNormal, Pareto
from .kl import Pair, Rule, kl_divergence, where_infinite
from .multivariate import (
    Dirichlet,
    LowRankMultivariateNormal,
    MultivariateNormal,
    half_log_det,
    mahalanobis,
)  # fmt: skip
from .real_line import Cauchy, Laplace, Normal, Uniform
from .transformed import Independent, TransformedDistribution
from .unit import Beta, ContinuousBernoulli, Gumbel

RULES: dict[Pair, Rule] = {}
pi, inf, TAU = math.pi, math.inf, 2 * math.pi


def rule(type_p: type, type_q: type) -> Any:
    def enter(f: Rule) -> Rule:
        RULES[type_p, type_q] = f
        return f

    return enter


def squares(m: Tensor) -> Tensor:
    """The trace of m @ m'."""
    return m.reshape((*m.shape[:-2], -1)).pow(2).sum(-1)


@rule(Bernoulli, Bernoulli)
def bernoulli(p: Any, q: Any) -> Tensor:
    ones = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    ones[q.probs == 0] = inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    zeros[q.probs == 1] = inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@rule(Beta, Beta)
def beta(p: Any, q: Any) -> Tensor:
    p1, p0, q1, q0 = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    constant = (q1.lgamma() + q0.lgamma() + (p1 + p0).lgamma()) - (p1.lgamma() + p0.lgamma() + (q1 + q0).lgamma())
    slopes = constant + (p1 - q1) * T.digamma(p1) + (p0 - q0) * T.digamma(p0)
    return slopes + ((q1 + q0) - (p1 + p0)) * T.digamma(p1 + p0)


@rule(Binomial, Binomial)
def binomial(p: Any, q: Any) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return where_infinite(kl, p.total_count > q.total_count)


@rule(Categorical, Categorical)
def categorical(p: Any, q: Any) -> Tensor:
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


RULES[OneHotCategorical, OneHotCategorical] = lambda p, q: categorical(p._categorical, q._categorical)


@rule(ContinuousBernoulli, ContinuousBernoulli)
def continuous_bernoulli(p: Any, q: Any) -> Tensor:
    own = p._cont_bern_log_norm() + T.log1p(-p.probs)
    return p.mean * (p.logits - q.logits) + own + (-q._cont_bern_log_norm() - T.log1p(-q.probs))


@rule(Dirichlet, Dirichlet)
def dirichlet(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    totals = a.sum(-1).lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return totals + ((a - b) * (a.digamma() - a.sum(-1).digamma().unsqueeze(-1))).sum(-1)


@rule(Exponential, Exponential)
def exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@rule(ExponentialFamily, ExponentialFamily)
def exponential_family(p: Any, q: Any) -> Tensor:
    """Bregman's divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be computed "
            "using Bregman divergences"
        )
    natural, normalizer, slopes = p._normalizer_slopes()
    result = q._log_normalizer(*q._natural_params) - normalizer
    for a, b, slope in zip(natural, q._natural_params, slopes, strict=True):
        result = result - sum_rightmost((b - a) * slope, len(q.event_shape))
    return result


@rule(Gamma, Gamma)
def gamma(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    t = b * (p.rate / q.rate).log() + (T.lgamma(b) - T.lgamma(a)) + (a - b) * T.digamma(a)
    return t + (q.rate - p.rate) * (a / p.rate)


@rule(Gumbel, Gumbel)
def gumbel(p: Any, q: Any) -> Tensor:
    ratio, own, other = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t = -ratio.log() - own + other + ratio * EULER
    return t + T.exp(own + (1 + ratio).lgamma() - other) - (1 + EULER)


@rule(Laplace, Laplace)
def laplace(p: Any, q: Any) -> Tensor:
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * T.exp(-away / p.scale) - 1


@rule(Normal, Normal)
def normal(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


RULES[HalfNormal, HalfNormal] = lambda p, q: normal(p.base_dist, q.base_dist)


@rule(Pareto, Pareto)
def pareto(p: Any, q: Any) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    return where_infinite(result, p.support.lower_bound < q.support.lower_bound)


@rule(TransformedDistribution, TransformedDistribution)
def transformed(p: Any, q: Any) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@rule(Independent, Independent)
def independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@rule(Uniform, Uniform)
def uniform(p: Any, q: Any) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return where_infinite(result, (q.low > p.low) | (q.high < p.high))


def _events(p: Any, q: Any, what: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {what} with                          different event shapes cannot be computed"
        )


def _solved(q: Any) -> Tensor:
    return L.solve_triangular(q._capacitance_tril, q._whitened(), upper=False)


@rule(MultivariateNormal, MultivariateNormal)
def multivariate(p: Any, q: Any) -> Tensor:
    _events(p, q, "Multivariate Normals")
    a, b = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    batch, n = T.broadcast_shapes(b.shape[:-2], a.shape[:-2]), p.event_shape[0]
    a_, b_ = (m.expand((*batch, n, n)) for m in (a, b))
    trace = squares(L.solve_triangular(b_, a_, upper=False))
    return (half_log_det(b) - half_log_det(a)) + 0.5 * (trace + mahalanobis(b, q.loc - p.loc) - n)


@rule(LowRankMultivariateNormal, LowRankMultivariateNormal)
def low_rank(p: Any, q: Any) -> Tensor:
    _events(p, q, "Low Rank Multivariate Normals")
    a, factor, diag = _solved(q), p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag
    other = q._unbroadcasted_cov_diag
    trace = (diag / other).sum(-1) + squares(factor * other.rsqrt().unsqueeze(-1))
    trace = trace - squares(a * diag.sqrt().unsqueeze(-2)) - squares(a.matmul(factor))
    return 0.5 * (q._log_det() - p._log_det() + trace + q._distance(q.loc - p.loc) - p.event_shape[0])


@rule(MultivariateNormal, LowRankMultivariateNormal)
def to_low_rank(p: Any, q: Any) -> Tensor:
    _events(p, q, "(Low Rank) Multivariate Normals")
    lower = p._unbroadcasted_scale_tril
    trace = squares(lower * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)) - squares(_solved(q).matmul(lower))
    determinants = q._log_det() - 2 * half_log_det(lower)
    return 0.5 * (determinants + trace + q._distance(q.loc - p.loc) - p.event_shape[0])


@rule(LowRankMultivariateNormal, MultivariateNormal)
def from_low_rank(p: Any, q: Any) -> Tensor:
    _events(p, q, "(Low Rank) Multivariate Normals")
    lower, factor = q._unbroadcasted_scale_tril, p._unbroadcasted_cov_factor
    batch, n = T.broadcast_shapes(lower.shape[:-2], factor.shape[:-2]), p.event_shape[0]
    parts = (factor, T.diag_embed(p._unbroadcasted_cov_diag.sqrt()))
    lower_ = lower.expand((*batch, n, n))
    trace = sum(squares(L.solve_triangular(lower_, m.expand((*batch, n, m.size(-1))), upper=False)) for m in parts)
    determinants = 2 * half_log_det(lower) - p._log_det()
    return 0.5 * (determinants + trace + mahalanobis(lower, q.loc - p.loc) - n)


RULES |= {
    (Geometric, Geometric): lambda p, q: -p.entropy() - T.log1p(-q.probs) / p.probs - q.logits,
    (Poisson, Poisson): lambda p, q: p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate),
    (Cauchy, Cauchy): (
        lambda p, q: ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()
    ),
}
