"""Optimizers that PyTorch has not: ten steps each."""

import warnings

import torch
import torch_optimizer as optim

warnings.filterwarnings("ignore")
names = "A2GradExp AccSGD AdaBelief AdaBound AdaMod Adafactor AdamP AggMo Apollo DiffGrad Lamb NovoGrad PID QHAdam QHM RAdam Ranger SGDP SGDW SWATS Yogi"
for name in names.split():
    torch.manual_seed(0)
    x = torch.randn(3, 4, requires_grad=True)
    kind = getattr(optim, name)
    optimizer = kind([x]) if name in ("A2GradExp", "Adafactor") else kind([x], lr=0.01)
    for _ in range(10):
        optimizer.zero_grad()
        (x.sin() + x.square()).sum().backward()
        optimizer.step()
    print(name, x[0])
