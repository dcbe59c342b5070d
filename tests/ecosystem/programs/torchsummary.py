"""A table of a network's layers, as it used to be made."""

import torch
from torchsummary import summary

net = torch.nn.Sequential(
    torch.nn.Conv2d(1, 4, 3),
    torch.nn.BatchNorm2d(4),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(4 * 26 * 26, 10),
)
summary(net, (1, 28, 28), device="cpu")
