"""Optimizers that find their step: D-Adaptation."""

import dadaptation
import torch

for kind in (
    dadaptation.DAdaptAdam,
    dadaptation.DAdaptSGD,
    dadaptation.DAdaptAdaGrad,
    dadaptation.DAdaptLion,
    dadaptation.DAdaptAdan,
):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    optimizer = kind(net.parameters(), lr=1.0)
    for i in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        if i % 10 == 9:
            print(kind.__name__, i, loss.item(), optimizer.param_groups[0]["d"])
