"""What an editor completes after `torch.distributions.`. Made by `make tables` from the table of operators; do not edit."""

from builtins import bool as _bool
from typing import Any

from . import constraints as constraints
from . import kl as kl
from . import transforms as transforms
from . import utils as utils
from tensorsh.torch import Tensor as Tensor

AbsTransform: Any
AffineTransform: Any
Bernoulli: Any
Beta: Any
Binomial: Any
CatTransform: Any
Categorical: Any
Cauchy: Any
Chi2: Any
ComposeTransform: Any
ContinuousBernoulli: Any
CorrCholeskyTransform: Any
CumulativeDistributionTransform: Any
Dirichlet: Any
Distribution: Any
ExpTransform: Any
Exponential: Any
ExponentialFamily: Any
FisherSnedecor: Any
Gamma: Any
GeneralizedPareto: Any
Geometric: Any
Gumbel: Any
HalfCauchy: Any
HalfNormal: Any
Independent: Any
IndependentTransform: Any
InverseGamma: Any
Kumaraswamy: Any
LKJCholesky: Any
Laplace: Any
LogNormal: Any
LogisticNormal: Any
LowRankMultivariateNormal: Any
LowerCholeskyTransform: Any
MixtureSameFamily: Any
Multinomial: Any
MultivariateNormal: Any
NegativeBinomial: Any
Normal: Any
OneHotCategorical: Any
OneHotCategoricalStraightThrough: Any
Pareto: Any
Poisson: Any
PositiveDefiniteTransform: Any
PowerTransform: Any
RelaxedBernoulli: Any
RelaxedOneHotCategorical: Any
ReshapeTransform: Any
SigmoidTransform: Any
SoftmaxTransform: Any
SoftplusTransform: Any
StackTransform: Any
StickBreakingTransform: Any
StudentT: Any
TanhTransform: Any
Transform: Any
TransformedDistribution: Any
Uniform: Any
VonMises: Any
Weibull: Any
Wishart: Any
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
