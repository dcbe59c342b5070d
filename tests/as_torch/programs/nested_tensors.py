"""Nested tensors: batches of different lengths, what attention and padding need of them."""

import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

warnings.simplefilter("ignore")

torch.manual_seed(0)
nt = torch.nested.nested_tensor([torch.arange(6.0).view(2, 3), torch.arange(12.0).view(4, 3)], layout=torch.jagged)
print(
    nt,
    nt.shape,
    nt.is_nested,
    nt.layout,
    nt.offsets(),
    nt.values().shape,
    nt.dim(),
    nt.size(0),
    nt.requires_grad,
    nt.dtype,
)
print(
    torch.nested.to_padded_tensor(nt, -1.0), [t.shape for t in nt.unbind()], (nt * 2 + 1).values(), nt.sin().values()[0]
)
n = torch.nested.as_nested_tensor([torch.ones(2, 3, requires_grad=True), torch.ones(1, 3)], layout=torch.jagged)
print(n.shape)
n.values().sum()
print(
    torch.nested.nested_tensor_from_jagged(torch.arange(12.0).view(6, 2), torch.tensor([0, 2, 6])),
    nt.sum(-1).values(),
    nt.sum(dim=1),
)
l = nn.Linear(3, 4)
o = l(nt)
print(o.shape, o.values().sum())
print(
    F.layer_norm(nt, (3,)).values()[0],
    nn.LayerNorm(3)(nt).shape,
    F.relu(nt).values()[0],
    F.dropout(nt, 0.0).shape,
    torch.softmax(nt, -1).values()[0],
)
torch.manual_seed(3)
q = torch.nested.nested_tensor([torch.randn(2, 8), torch.randn(3, 8)], layout=torch.jagged, requires_grad=True)
h = q.unflatten(-1, [2, 4]).transpose(1, 2)
a = F.scaled_dot_product_attention(h, h, h)
r = a.transpose(1, 2).flatten(-2)
print(r.values().shape, r.values().sum())
r.values().sum().backward()
print(q.grad.shape if q.grad is not None else None)
print(
    torch.cat([nt, nt], -1).shape,
    (nt + nt).values().sum(),
    nt.to(torch.double).dtype,
    nt.clone().values().sum(),
    nt.detach().requires_grad,
    nt[0],
    nt[1].shape,
)
for e in (
    lambda: nt + o,
    lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(2, 2)], layout=torch.jagged),
    lambda: nt.view(2, 3),
):
    try:
        print(e())
    except Exception as x:
        print(type(x).__name__, str(x)[:200])
s = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)])
print(
    s,
    s.is_nested,
    s.size(0),
    torch.nested.to_padded_tensor(s, 0.0).shape,
    s.unbind()[0],
    (s * 2).unbind()[1].sum(),
    s.to_padded_tensor(0.0).sum(),
    s.layout,
    s.dim(),
)
b = nt * torch.arange(3.0) + torch.ones(2, 1, 3)
print(b.values())
c = torch.arange(2.0).view(2, 1, 1) * nt
print(c.values())
print(
    nt.mean(dim=1),
    nt.max(dim=1).values if False else "",
    nt.sum(),
    nt.amax(dim=-1).values(),
    torch.log_softmax(nt, dim=-1).values()[0],
)
m = nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))
p = torch.nested.as_nested_tensor([torch.randn(3, 3), torch.randn(1, 3)], layout=torch.jagged)
o = m(p)
print(o.shape, o.requires_grad)
l = (o**2).sum()
l = o.values().pow(2).mean()
l.backward()
print(l, m[0].weight.grad.norm())
print(
    [x.shape for x in torch.split(nt, [1, 2], -1)],
    [x.shape for x in nt.chunk(3, -1)],
    nt.view(2, -1, 3, 1).shape,
    nt.unsqueeze(-1).shape,
)
emb = nn.Embedding(5, 4)
ids = torch.nested.nested_tensor([torch.tensor([1, 2]), torch.tensor([3])], layout=torch.jagged)
print(emb(ids).shape, ids, emb(ids).values().shape)
print(
    torch.nested.to_padded_tensor(ids, 0),
    len(nt) if False else "",
    nt.numel(),
    nt.size(),
    nt.is_contiguous(),
    nt.transpose(1, 2).shape,
)
w = torch.randn(3, 3, requires_grad=True)
z = torch.nested.as_nested_tensor([w, torch.ones(1, 3)], layout=torch.jagged)
(z * 2).values().sum().backward()
print(w.grad)
x = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)], layout=torch.jagged, requires_grad=True)
(x * 3).values().sum().backward()
print(x.grad.values() if x.grad is not None else None, x)
print(
    torch.where(nt > 2, nt, 0.0).values()[0],
    (nt == nt).values().all(),
    torch.zeros_like(nt).values().sum(),
    nt.float().dtype,
    nt.dtype,
    nt.device,
    (1 - nt).values()[0],
    (-nt).values()[0],
)
