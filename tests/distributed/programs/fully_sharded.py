"""fully_shard: parameters in parts, compared with the same module whole."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import distribute_tensor

dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, 2 * d)
        self.down = nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self, d=6, n=3):
        super().__init__()
        self.emb = nn.Embedding(10, d)
        self.layers = nn.ModuleList([Layer(d) for _ in range(n)])
        self.out = nn.Linear(d, 5)
        self.unused = nn.Linear(2, 2)

    def forward(self, t):
        x = self.emb(t)
        for l in self.layers:
            x = l(x)
        return self.out(x)


def make():
    torch.manual_seed(0)
    return Net()


ref, m = make(), make()
for l in m.layers:
    fully_shard(l)
fully_shard(m)
print(m)
print(isinstance(m, FSDPModule), isinstance(m, Net), type(m).__name__)
print([(n, tuple(p.shape), p.placements, tuple(p.to_local().shape)) for n, p in m.named_parameters()][:4])
opt = torch.optim.AdamW(m.parameters(), lr=0.01)
opt2 = torch.optim.AdamW(ref.parameters(), lr=0.01)
g = torch.Generator().manual_seed(5)
for i in range(4):
    t = torch.randint(0, 10, (4 * w, 3), generator=g)
    y = torch.randint(0, 5, (4 * w, 3), generator=g)
    mine = slice(r * 4, r * 4 + 4)
    l = nn.functional.cross_entropy(m(t[mine]).flatten(0, 1), y[mine].flatten())
    l.backward()
    l2 = nn.functional.cross_entropy(ref(t).flatten(0, 1), y.flatten())
    l2.backward()
    for (n, p), (_, q) in zip(m.named_parameters(), ref.named_parameters(), strict=False):
        if (p.grad is None) != (q.grad is None):
            print("none", n)
        elif p.grad is not None and not torch.allclose(p.grad.full_tensor(), q.grad, atol=1e-5):
            print("differs", n)
    print(i, round(l.item(), 5), type(m.layers[0].up.weight).__name__, m.layers[0].up.weight.grad.placements)
    n1 = torch.nn.utils.clip_grad_norm_(m.parameters(), 0.5)
    n2 = torch.nn.utils.clip_grad_norm_(ref.parameters(), 0.5)
    print(round(n1.full_tensor().item(), 5), round(n2.item(), 5))
    opt.step()
    opt2.step()
    opt.zero_grad()
    opt2.zero_grad()
sd = m.state_dict()
print(list(sd)[:3], type(sd["emb.weight"]).__name__, round(sd["emb.weight"].full_tensor().sum().item(), 4))
print(
    max((a.full_tensor() - b).abs().max().item() for a, b in zip(m.parameters(), ref.parameters(), strict=False)) < 1e-4
)
m.unshard()
print(type(m.out.weight).__name__, m.out.weight.shape)
m.reshard()
print(type(m.out.weight).__name__)
# accumulation
m.set_requires_gradient_sync(False)
m(t[mine]).sum().backward()
print(m.out.weight.grad)
m.set_requires_gradient_sync(True)
m(t[mine]).sum().backward()
print(round(m.out.weight.grad.full_tensor().sum().item(), 3))
h = fully_shard(
    nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)),
    mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
)
o = h(torch.ones(2, 4))
o.sum().backward()
print(o.dtype, h[0].weight.dtype, h[0].weight.grad.dtype)
if w == 4:
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    torch.manual_seed(1)
    h = fully_shard(nn.Linear(4, 3), mesh=mesh)
    h(torch.ones(2, 4) * (r + 1)).sum().backward()
    print(h.weight.placements, h.weight.grad.to_local(), h.weight.grad.full_tensor())
try:
    fully_shard(nn.ModuleList([nn.Linear(2, 2)]))
except ValueError as e:
    print(str(e)[:60])
with torch.device("meta"):
    late = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))
for layer in late:
    fully_shard(layer) if list(layer.parameters()) else None
fully_shard(late)
print(late[0].weight.device, late[0].weight.placements)
with torch.device("meta"):
    never = fully_shard(nn.Linear(3, 2))
try:
    never(torch.ones(1, 3))
except RuntimeError as e:
    print(str(e).splitlines()[0])
late.to_empty(device="cpu")
for p in late.parameters():
    nn.init.constant_(p, 0.5)
print(late(torch.ones(2, 3)), late[2].weight.to_local())
late(torch.ones(2, 3)).sum().backward()
print(late[0].weight.grad.full_tensor())
given = {
    k: nn.Parameter(distribute_tensor(torch.ones(v.shape), v.device_mesh, v.placements))
    for k, v in late.state_dict().items()
}
late.load_state_dict(given, assign=True)
print(late(torch.ones(1, 3)), late[2].bias.full_tensor())
try:
    fully_shard(late)
except AssertionError as e:
    print(str(e).splitlines()[0])
dist.destroy_process_group()
