"""What of the input made the output: attributions."""

import torch
from captum.attr import DeepLift, FeatureAblation, IntegratedGradients, LayerConductance, Saliency

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))
x, base = torch.randn(2, 4, requires_grad=True), torch.zeros(2, 4)
print(IntegratedGradients(net).attribute(x, base, target=1, n_steps=20))
print(Saliency(net).attribute(x, target=0))
print(DeepLift(net).attribute(x, base, target=2))
print(FeatureAblation(net).attribute(x, target=1))
print(LayerConductance(net, net[0]).attribute(x, base, target=1, n_steps=10))
