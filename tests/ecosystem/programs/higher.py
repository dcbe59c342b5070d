"""A gradient through a few steps of learning."""

import higher
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
x, y = torch.randn(8, 3), torch.randn(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with higher.innerloop_ctx(net, optimizer, copy_initial_weights=False) as (inner, steps):
    for _ in range(3):
        steps.step((inner(x) - y).square().mean())
    loss = (inner(x) - y).square().mean()
    loss.backward()
print(loss, net[0].weight.grad)
