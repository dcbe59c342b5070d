"""Blocks of xLSTM: memories of matrices and of numbers, and their gradient."""

import torch
from xlstm import (
    FeedForwardConfig,
    mLSTMBlockConfig,
    mLSTMLayerConfig,
    sLSTMBlockConfig,
    sLSTMLayerConfig,
    xLSTMBlockStack,
    xLSTMBlockStackConfig,
)

torch.manual_seed(0)
matrices = mLSTMLayerConfig(conv1d_kernel_size=4, qkv_proj_blocksize=4, num_heads=4)
numbers = sLSTMLayerConfig(backend="vanilla", num_heads=4, conv1d_kernel_size=4, bias_init="powerlaw_blockdependent")
wide = FeedForwardConfig(proj_factor=1.3, act_fn="gelu")
model = xLSTMBlockStack(
    xLSTMBlockStackConfig(
        mlstm_block=mLSTMBlockConfig(mlstm=matrices),
        slstm_block=sLSTMBlockConfig(slstm=numbers, feedforward=wide),
        context_length=16,
        num_blocks=3,
        embedding_dim=32,
        slstm_at=[1],
    )
)
x = torch.randn(2, 16, 32)
print(sum(p.numel() for p in model.parameters()), model(x)[0, -1, :5])
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}", f"{sum(p.grad.abs().sum().item() for p in model.parameters()):.3f}")
