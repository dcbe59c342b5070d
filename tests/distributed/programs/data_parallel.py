"""DistributedDataParallel: losses, unused parameters, no_sync, join, hooks."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.algorithms.join import Join
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
r = dist.get_rank()
w = dist.get_world_size()
torch.manual_seed(r)


class Toy(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(10, 10)
        self.bn = nn.BatchNorm1d(10)
        self.b = nn.Linear(10, 5)
        self.un = nn.Linear(3, 3)

    def forward(self, x, use=False):
        y = self.b(torch.relu(self.bn(self.a(x))))
        return y


torch.manual_seed(5 + r)
m = Toy()
try:
    d = DDP(m)
    o = d(torch.randn(4, 10)).sum().backward()
    d(torch.randn(4, 10)).sum().backward()
except RuntimeError as e:
    print(type(e), str(e).splitlines()[0], str(e).splitlines()[3])
d = DDP(m, find_unused_parameters=True)
print(d)
opt = torch.optim.SGD(d.parameters(), lr=0.1, momentum=0.9)
g = torch.Generator().manual_seed(100 + r)
for i in range(4):
    opt.zero_grad()
    l = (d(torch.randn(6, 10, generator=g)) ** 2).mean()
    l.backward()
    opt.step()
    print(i, l.item(), m.a.weight.grad.norm().item(), m.un.weight.grad)
with d.no_sync():
    l = d(torch.randn(6, 10, generator=g)).sum()
    l.backward()
print(m.b.bias.grad, m.a.weight.sum().item())
d(torch.randn(6, 10, generator=g)).sum().backward()
print(m.b.bias.grad, m.bn.running_mean.sum().item())
print(list(d.state_dict())[:3], type(d.module).__name__)
try:
    DDP(nn.ReLU())
except RuntimeError as e:
    print(e)
net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))
d = DDP(net, gradient_as_bucket_view=True, bucket_cap_mb=0.0001)
opt = torch.optim.Adam(d.parameters(), lr=0.01)
lossf = nn.MSELoss()
for i in range(5):
    opt.zero_grad()
    l = lossf(d(torch.randn(20, 10, generator=g)), torch.randn(20, 5, generator=g))
    l.backward()
    opt.step()
    print(i, l.item(), net[0].weight.grad.sum().item())

lin = DDP(nn.Linear(1, 1))
torch.nn.init.constant_(lin.module.weight, 1.0)
n = 3 if r == 0 else 5
with Join([lin]):
    for i in range(n):
        lin.zero_grad()
        lin(torch.full((2, 1), float(i + r))).sum().backward()
        print("join", r, i, lin.module.weight.grad)
with lin.join():
    for _ in range(n):
        lin(torch.ones(1, 1)).sum().backward()
print("done", lin.module.weight.grad)

h = DDP(nn.Linear(3, 2))
h.register_comm_hook(None, default_hooks.fp16_compress_hook)
h(torch.ones(1, 3) * (r + 1)).sum().backward()
print(h.module.weight.grad)


class My(nn.Module):
    def __init__(s):
        super().__init__()
        s.l = nn.Linear(2, 2)

    def forward(s, x):
        return {"out": s.l(x), "n": 3}


h = DDP(My())


def hook(state, bucket):
    t = bucket.buffer().mul_(10)
    return dist.all_reduce(t, async_op=True).get_future().then(lambda f: f.value()[0])


h.register_comm_hook(None, hook)
h(torch.ones(1, 2))["out"].sum().backward()
print(h.module.l.weight.grad)
h = DDP(nn.Linear(2, 2))
print(h.device, h.device_ids, h.output_device, h.dim, h.device_type, h.is_multi_device_module)
for words in ({"device_ids": [0]}, {"device_ids": [0, 1]}, {"output_device": 1}, {"device_ids": []}):
    try:
        print(type(DDP(nn.Linear(2, 2), **words)).__name__)
    except ValueError as e:
        print(e)
torch.manual_seed(4)
h, more = nn.Linear(3, 2), nn.Parameter(torch.ones(2))
opt = ZeroRedundancyOptimizer(h.parameters(), optimizer_class=torch.optim.Adam, lr=0.1)
opt.add_param_group({"params": [more], "lr": 0.5})
for _ in range(2):
    opt.zero_grad()
    (h(torch.ones(1, 3)) * more).sum().backward()
    opt.step()
print(len(opt.param_groups), opt.param_groups[1]["lr"], opt.param_groups[1]["betas"], more, h.bias)
opt.consolidate_state_dict(to=0)
if r == 0:
    print(sorted(opt.state_dict()["state"]), opt.state_dict()["param_groups"][1]["params"])


class Scaled(nn.Module):
    """Its gradients are rounded by no sum but that of the processes."""

    def __init__(self):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.linspace(-1, 1, 7)), nn.Parameter(torch.zeros(7))

    def forward(self, x):
        return x * self.scale + self.shift


h = DDP(Scaled())
opt = torch.optim.SGD(h.parameters(), lr=0.3, momentum=0.9)
torch.manual_seed(20 + r)
for _ in range(5):
    opt.zero_grad()
    (h(torch.rand(7)) ** 2).sum().backward()
    opt.step()
if w == 2:  # to the last bit; gloo adds more in a ring
    print([each.hex() for p in h.parameters() for each in p.tolist()])
h = DDP(nn.Linear(2, 2))
h(torch.ones(1, 2))
print("forward twice", h(torch.ones(1, 2)).shape)
try:
    with h.join(throw_on_early_termination=True):
        for _ in range(2 + r):
            h(torch.ones(1, 2)).sum().backward()
except RuntimeError as e:
    print(e)


class Half(nn.Module):
    """A module with a layer that nothing comes through."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.one(x)


torch.manual_seed(0)
h = DDP(Half(), static_graph=True)
for _ in range(3):
    h(torch.ones(1, 2) * (r + 1)).sum().backward()
    print("static", h.module.one.bias.grad, h.module.other.bias.grad)
with torch.no_grad():
    print("static", h(torch.ones(1, 2)).shape)
dist.destroy_process_group()
