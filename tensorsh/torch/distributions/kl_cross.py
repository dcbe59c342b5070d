"""The rules of `kl_divergence` between different families, and the pairs whose divergence is infinite."""

from __future__ import annotations

import math
from typing import Any

from ...engine.tensors.tensor import Tensor
from ...sandbox.named import read_named
from ..nn.reach import T
from .counts import Bernoulli, Binomial, Poisson
from .half_line import EULER, Exponential, Gamma, Pareto
from .kl import where_infinite
from .kl_rules import RULES, rule
from .real_line import Laplace, Normal, Uniform
from .unit import Beta, ContinuousBernoulli, Gumbel

pi, inf, TAU = math.pi, math.inf, 2 * math.pi


def xlogx(x: Tensor) -> Tensor:
    return T.xlogy(x, x)


def beta_log(a: Tensor, b: Tensor) -> Tensor:
    return a.lgamma() + b.lgamma() - (a + b).lgamma()


# The pairs where p gives weight to what q excludes.
INFINITE: dict[type, tuple[type, ...]] = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}
for _p, _others in INFINITE.items():
    for _q in _others:
        RULES[_p, _q] = lambda p, q: T.full_like(next(read_named(p, name) for name in p.arg_constraints), inf)


@rule(Beta, Gamma)
def beta_gamma(p: Any, q: Any) -> Tensor:
    a, b = p.concentration1, p.concentration0
    constant = q.concentration.lgamma() - q.concentration * q.rate.log()
    return -p.entropy() + constant - (q.concentration - 1) * (a.digamma() - (a + b).digamma()) + q.rate * a / (a + b)


@rule(Beta, Normal)
def beta_normal(p: Any, q: Any) -> Tensor:
    mean, var = p.mean, q.scale.pow(2)
    second = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    return -p.entropy() + 0.5 * (var * TAU).log() + (second - q.loc * mean + q.loc.pow(2) * 0.5) / var


@rule(ContinuousBernoulli, Normal)
def continuous_bernoulli_normal(p: Any, q: Any) -> Tensor:
    constant = 0.5 * (math.log(2.0 * pi) + T.square(q.loc / q.scale)) + T.log(q.scale)
    moment = p.variance + T.square(p.mean) - 2.0 * q.loc * p.mean
    return -p.entropy() + constant + moment / (2.0 * T.square(q.scale))


@rule(ContinuousBernoulli, Uniform)
def continuous_bernoulli_uniform(p: Any, q: Any) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    return T.where((q.low >= 0.0) | (q.high <= 1.0), T.ones_like(result) * inf, result)


@rule(Exponential, Gamma)
def exponential_gamma(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    t = -q.concentration * T.log(ratio) + ratio
    return t + q.concentration.lgamma() + q.concentration * EULER - (1 + EULER)


@rule(Exponential, Gumbel)
def exponential_gumbel(p: Any, q: Any) -> Tensor:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - ratio + T.exp(ratio) * product / (product + 1) + product.reciprocal()


@rule(Exponential, Normal)
def exponential_normal(p: Any, q: Any) -> Tensor:
    var, square = q.scale.pow(2), p.rate.pow(2)
    moment = square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return 0.5 * T.log(square * var * 2 * pi) - 1 + moment / var


@rule(Gamma, Gumbel)
def gamma_gumbel(p: Any, q: Any) -> Tensor:
    a, product, ratio = p.concentration, p.rate * q.scale, q.loc / q.scale
    own = (a - 1) * a.digamma() - a.lgamma() - a
    return own + (product.log() + a / product) + (T.exp(ratio) * (1 + product.reciprocal()).pow(-a) - ratio)


@rule(Gamma, Normal)
def gamma_normal(p: Any, q: Any) -> Tensor:
    a, var, square = p.concentration, q.scale.pow(2), p.rate.pow(2)
    own = 0.5 * T.log(square * var * 2 * pi) - a - a.lgamma() + (a - 1) * a.digamma()
    return own + (0.5 * (a.pow(2) + a) / square - q.loc * a / p.rate + 0.5 * q.loc.pow(2)) / var


@rule(Gumbel, Normal)
def gumbel_normal(p: Any, q: Any) -> Tensor:
    ratio = p.scale / q.scale
    away = ((p.loc + p.scale * EULER - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(TAU)).log() + (pi * ratio * 0.5).pow(2) / 3 + away - (EULER + 1)


@rule(Laplace, Normal)
def laplace_normal(p: Any, q: Any) -> Tensor:
    var = q.scale.pow(2)
    ratio = p.scale.pow(2) / var
    away = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -0.5 * T.log(2 * ratio / pi) + ratio + away / var - 1


@rule(Normal, Gumbel)
def normal_gumbel(p: Any, q: Any) -> Tensor:
    mean, ratio, loc = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    t = -(ratio.log() * 0.5) + (mean - loc)
    return t + T.exp(-mean + 0.5 * ratio + loc) - 0.5 * (1 + math.log(TAU))


@rule(Normal, Laplace)
def normal_laplace(p: Any, q: Any) -> Tensor:
    away = p.loc - q.loc
    own = away / p.scale
    spread = math.sqrt(2 / pi) * p.scale * T.exp(-0.5 * own.pow(2)) + away * T.erf(math.sqrt(0.5) * own)
    return -T.log(p.scale / q.scale) + spread / q.scale - 0.5 * (1 + math.log(0.5 * pi))


@rule(Pareto, Exponential)
def pareto_exponential(p: Any, q: Any) -> Tensor:
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return where_infinite(result, p.alpha <= 1)


@rule(Pareto, Gamma)
def pareto_gamma(p: Any, q: Any) -> Tensor:
    common = p.scale.log() + p.alpha.reciprocal()
    own = p.alpha.log() - common + (q.concentration.lgamma() - q.concentration * q.rate.log())
    result = own + (1 - q.concentration) * common + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    return where_infinite(result, p.alpha <= 1)


@rule(Pareto, Normal)
def pareto_normal(p: Any, q: Any) -> Tensor:
    common = p.scale / (p.alpha - 1)
    moment = p.alpha * common.pow(2) / (p.alpha - 2) + (p.alpha * common - q.loc).pow(2)
    own = (math.sqrt(TAU) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    return where_infinite(own + moment / (2 * q.scale.pow(2)) - 1, p.alpha <= 2)


@rule(Uniform, Beta)
def uniform_beta(p: Any, q: Any) -> Tensor:
    width, a, b = p.high - p.low, q.concentration1, q.concentration0
    below = (a - 1) * (xlogx(p.high) - xlogx(p.low) - width) / width
    above = (b - 1) * (xlogx(1 - p.high) - xlogx(1 - p.low) + width) / width
    return where_infinite(above + beta_log(a, b) - T.log(width) - below, (p.high > 1.0) | (p.low < 0.0))


@rule(Uniform, ContinuousBernoulli)
def uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    result = -p.entropy() - p.mean * q.logits - T.log1p(-q.probs) - q._cont_bern_log_norm()
    return T.where((p.high >= 1.0) | (p.low <= 0.0), T.ones_like(result) * inf, result)


@rule(Uniform, Gamma)
def uniform_gamma(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    logs = (xlogx(p.high) - xlogx(p.low) - width) / width
    own = -width.log() + (q.concentration.lgamma() - q.concentration * q.rate.log())
    return where_infinite(own + (1 - q.concentration) * logs + q.rate * (p.high + p.low) / 2, p.low < 0.0)


@rule(Uniform, Gumbel)
def uniform_gumbel(p: Any, q: Any) -> Tensor:
    common, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return common.log() + 0.5 * (high + low) - common * (T.exp(-high) - T.exp(-low))


@rule(Uniform, Normal)
def uniform_normal(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    moment = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(TAU) * q.scale / width).log() + 0.5 * moment / q.scale.pow(2)


@rule(Uniform, Pareto)
def uniform_pareto(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    constant = (q.alpha * q.scale.pow(q.alpha) * width).log()
    result = (xlogx(p.high) - xlogx(p.low) - width) / width * (q.alpha + 1) - constant
    return where_infinite(result, p.low < q.support.lower_bound)


RULES |= {
    (Bernoulli, Poisson): lambda p, q: -p.entropy() - (p.probs * q.rate.log() - q.rate),
    (Beta, ContinuousBernoulli): (
        lambda p, q: -p.entropy() - p.mean * q.logits - T.log1p(-q.probs) - q._cont_bern_log_norm()
    ),
    (Beta, Exponential): lambda p, q: -p.entropy() - q.rate.log() + q.rate * p.mean,
    (Beta, Uniform): lambda p, q: where_infinite(-p.entropy() + (q.high - q.low).log(), (q.low > 0.0) | (q.high < 1.0)),
    (ContinuousBernoulli, Exponential): lambda p, q: -p.entropy() - T.log(q.rate) + q.rate * p.mean,
    (Gamma, Exponential): lambda p, q: -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate,
    (Uniform, Exponential): (
        lambda p, q: where_infinite(q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log(), p.low < 0.0)
    ),
}
