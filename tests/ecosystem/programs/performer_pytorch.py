"""Attention by random features, and a small language model of it."""

import torch
from performer_pytorch import FastAttention, PerformerLM, SelfAttention

torch.manual_seed(0)
attn = FastAttention(dim_heads=8, nb_features=16, causal=False)
q, k, v = torch.randn(3, 1, 2, 6, 8)
print(attn(q, k, v))
lm = PerformerLM(
    num_tokens=11,
    max_seq_len=16,
    dim=16,
    depth=2,
    heads=2,
    dim_head=8,
    causal=False,
    nb_features=12,
    feature_redraw_interval=2,
)
x = torch.randint(0, 11, (2, 16))
opt = torch.optim.SGD(lm.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = torch.nn.functional.cross_entropy(lm(x).transpose(1, 2), x)
    loss.backward()
    opt.step()
    print(loss)
print(SelfAttention(dim=16, heads=2, dim_head=8, causal=False, nb_features=12)(torch.randn(1, 5, 16)).sum())
