"""A Fourier neural operator, and the losses of functions."""

import torch
from neuralop.losses import H1Loss, LpLoss
from neuralop.models import FNO

torch.manual_seed(0)
m = FNO(n_modes=(6, 6), hidden_channels=8, in_channels=1, out_channels=1, n_layers=2)
print(sum(p.numel() for p in m.parameters()))
x = torch.randn(2, 1, 16, 16)
y = torch.randn(2, 1, 16, 16)
o = m(x)
print(o.shape, o.std())
l = LpLoss(d=2, p=2)(o, y)
l.backward()
print(l, sum(p.grad.abs().sum() for p in m.parameters()))
print(H1Loss(d=2)(o, y))
