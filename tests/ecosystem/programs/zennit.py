"""Relevance handed back through a network by rules."""

import torch
from zennit.attribution import Gradient, IntegratedGradients, SmoothGrad
from zennit.canonizers import SequentialMergeBatchNorm
from zennit.composites import (
    EpsilonAlpha2Beta1,
    EpsilonGammaBox,
    EpsilonPlus,
    EpsilonPlusFlat,
    ExcitationBackprop,
    GuidedBackprop,
)

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3, padding=1),
    torch.nn.BatchNorm2d(4),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(4, 4, 3, padding=1),
    torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(16, 3),
).eval()
x = torch.randn(2, 3, 8, 8)
for composite in (
    EpsilonPlus(),
    EpsilonPlusFlat(canonizers=[SequentialMergeBatchNorm()]),
    EpsilonAlpha2Beta1(),
    EpsilonGammaBox(low=-3.0, high=3.0),
    GuidedBackprop(),
    ExcitationBackprop(),
):
    with Gradient(model=net, composite=composite) as attributor:
        output, relevance = attributor(x, torch.eye(3)[[0, 2]])
    print(type(composite).__name__, output[0], relevance.sum((1, 2, 3)), relevance[0, 0, 0, :3])
with IntegratedGradients(model=net, n_iter=5) as attributor:
    print(attributor(x, torch.eye(3)[[0, 2]])[1][0, 0, 0, :3])
with SmoothGrad(model=net, noise_level=0.1, n_iter=3) as attributor:
    print(attributor(x, torch.eye(3)[[0, 2]])[1].shape)
