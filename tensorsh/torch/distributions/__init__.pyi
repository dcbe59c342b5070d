"""What an editor completes after `torch.distributions.`. Made by `make tables` from the table of operators; do not edit."""

from builtins import bool as _bool
from typing import Any

from . import constraints as constraints
from . import kl as kl
from . import transforms as transforms
from . import utils as utils
from tensorsh.torch import Tensor as Tensor
from tensorsh.torch.distributions.base import Distribution as Distribution
from tensorsh.torch.distributions.base import ExponentialFamily as ExponentialFamily
from tensorsh.torch.distributions.categories import Categorical as Categorical
from tensorsh.torch.distributions.categories import Multinomial as Multinomial
from tensorsh.torch.distributions.categories import OneHotCategorical as OneHotCategorical
from tensorsh.torch.distributions.categories import OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough
from tensorsh.torch.distributions.categories import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from tensorsh.torch.distributions.counts import Bernoulli as Bernoulli
from tensorsh.torch.distributions.counts import Binomial as Binomial
from tensorsh.torch.distributions.counts import Geometric as Geometric
from tensorsh.torch.distributions.counts import NegativeBinomial as NegativeBinomial
from tensorsh.torch.distributions.counts import Poisson as Poisson
from tensorsh.torch.distributions.half_line import Chi2 as Chi2
from tensorsh.torch.distributions.half_line import Exponential as Exponential
from tensorsh.torch.distributions.half_line import Gamma as Gamma
from tensorsh.torch.distributions.half_line import HalfCauchy as HalfCauchy
from tensorsh.torch.distributions.half_line import HalfNormal as HalfNormal
from tensorsh.torch.distributions.half_line import InverseGamma as InverseGamma
from tensorsh.torch.distributions.half_line import LogNormal as LogNormal
from tensorsh.torch.distributions.half_line import Pareto as Pareto
from tensorsh.torch.distributions.half_line import Weibull as Weibull
from tensorsh.torch.distributions.matrices import LKJCholesky as LKJCholesky
from tensorsh.torch.distributions.matrices import Wishart as Wishart
from tensorsh.torch.distributions.mixture import MixtureSameFamily as MixtureSameFamily
from tensorsh.torch.distributions.multivariate import Dirichlet as Dirichlet
from tensorsh.torch.distributions.multivariate import LogisticNormal as LogisticNormal
from tensorsh.torch.distributions.multivariate import LowRankMultivariateNormal as LowRankMultivariateNormal
from tensorsh.torch.distributions.multivariate import MultivariateNormal as MultivariateNormal
from tensorsh.torch.distributions.ratios import FisherSnedecor as FisherSnedecor
from tensorsh.torch.distributions.ratios import StudentT as StudentT
from tensorsh.torch.distributions.real_line import Cauchy as Cauchy
from tensorsh.torch.distributions.real_line import GeneralizedPareto as GeneralizedPareto
from tensorsh.torch.distributions.real_line import Laplace as Laplace
from tensorsh.torch.distributions.real_line import Normal as Normal
from tensorsh.torch.distributions.real_line import Uniform as Uniform
from tensorsh.torch.distributions.real_line import VonMises as VonMises
from tensorsh.torch.distributions.transformed import Independent as Independent
from tensorsh.torch.distributions.transformed import TransformedDistribution as TransformedDistribution
from tensorsh.torch.distributions.unit import Beta as Beta
from tensorsh.torch.distributions.unit import ContinuousBernoulli as ContinuousBernoulli
from tensorsh.torch.distributions.unit import Gumbel as Gumbel
from tensorsh.torch.distributions.unit import Kumaraswamy as Kumaraswamy
from tensorsh.torch.distributions.unit import RelaxedBernoulli as RelaxedBernoulli

AbsTransform: Any
AffineTransform: Any
CatTransform: Any
ComposeTransform: Any
CorrCholeskyTransform: Any
CumulativeDistributionTransform: Any
ExpTransform: Any
IndependentTransform: Any
LowerCholeskyTransform: Any
PositiveDefiniteTransform: Any
PowerTransform: Any
ReshapeTransform: Any
SigmoidTransform: Any
SoftmaxTransform: Any
SoftplusTransform: Any
StackTransform: Any
StickBreakingTransform: Any
TanhTransform: Any
Transform: Any
bernoulli: Any
beta: Any
def biject_to(constraint: Any) -> Any: ...
binomial: Any
categorical: Any
cauchy: Any
chi2: Any
constraint_registry: Any
continuous_bernoulli: Any
dirichlet: Any
distribution: Any
exp_family: Any
exponential: Any
fishersnedecor: Any
gamma: Any
generalized_pareto: Any
geometric: Any
gumbel: Any
half_cauchy: Any
half_normal: Any
def identity_transform(x: Any) -> Any: ...
independent: Any
inverse_gamma: Any
def kl_divergence(p: Any, q: Any) -> Tensor: ...
kumaraswamy: Any
laplace: Any
lkj_cholesky: Any
log_normal: Any
logistic_normal: Any
lowrank_multivariate_normal: Any
mixture_same_family: Any
multinomial: Any
multivariate_normal: Any
negative_binomial: Any
normal: Any
one_hot_categorical: Any
pareto: Any
poisson: Any
def register_kl(type_p: Any, type_q: Any) -> Any: ...
relaxed_bernoulli: Any
relaxed_categorical: Any
studentT: Any
def transform_to(constraint: Any) -> Any: ...
transformed_distribution: Any
uniform: Any
von_mises: Any
weibull: Any
wishart: Any
