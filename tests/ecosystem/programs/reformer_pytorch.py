"""Attention within buckets of a locality-sensitive hash, in reversible layers."""

import torch
from reformer_pytorch import ReformerLM

torch.manual_seed(0)
m = ReformerLM(
    num_tokens=50, dim=32, depth=2, max_seq_len=64, heads=4, bucket_size=8, n_hashes=2, ff_chunks=4, causal=True
)
x = torch.randint(0, 50, (2, 64))
loss = torch.nn.functional.cross_entropy(m(x).transpose(1, 2), x)
loss.backward()
print(loss.detach(), [round(p.grad.abs().sum().item(), 4) for p in m.parameters() if p.grad is not None][:6])
