"""Attention by a few landmarks."""

import torch
from nystrom_attention import NystromAttention, Nystromformer

torch.manual_seed(0)
x = torch.randn(1, 20, 16, requires_grad=True)
mask = torch.ones(1, 20).bool()
mask[:, 15:] = False
layer = NystromAttention(16, dim_head=4, heads=2, num_landmarks=5, pinv_iterations=4, residual=True)
out, weights = layer(x, mask=mask, return_attn=True)
print(out[0, 0, :4], weights.shape)
net = Nystromformer(dim=16, dim_head=4, heads=2, depth=2, num_landmarks=5).eval()
y = net(x)
y.square().mean().backward()
print(y[0, 1, :4], x.grad[0, 2, :4])
