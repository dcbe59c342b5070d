"""AdaBelief in three ways: ten steps each."""

import contextlib
import io

import torch
from adabelief_pytorch import AdaBelief

torch.manual_seed(0)


def steps(name, make):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    with contextlib.redirect_stdout(io.StringIO()):
        optimizer = make(net.parameters())
    for _ in range(10):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
    print(name, loss, net[0].weight[0])


steps("belief", lambda p: AdaBelief(p, lr=1e-2, eps=1e-12, print_change_log=False))
steps("amsgrad", lambda p: AdaBelief(p, lr=1e-2, amsgrad=True, rectify=False, print_change_log=False))
steps(
    "rectify",
    lambda p: AdaBelief(p, lr=1e-2, weight_decouple=True, rectify=True, weight_decay=0.1, print_change_log=False),
)
