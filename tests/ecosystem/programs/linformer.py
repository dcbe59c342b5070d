"""Attention whose cost is linear in the length."""

import torch
from linformer import LinformerLM, LinformerSelfAttention

torch.manual_seed(0)
m = LinformerLM(num_tokens=13, dim=16, seq_len=12, depth=2, heads=2, dim_head=8, k=4, one_kv_head=True, share_kv=True)
x = torch.randint(0, 13, (2, 12))
loss = torch.nn.functional.cross_entropy(m(x).transpose(1, 2), x)
loss.backward()
print(loss, [round(p.grad.sum().item(), 5) for p in m.parameters() if p.grad is not None][:6])
a = LinformerSelfAttention(dim=16, seq_len=12, heads=2, k=4)
print(a(torch.randn(1, 12, 16), context=torch.randn(1, 8, 16)).sum())
