"""A stochastic differential equation, by several methods, from one path of noise."""

import torch
import torchsde


class Walk(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.rate = torch.nn.Parameter(torch.tensor(0.5))

    def f(self, t, y):
        return -self.rate * y

    def g(self, t, y):
        return 0.3 * torch.sigmoid(y)


torch.manual_seed(0)
sde, start, times = Walk(), torch.full((3, 2), 0.5), torch.linspace(0, 1, 5)
noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(3, 2), entropy=7, levy_area_approximation="space-time")
for method in ("euler", "milstein", "srk"):
    print(method, torchsde.sdeint(sde, start, times, bm=noise, dt=0.05, method=method)[-1])
torchsde.sdeint(sde, start, times, bm=noise, dt=0.05).sum().backward()
print(sde.rate.grad)
