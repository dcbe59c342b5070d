"""Optimizers of the other collection: five steps each."""

import torch
from pytorch_optimizer import load_optimizer

for name in "adabelief adamp adan came diffgrad lamb lion madgrad novograd prodigy ranger21 sophiah tiger yogi adopt grams".split():
    torch.manual_seed(0)
    net = torch.nn.Linear(4, 3)
    kind = load_optimizer(name)
    extra = {"num_iterations": 5} if name == "ranger21" else {}
    optimizer = kind(net.parameters(), lr=0.01, **extra)
    x = torch.randn(6, 4)
    for _ in range(5):
        optimizer.zero_grad()
        net(x).square().mean().backward(create_graph=name == "sophiah")
        optimizer.step()
    print(name, net.weight[0], net.bias)
