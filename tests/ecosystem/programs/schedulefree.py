"""Optimizers that need no schedule: several kinds on one network, in training and evaluation."""

import schedulefree
import torch
from torch import nn


def trained(make):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.randn(16, 4)
    y = x.sum(1, keepdim=True)
    opt = make(net.parameters())

    def closure():
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        return loss

    opt.train()
    for _ in range(6):
        loss = closure()
        opt.step()
    opt.eval()
    after = nn.functional.mse_loss(net(x), y)
    print(type(opt).__name__, f"{loss.item():.6f} {after.item():.6f}", sorted(opt.param_groups[0])[:4])


trained(lambda p: schedulefree.SGDScheduleFree(p, lr=0.1, warmup_steps=2))
trained(lambda p: schedulefree.AdamWScheduleFree(p, lr=0.01, weight_decay=0.1))
trained(lambda p: schedulefree.RAdamScheduleFree(p, lr=0.01))
wrapped = schedulefree.ScheduleFreeWrapper
try:
    trained(lambda p: wrapped(torch.optim.SGD(p, lr=0.1), momentum=0.9))
except Exception as error:
    print(type(error).__name__, error)
