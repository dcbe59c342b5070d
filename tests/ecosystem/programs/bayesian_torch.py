"""A network turned into a Bayesian one, its divergence and gradient."""

import torch
import torch.nn as nn
from bayesian_torch.models.dnn_to_bnn import dnn_to_bnn, get_kl_loss

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
dnn_to_bnn(
    net,
    dict(
        prior_mu=0.0,
        prior_sigma=1.0,
        posterior_mu_init=0.0,
        posterior_rho_init=-3.0,
        type="Reparameterization",
        moped_enable=False,
        moped_delta=0.5,
    ),
)
print(net)
x = torch.randn(4, 1, 8, 8)
o = net(x)
kl = get_kl_loss(net)
print(kl)
(o.sum() + kl / 4).backward()
print(net[0].mu_kernel.grad.sum())
