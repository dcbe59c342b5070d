"""Attention within windows, and a small language model of it."""

import torch
from local_attention import LocalAttention, LocalTransformer

torch.manual_seed(0)
attention = LocalAttention(dim=8, window_size=4, causal=True, look_backward=1, look_forward=0, autopad=True)
q, k, v = (torch.randn(2, 2, 13, 8, requires_grad=True) for _ in range(3))
out = attention(q, k, v, mask=torch.ones(2, 13).bool())
out.sum().backward()
print(out[0, 0, :2], q.grad[0, 0, 1])
model = LocalTransformer(
    num_tokens=20, dim=16, depth=2, max_seq_len=32, causal=True, local_attn_window_size=8, heads=2, dim_head=8
)
loss = model(torch.randint(0, 20, (1, 32)), return_loss=True)
loss.backward()
print(loss, next(model.parameters()).grad[:2, :4])
