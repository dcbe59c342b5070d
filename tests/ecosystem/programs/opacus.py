"""Gradients of each sample, and training with differential privacy."""

import torch
import torch.nn as nn
from opacus import GradSampleModule, PrivacyEngine
from opacus.layers import DPLSTM
from opacus.validators import ModuleValidator

torch.manual_seed(0)
m = nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
print(ModuleValidator.validate(nn.Sequential(nn.BatchNorm2d(4))))
print(ModuleValidator.fix(nn.Sequential(nn.BatchNorm2d(32))))
x = torch.randn(16, 1, 8, 8)
y = torch.randint(0, 3, (16,))
g = GradSampleModule(m)
l = nn.functional.cross_entropy(g(x), y)
l.backward()
for n, p in g.named_parameters():
    print(n, p.grad_sample.shape, round(float(p.grad_sample.norm()), 4))
m2 = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(m2.parameters(), lr=0.1)
dl = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=4)
pe = PrivacyEngine()
m2, opt, dl = pe.make_private(
    module=m2,
    optimizer=opt,
    data_loader=dl,
    noise_multiplier=1.0,
    max_grad_norm=1.0,
    noise_generator=torch.Generator().manual_seed(1),
)
for a, b in dl:
    opt.zero_grad()
    l = nn.functional.cross_entropy(m2(a), b)
    l.backward()
    opt.step()
    print(len(a), round(l.item(), 4))
print(round(pe.get_epsilon(1e-5), 4))
l = nn.LSTM(3, 4, batch_first=True)

d = DPLSTM(3, 4, batch_first=True)
o, (h, c) = d(torch.randn(2, 5, 3))
print(o.shape, o.sum())
e = nn.Embedding(10, 4)
ge = GradSampleModule(e)
ge(torch.tensor([[1, 2], [2, 3]])).pow(2).sum().backward()
print(e.weight.grad_sample.shape, e.weight.grad_sample.sum())
