"""DTensor: placements, functions, gradients."""

import os

import torch
import torch.distributed as dist
import torch.distributed.tensor as dtn
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_module, distribute_tensor

mesh = init_device_mesh("cpu", (int(os.environ["WORLD_SIZE"]),))
r, w = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
big = torch.randn(8, 4)
d = distribute_tensor(big, mesh, [Shard(0)])
print(d)
print(d.shape, d.to_local().shape, d.placements, d.device_mesh, type(d), d.dtype, d.size(0), d.numel(), d.dim())
print(d.full_tensor().sum().item(), torch.equal(d.full_tensor(), big))
print(d.redistribute(mesh, [Replicate()]).placements, d.redistribute(mesh, [Shard(1)]).to_local().shape)
e = d + 1
print(e.placements, e.to_local().sum().item())
s = d.sum()
print(s, s.full_tensor())
print(d.mean(), d.mean(0).placements, d.sum(1).placements, d.max().full_tensor())
m = distribute_tensor(torch.randn(4, 6), mesh, [Replicate()])
p = d @ m
print("mm", p.placements, p.shape, p.full_tensor().sum().item())
p2 = distribute_tensor(big, mesh, [Shard(1)]) @ distribute_tensor(torch.randn(4, 6), mesh, [Shard(0)])
print("mm2", p2.placements, p2.full_tensor().sum().item())
l = DTensor.from_local(torch.ones(2, 3) * r, mesh, [Shard(0)])
print(l, l.full_tensor())
pl = DTensor.from_local(torch.ones(2) * (r + 1), mesh, [Partial()])
print(pl, pl.redistribute(mesh, [Replicate()]), str(Partial()), str(Shard(0)), str(Replicate()), repr(Partial("avg")))
u = distribute_tensor(torch.arange(5.0), mesh, [Shard(0)])
print(u, u.full_tensor())
x = distribute_tensor(torch.randn(4, 3), mesh, [Shard(0)]).requires_grad_()
wt = nn.Parameter(distribute_tensor(torch.randn(3, 2), mesh, [Replicate()]))
print(type(wt), isinstance(wt, nn.Parameter), wt.requires_grad, isinstance(wt, torch.Tensor))
loss = ((x @ wt).relu() ** 2).sum()
loss.backward()
print(loss.full_tensor().item(), x.grad.full_tensor().sum().item(), wt.grad.full_tensor())
print(x.grad.placements)
lin = nn.Linear(4, 4)
dm = distribute_module(lin, mesh)
print(dm.weight, dm)
print(dtn.ones(4, 2, device_mesh=mesh, placements=[Shard(0)]), dtn.zeros((2, 2), device_mesh=mesh))
print(
    d.view(4, 8).placements,
    d.t().placements,
    d.transpose(0, 1).shape,
    d.unsqueeze(0).placements,
    d[0].full_tensor().shape,
)
print(
    torch.nn.functional.softmax(d, dim=1).placements, torch.nn.functional.softmax(d, dim=0).full_tensor().sum().item()
)
print((d * d).sum(0, keepdim=True).shape, (d > 0).placements, torch.cat([d, d], 1).placements)
d.add_(1)
print(d.to_local().sum().item())
try:
    d + torch.ones(8, 4)
except RuntimeError as ex:
    print(str(ex)[:120])
with torch.no_grad():
    z = d.clone().detach().fill_(3.0)
print(z.full_tensor().unique(), z.placements, d.is_leaf, d.requires_grad)
opt = torch.optim.SGD([wt], lr=0.1)
opt.step()
print(wt.full_tensor())


def said(function):
    try:
        return function()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


d = distribute_tensor(torch.arange(32.0).reshape(8, 4), mesh, [Shard(0)])
for kind in (d[:, 1], d[:, 1:3], d[..., 0], d[None], d[:, None], d[0], d[-1], d[:2]):
    print("index", kind)
for kind in (
    torch.stack([d, d]),
    torch.stack([d, d], -1),
    d.expand(2, -1, 4),
    d.unsqueeze(0).squeeze(),
    d.topk(2),
    *d.unbind(1),
):
    print("shape", kind)
for kind in (2 / (d + 1), d // 2, d % 3, 7 // (d + 1), 7 % (d + 1), d.prod(), (d > 0).all(), (d > 100).any()):
    print("numbers", kind)
print((d > 0).all().full_tensor(), (d > 30).any().full_tensor(), d.prod(1).full_tensor())
print(d.sum().item(), float(d.mean()), d.max().item(), bool(d.sum() > 3))
half = distribute_tensor(torch.ones(2), mesh, [dtn.Partial()])
print(half, half.full_tensor(), distribute_tensor(torch.ones(2), mesh, [dtn.Partial("max")]))
for wrong in (lambda: d.item(), lambda: d.tolist(), lambda: d.numpy(), lambda: d + torch.ones(8, 4), lambda: d @ torch.ones(4, 2),
              lambda: torch.matmul(d, torch.ones(4)), lambda: torch.nn.functional.linear(d, torch.ones(2, 4), torch.ones(2)),
              lambda: d.unbind(0), lambda: f"{d.sum():.2f}", lambda: dtn.DTensor.from_local(torch.ones(2)),
              lambda: distribute_tensor(d, mesh, [Shard(1)]), lambda: d.redistribute(mesh, [dtn.Partial()])):  # fmt: skip
    print(said(wrong))
x = distribute_tensor(torch.ones(8, 4), mesh, [Shard(0)]).requires_grad_()
x.register_hook(lambda grad: print("hook", type(grad).__name__, grad.shape))
x.register_hook(lambda grad: (grad * 2).redistribute(placements=[dtn.Replicate()]))
(x * 3).sum().backward()
print(x.grad.full_tensor().unique())
other = init_device_mesh("cpu", (dist.get_world_size(), 1))
print(str(said(lambda: distribute_tensor(x, other, [Shard(0), Shard(1)]))).partition("stride")[0])
doubled = dtn.distribute_module(
    torch.nn.Identity(), mesh, input_fn=lambda inputs, mesh: distribute_tensor(inputs[0], mesh, [Shard(0)]),
    output_fn=lambda outputs, mesh: (outputs * 2).to_local(),
)  # fmt: skip
print(doubled(torch.ones(8, 2)).shape)
print(said(lambda: dtn.distribute_module(torch.nn.Identity(), mesh, input_fn=lambda inputs: inputs)))
with mesh:
    print(distribute_tensor(torch.ones(4), placements=[Shard(0)]), dtn.DTensor.from_local(torch.ones(2)).placements)
dist.destroy_process_group()
