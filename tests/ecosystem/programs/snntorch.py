"""Spiking neurons: rates and latencies of spikes, a network that learns from them."""

import snntorch as snn
import torch
import torch.nn as nn
from snntorch import functional as SF
from snntorch import spikegen, surrogate

torch.manual_seed(0)
beta = 0.9


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.lif1 = snn.Leaky(beta=beta, spike_grad=surrogate.fast_sigmoid(slope=25))
        self.fc2 = nn.Linear(16, 3)
        self.lif2 = snn.Synaptic(alpha=0.8, beta=beta, learn_beta=True)

    def forward(self, x):
        m1 = self.lif1.init_leaky()
        s2, m2 = self.lif2.init_synaptic()
        S = []
        M = []
        for t in range(x.size(0)):
            k, m1 = self.lif1(self.fc1(x[t]), m1)
            k2, s2, m2 = self.lif2(self.fc2(k), s2, m2)
            S.append(k2)
            M.append(m2)
        return torch.stack(S), torch.stack(M)


net = Net()
print(net)
x = torch.rand(5, 8)
sp = spikegen.rate(x, num_steps=12)
print(sp.sum((0, 1)))
print(spikegen.latency(x, num_steps=6, threshold=0.01, normalize=True, linear=True).sum(1))
print(spikegen.delta(torch.tensor([0.0, 1, 0, 2, 3]), threshold=1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
loss_fn = SF.ce_rate_loss()
y = torch.tensor([0, 1, 2, 1, 0])
for _ in range(4):
    s, m = net(sp)
    l = loss_fn(s, y)
    opt.zero_grad()
    l.backward()
    opt.step()
    print(round(l.item(), 4))
print(SF.accuracy_rate(s, y))
print(net.lif2.beta)
rl = snn.RLeaky(beta=0.5, linear_features=4, all_to_all=True)
print(rl)
