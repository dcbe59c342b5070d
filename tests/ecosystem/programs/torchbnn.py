"""Bayesian layers: their divergence, and weights that are frozen."""

import torch
import torch.nn as nn
import torchbnn as bnn

torch.manual_seed(0)
m = nn.Sequential(
    bnn.BayesLinear(prior_mu=0, prior_sigma=0.1, in_features=4, out_features=8),
    nn.ReLU(),
    bnn.BayesLinear(prior_mu=0, prior_sigma=0.1, in_features=8, out_features=3),
)
print(m)
x = torch.randn(5, 4)
y = torch.tensor([0, 1, 2, 0, 1])
kl = bnn.BKLLoss(reduction="mean", last_layer_only=False)(m)
ce = nn.functional.cross_entropy(m(x), y)
(ce + 0.1 * kl).backward()
print(ce, kl, m[0].weight_mu.grad.sum())
bnn.utils.freeze(m)
print(m(x).sum())
