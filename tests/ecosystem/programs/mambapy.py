"""State spaces chosen by the input, by a parallel scan."""

import torch
from mambapy.mamba import Mamba, MambaConfig

torch.manual_seed(0)
m = Mamba(MambaConfig(d_model=16, n_layers=2))
y = m(torch.randn(2, 16, 16))
y.pow(2).mean().backward()
print(y.shape, y.detach().abs().sum(), [round(p.grad.abs().sum().item(), 4) for p in m.parameters()][:6])
