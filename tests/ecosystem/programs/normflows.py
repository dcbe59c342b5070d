"""A flow of couplings, fitted to two moons."""

import normflows as nf
import torch

torch.manual_seed(0)
flows = []
for _ in range(3):
    flows += [
        nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 16, 2], init_zeros=True)),
        nf.flows.Permute(2, mode="swap"),
        nf.flows.ActNorm(2),
    ]
model = nf.NormalizingFlow(nf.distributions.DiagGaussian(2), flows)
x = nf.distributions.TwoMoons().sample(32)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(4):
    loss = model.forward_kld(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss)
print(model.sample(3), model.log_prob(x[:3]))
