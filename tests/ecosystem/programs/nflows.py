"""A masked autoregressive flow and a spline."""

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation
from nflows.transforms.splines.rational_quadratic import unconstrained_rational_quadratic_spline

torch.manual_seed(0)
steps = []
for _ in range(2):
    steps += [ReversePermutation(features=3), MaskedAffineAutoregressiveTransform(features=3, hidden_features=8)]
flow = Flow(CompositeTransform(steps), StandardNormal([3]))
x = torch.randn(16, 3)
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
for _ in range(3):
    loss = -flow.log_prob(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss)
print(flow.sample(2))
print(unconstrained_rational_quadratic_spline(torch.randn(4), torch.randn(4, 5), torch.randn(4, 5), torch.randn(4, 4)))
