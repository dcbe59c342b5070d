"""A Laplace approximation of a small regression and classification network."""

import torch
from laplace import Laplace
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.linspace(-2, 2, 40)[:, None]
y = torch.sin(2 * x) + 0.1 * torch.randn_like(x)
net = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(100):
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
print(loss)
loader = DataLoader(TensorDataset(x, y), batch_size=20)
for structure in ("diag", "full", "kron"):
    la = Laplace(net, "regression", subset_of_weights="all", hessian_structure=structure)
    la.fit(loader)
    mean, var = la(torch.tensor([[-1.0], [0.3], [5.0]]))
    print(structure, mean.flatten(), var.flatten(), la.log_marginal_likelihood())
la.optimize_prior_precision(method="marglik")
print(la.prior_precision)
