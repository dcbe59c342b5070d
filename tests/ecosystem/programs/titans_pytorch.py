"""A memory that learns while it reads."""

import torch
from titans_pytorch import NeuralMemory

torch.manual_seed(0)
memory = NeuralMemory(dim=16, chunk_size=4)
x = torch.randn(2, 16, 16)
out, state = memory(x)
print(out.shape, out[0, 3, :4])
out.square().mean().backward()
print(f"{sum(p.grad.abs().sum().item() for p in memory.parameters() if p.grad is not None):.4f}")
