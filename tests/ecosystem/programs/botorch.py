"""Where to look next: a Gaussian process and its expected improvement."""

import warnings

import torch

warnings.filterwarnings("ignore")
from botorch.acquisition import LogExpectedImprovement, qExpectedImprovement  # noqa: E402
from botorch.fit import fit_gpytorch_mll  # noqa: E402
from botorch.models import SingleTaskGP  # noqa: E402
from botorch.optim import optimize_acqf  # noqa: E402
from botorch.sampling import SobolQMCNormalSampler  # noqa: E402
from gpytorch.mlls import ExactMarginalLogLikelihood  # noqa: E402

torch.manual_seed(0)
x = torch.rand(8, 2, dtype=torch.float64)
y = -((x - 0.4) ** 2).sum(1, keepdim=True)
model = SingleTaskGP(x, y)
mll = fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
print(model.posterior(torch.tensor([[0.4, 0.4]], dtype=torch.float64)).mean)
ei = LogExpectedImprovement(model, best_f=y.max())
print(ei(torch.tensor([[[0.3, 0.5]]], dtype=torch.float64)))
q = qExpectedImprovement(model, best_f=y.max(), sampler=SobolQMCNormalSampler(torch.Size([32]), seed=1))
print(q(torch.tensor([[[0.3, 0.5], [0.4, 0.4]]], dtype=torch.float64)))
place, value = optimize_acqf(
    ei, bounds=torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64), q=1, num_restarts=2, raw_samples=8
)
print([round(v, 2) for v in place.flatten().tolist()])
