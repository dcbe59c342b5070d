"""A damped oscillator, integrated, and differentiated by its adjoint."""

import torch
from torchdiffeq import odeint, odeint_adjoint


class Oscillator(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.matrix = torch.nn.Parameter(torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]))

    def forward(self, t, y):
        return y @ self.matrix


f, start, times = Oscillator(), torch.tensor([[2.0, 0.0]]), torch.linspace(0, 3, 7)
for method in ("dopri5", "rk4", "euler", "midpoint", "bosh3", "adaptive_heun"):
    print(method, odeint(f, start, times, method=method)[-1])
loss = odeint_adjoint(f, start, times, rtol=1e-5, atol=1e-6).square().mean()
loss.backward()
print(loss, f.matrix.grad)
