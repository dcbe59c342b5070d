"""Losses and heads of self-supervised learning."""

import torch
import torch.nn as nn
from lightly import loss as L
from lightly.models import utils
from lightly.models.modules import heads, memory_bank

torch.manual_seed(0)
a = torch.randn(8, 16, requires_grad=True)
b = torch.randn(8, 16)
for f in [
    L.NTXentLoss(),
    L.NegativeCosineSimilarity(),
    L.BarlowTwinsLoss(),
    L.VICRegLoss(),
    L.DCLLoss(),
    L.DCLWLoss(),
    L.TiCoLoss(),
    L.NTXentLoss(temperature=0.1),
]:
    v = f(a, b)
    (g,) = torch.autograd.grad(v, a)
    print(type(f).__name__, v, g.norm())
print(heads.SimCLRProjectionHead(16, 16, 8))
h = heads.BYOLPredictionHead(16, 32, 16)
print(h(a).std())
d = L.DINOLoss(output_dim=16)
print(d([a, b], [b, a, b], epoch=1))
m = memory_bank.MemoryBankModule(size=(32, 16))
o, bank = m(a, update=True)
print(bank.shape)
s = L.SwaVLoss()
print(s([a, b], [b]))
q = nn.Linear(4, 4)
k = nn.Linear(4, 4)
utils.update_momentum(q, k, 0.9)
print(k.weight.sum())
utils.deactivate_requires_grad(k)
print(k.weight.requires_grad)
print(utils.random_token_mask((2, 10), mask_ratio=0.5))
