"""A neural differential equation by torchdyn."""

import torch
from torchdyn.core import NeuralODE

torch.manual_seed(0)
f = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
for solver, sens in (("rk4", "autograd"), ("dopri5", "adjoint"), ("euler", "interpolated_adjoint")):
    f.zero_grad()
    node = NeuralODE(f, sensitivity=sens, solver=solver, atol=1e-4, rtol=1e-4)
    x = torch.randn(4, 2)
    t, y = node(x, torch.linspace(0, 1, 5))
    y[-1].pow(2).sum().backward()
    print(solver, y.shape, f"{y.sum().item():.4f} {f[0].weight.grad.abs().sum().item():.4f}")
