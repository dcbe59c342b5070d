"""Bayesian layers, sampled and trained."""

import torch
import torch.nn as nn
from blitz.modules import BayesianConv2d, BayesianLinear, BayesianLSTM
from blitz.utils import variational_estimator

torch.manual_seed(0)


@variational_estimator
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = BayesianLinear(4, 8)
        self.b = BayesianLinear(8, 1)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


n = N()
x = torch.randn(10, 4)
y = x.sum(1, keepdim=True)
o = torch.optim.Adam(n.parameters(), lr=0.01)
for _ in range(3):
    o.zero_grad()
    l = n.sample_elbo(inputs=x, labels=y, criterion=nn.MSELoss(), sample_nbr=2, complexity_cost_weight=1 / 10)
    l.backward()
    o.step()
    print(l)
c = BayesianConv2d(3, 4, (3, 3))
print(c(torch.rand(1, 3, 6, 6)).shape)
l = BayesianLSTM(3, 5)
print(l(torch.rand(2, 4, 3))[0].sum())
