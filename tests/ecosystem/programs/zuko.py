"""Flows by zuko: a neural spline flow with a condition."""

import torch
import zuko

torch.manual_seed(0)
flow = zuko.flows.NSF(features=2, context=1, transforms=2, hidden_features=[16])
x, c = torch.randn(16, 2), torch.rand(16, 1)
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
for _ in range(3):
    loss = -flow(c).log_prob(x).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss)
print(flow(c[0]).sample((3,)))
print(
    zuko.flows.MAF(3, transforms=2)().log_prob(torch.zeros(3)),
    zuko.distributions.BoxUniform(torch.zeros(2), torch.ones(2)).entropy(),
)
