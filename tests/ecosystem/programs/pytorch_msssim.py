"""Structural similarity of pictures, and its gradient."""

import torch
from pytorch_msssim import MS_SSIM, SSIM, ms_ssim, ssim

torch.manual_seed(0)
a = torch.rand(2, 3, 176, 176)
b = (a + 0.1 * torch.randn_like(a)).clamp(0, 1).requires_grad_()
print(ssim(a, b, data_range=1.0, size_average=False), ms_ssim(a, b, data_range=1.0, size_average=False))
loss = 1 - SSIM(data_range=1.0, channel=3)(a, b)
loss.backward()
print(loss, b.grad.abs().mean())
print(MS_SSIM(data_range=1.0, channel=3, win_size=7)(a[..., :100, :100], b[..., :100, :100]))
