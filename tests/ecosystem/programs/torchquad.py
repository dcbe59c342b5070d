"""Integrals in several dimensions, and their derivative by the bounds."""

import torch
from torchquad import VEGAS, Boole, GaussLegendre, MonteCarlo, Simpson, Trapezoid, set_log_level, set_up_backend

set_log_level("ERROR")
set_up_backend("torch", data_type="float64")
f = lambda x: torch.sin(x[:, 0]) + torch.exp(x[:, 1])
dom = [[0, 1], [-1, 1]]
for I in (Simpson(), Trapezoid(), Boole(), GaussLegendre()):
    print(type(I).__name__, I.integrate(f, dim=2, N=961, integration_domain=dom, backend="torch"))
d = torch.tensor(dom, dtype=torch.float64, requires_grad=True)
v = Simpson().integrate(f, 2, N=961, integration_domain=d, backend="torch")
v.backward()
print(v, d.grad)
print(MonteCarlo().integrate(f, dim=2, N=1000, integration_domain=dom, seed=42, backend="torch"))
print(VEGAS().integrate(f, dim=2, N=5000, integration_domain=dom, seed=42, backend="torch"))
