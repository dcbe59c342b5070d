"""``torch.distributions``: random variables with samples, densities, moments and divergences.

Each family stands in a file by what it is over (the real line, the half line, the unit interval, counts, categories,
vectors); a file is imported when one of its names is first used.
"""

from __future__ import annotations

from ...sandbox.namespace import Lazy, Namespace, lazily

LAYOUT = {
    "base": "Distribution ExponentialFamily",
    "real_line": "Cauchy GeneralizedPareto Laplace Normal Uniform VonMises",
    "half_line": "Chi2 Exponential Gamma HalfCauchy HalfNormal InverseGamma LogNormal Pareto Weibull",
    "ratios": "FisherSnedecor StudentT",
    "unit": "Beta ContinuousBernoulli Gumbel Kumaraswamy RelaxedBernoulli",
    "counts": "Bernoulli Binomial Geometric NegativeBinomial Poisson",
    "categories": "Categorical Multinomial OneHotCategorical OneHotCategoricalStraightThrough RelaxedOneHotCategorical",
    "multivariate": "Dirichlet LogisticNormal LowRankMultivariateNormal MultivariateNormal",
    "matrices": "LKJCholesky Wishart",
    "transformed": "Independent TransformedDistribution",
    "mixture": "MixtureSameFamily",
    "transforms": (
        "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform CumulativeDistributionTransform "
        "ExpTransform IndependentTransform LowerCholeskyTransform PositiveDefiniteTransform PowerTransform ReshapeTransform "
        "SigmoidTransform SoftmaxTransform SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform "
        "identity_transform"
    ),
    "registry": "biject_to transform_to",
    "kl": "kl_divergence register_kl",
}
"""Module below ``torch.distributions`` -> the names it has."""


_found = lazily(__name__, LAYOUT)

PARTS: dict[str, str] = {
    "bernoulli": "Bernoulli", "beta": "Beta", "binomial": "Binomial", "categorical": "Categorical", "cauchy": "Cauchy",
    "chi2": "Chi2", "constraint_registry": "biject_to transform_to", "continuous_bernoulli": "ContinuousBernoulli",
    "dirichlet": "Dirichlet", "distribution": "Distribution", "exp_family": "ExponentialFamily",
    "exponential": "Exponential", "fishersnedecor": "FisherSnedecor", "gamma": "Gamma",
    "generalized_pareto": "GeneralizedPareto", "geometric": "Geometric", "gumbel": "Gumbel", "half_cauchy": "HalfCauchy",
    "half_normal": "HalfNormal", "independent": "Independent", "inverse_gamma": "InverseGamma",
    "kumaraswamy": "Kumaraswamy", "laplace": "Laplace", "lkj_cholesky": "LKJCholesky", "log_normal": "LogNormal",
    "logistic_normal": "LogisticNormal", "lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "mixture_same_family": "MixtureSameFamily", "multinomial": "Multinomial", "multivariate_normal": "MultivariateNormal",
    "negative_binomial": "NegativeBinomial", "normal": "Normal",
    "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough", "pareto": "Pareto", "poisson": "Poisson",
    "relaxed_bernoulli": "LogitRelaxedBernoulli RelaxedBernoulli",
    "relaxed_categorical": "ExpRelaxedCategorical RelaxedOneHotCategorical", "studentT": "StudentT",
    "transformed_distribution": "TransformedDistribution", "uniform": "Uniform", "von_mises": "VonMises",
    "weibull": "Weibull", "wishart": "Wishart",
}  # fmt: skip
"""PyTorch's own modules below ``torch.distributions``, one a family, and their names."""


_inner = lazily(__name__, {"unit": "LogitRelaxedBernoulli", "categories": "ExpRelaxedCategorical"})


def part(name: str) -> Namespace:
    """One of PyTorch's modules."""
    entries = {each: _found.get(each) or _inner[each] for each in PARTS[name].split()}
    return Namespace("torch.distributions." + name, entries)


_parts = {name: Lazy(lambda name=name: part(name)) for name in PARTS}  # type: ignore[misc]
globals().update(_found | _parts)
__all__ = [*_found, *_parts]
