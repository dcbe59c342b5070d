"""The running mean of a model's weights."""

import torch
from ema_pytorch import EMA

torch.manual_seed(0)
net = torch.nn.Linear(3, 2)
ema = EMA(net, beta=0.9, update_after_step=1, update_every=1)
for _ in range(5):
    with torch.no_grad():
        net.weight.add_(torch.randn_like(net.weight))
    ema.update()
print(ema.ema_model.weight, ema(torch.ones(1, 3)))
