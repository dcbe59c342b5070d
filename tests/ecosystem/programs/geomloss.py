"""Distances between clouds of points: Sinkhorn, kernels, and their gradient."""

import torch
from geomloss import SamplesLoss

torch.manual_seed(0)
x, y = torch.randn(30, 2).requires_grad_(), torch.randn(20, 2) + 1
for kind, words in (
    ("sinkhorn", dict(p=2, blur=0.1)),
    ("sinkhorn", dict(p=1, blur=0.05, debias=False)),
    ("gaussian", dict(blur=0.5)),
    ("laplacian", dict(blur=0.5)),
    ("energy", {}),
    ("sinkhorn", dict(p=2, blur=0.1, reach=0.5)),
):
    loss = SamplesLoss(kind, backend="tensorized", **words)(x, y)
    (g,) = torch.autograd.grad(loss, x)
    print(kind, words, loss.item(), g[:2])
a = torch.softmax(torch.randn(3, 10), 1)
print(SamplesLoss("sinkhorn", p=2, blur=0.1)(a, torch.randn(3, 10, 2), a.flip(1), torch.randn(3, 10, 2)))
print(SamplesLoss("sinkhorn", potentials=True)(x, y)[0][:4])
