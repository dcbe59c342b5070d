"""A network of spiking layers over several steps."""

import torch
import torch.nn as nn
from spikingjelly.activation_based import encoding, functional, layer, neuron, surrogate

torch.manual_seed(0)
net = nn.Sequential(
    layer.Linear(6, 12),
    neuron.LIFNode(tau=2.0, surrogate_function=surrogate.ATan()),
    layer.Linear(12, 3),
    neuron.IFNode(surrogate_function=surrogate.Sigmoid()),
)
functional.set_step_mode(net, "m")
print(net)
x = torch.rand(5, 4, 6)
enc = encoding.PoissonEncoder()
xs = torch.stack([enc(x[0]) for _ in range(7)])
opt = torch.optim.SGD(net.parameters(), lr=0.5)
y = torch.tensor([0, 1, 2, 0])
for _ in range(3):
    o = net(xs).mean(0)
    l = nn.functional.cross_entropy(o, y)
    opt.zero_grad()
    l.backward()
    opt.step()
    functional.reset_net(net)
    print(l.item())
p = neuron.ParametricLIFNode()
print(p(torch.rand(3)), p.w)
