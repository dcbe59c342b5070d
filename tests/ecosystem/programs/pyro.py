"""Variational inference and Hamiltonian Monte Carlo for a coin and for a mean."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from pyro.infer.autoguide import AutoNormal

pyro.set_rng_seed(0)
data = torch.tensor([1.2, 0.7, 1.9, 1.1])


def model(data):
    mean = pyro.sample("mean", dist.Normal(0.0, 2.0))
    scale = pyro.sample("scale", dist.LogNormal(0.0, 1.0))
    with pyro.plate("data", len(data)):
        pyro.sample("obs", dist.Normal(mean, scale), obs=data)


guide = AutoNormal(model)
svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
print([round(svi.step(data), 4) for _ in range(10)])
print(guide.median())
mcmc = MCMC(NUTS(model), num_samples=10, warmup_steps=5, disable_progbar=True)
mcmc.run(data)
print(mcmc.get_samples()["mean"])
print(Predictive(model, guide=guide, num_samples=3, return_sites=["mean"])(data)["mean"])
