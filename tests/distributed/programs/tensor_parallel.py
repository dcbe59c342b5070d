"""Modules by columns, rows and sequence, compared with the same module whole."""

import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

w = int(os.environ["WORLD_SIZE"])
mesh = init_device_mesh("cpu", (w,))
r = dist.get_rank()


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj = nn.Linear(10, 32)
        self.relu = nn.ReLU()
        self.out_proj = nn.Linear(32, 5)

    def forward(self, x):
        return self.out_proj(self.relu(self.in_proj(x)))


torch.manual_seed(1)
ref = ToyModel()
torch.manual_seed(1)
m = ToyModel()
tp = parallelize_module(m, mesh, {"in_proj": ColwiseParallel(), "out_proj": RowwiseParallel()})
print(tp)
print(
    tp.in_proj.weight.placements,
    tp.in_proj.weight.to_local().shape,
    tp.in_proj.bias.placements,
    tp.out_proj.weight.placements,
    tp.out_proj.bias.placements,
)
opt = torch.optim.AdamW(tp.parameters(), lr=0.25, foreach=True)
opt2 = torch.optim.AdamW(ref.parameters(), lr=0.25)
for i in range(4):
    torch.manual_seed(i)
    x = torch.rand(20, 10)
    o = tp(x)
    o2 = ref(x)
    o.sum().backward()
    o2.sum().backward()
    print(i, round(o.sum().item(), 3), round((o - o2).abs().max().item(), 3))
    print(
        tp.in_proj.weight.grad.placements,
        tp.out_proj.bias.grad.placements,
        torch.allclose(tp.in_proj.weight.grad.full_tensor(), ref.in_proj.weight.grad, atol=1e-4),
    )
    opt.step()
    opt2.step()
    opt.zero_grad()
    opt2.zero_grad()
torch.manual_seed(1)
sp = parallelize_module(
    ToyModel(),
    mesh,
    {"in_proj": ColwiseParallel(input_layouts=Shard(0)), "out_proj": RowwiseParallel(output_layouts=Shard(0))},
)
torch.manual_seed(7 + r)
x = torch.rand(4, 10)
o = sp(x)
o.sum().backward()
print(o.shape, round(sp.in_proj.weight.grad.full_tensor().sum().item(), 3), round(o.sum().item(), 3))


class Attn(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = (f(x).view(b, s, -1, 4).transpose(1, 2) for f in (self.wq, self.wk, self.wv))
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(o.transpose(1, 2).reshape(b, s, -1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1 = nn.LayerNorm(16)
        self.attn = Attn()
        self.n2 = nn.LayerNorm(16)
        self.w1 = nn.Linear(16, 32)
        self.w2 = nn.Linear(32, 16)

    def forward(self, x):
        h = x + self.attn(self.n1(x))
        return h + self.w2(F.silu(self.w1(self.n2(h))))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(24, 16)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.LayerNorm(16)
        self.out = nn.Linear(16, 24)

    def forward(self, t):
        x = self.emb(t)
        for b in self.blocks:
            x = b(x)
        return self.out(self.norm(x))


torch.manual_seed(3)
ref = LM()
torch.manual_seed(3)
lm = LM()
parallelize_module(
    lm,
    mesh,
    {
        "emb": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "out": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    },
)
for b in lm.blocks:
    parallelize_module(
        b,
        mesh,
        {
            "n1": SequenceParallel(),
            "n2": SequenceParallel(),
            "attn": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "attn.wq": ColwiseParallel(),
            "attn.wk": ColwiseParallel(),
            "attn.wv": ColwiseParallel(),
            "attn.wo": RowwiseParallel(output_layouts=Shard(1)),
            "w1": ColwiseParallel(input_layouts=Shard(1)),
            "w2": RowwiseParallel(output_layouts=Shard(1)),
        },
    )
torch.manual_seed(9)
t = torch.randint(0, 24, (2, 8))
for a, b in [(lm, ref)]:
    y, y2 = a(t), b(t)
    l, l2 = F.cross_entropy(y.flatten(0, 1), t.flatten()), F.cross_entropy(y2.flatten(0, 1), t.flatten())
    l.backward()
    l2.backward()
    print(round(l.item(), 4), round(l2.item(), 4), y.shape)
    for (n, p), (_, q) in zip(lm.named_parameters(), ref.named_parameters(), strict=False):
        g = p.grad.full_tensor()
        if not torch.allclose(g, q.grad, atol=1e-5):
            print("differs", n, g.sum().item(), q.grad.sum().item())
print("end")
torch.manual_seed(1)
scores = parallelize_module(nn.Linear(4, 8), mesh, ColwiseParallel(use_local_output=False))
with loss_parallel():
    p = scores(torch.ones(3, 4))
    loss = nn.functional.cross_entropy(p, torch.tensor([0, 1, 7]))
    print(p.placements, loss)
    loss.backward()
print(scores.weight.grad.placements, scores.weight.grad.full_tensor())
styles = ColwiseParallel(), RowwiseParallel(), SequenceParallel()
print(*styles, PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=Replicate()))
print(PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=Replicate()))
dist.destroy_process_group()
