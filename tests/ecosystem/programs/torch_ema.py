"""Means of weights: updated, stored, restored, kept in a state dict."""

import torch
from torch_ema import ExponentialMovingAverage

torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
opt = torch.optim.Adam(model.parameters(), lr=0.1)
ema = ExponentialMovingAverage(model.parameters(), decay=0.9)
for _ in range(5):
    opt.zero_grad()
    model(torch.ones(4, 3)).pow(2).mean().backward()
    opt.step()
    ema.update()
print(model.weight)
with ema.average_parameters():
    print(model.weight)
print(model.weight, ema.state_dict()["num_updates"], ema.state_dict()["shadow_params"])
print(model.bias)
