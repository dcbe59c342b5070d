"""Perceptual distances of pictures by a small network, and their gradient."""

import lpips
import torch

torch.manual_seed(0)
loss = lpips.LPIPS(net="alex", pretrained=False, pnet_rand=True, verbose=False)
a, b = torch.rand(2, 3, 64, 64) * 2 - 1, torch.rand(2, 3, 64, 64) * 2 - 1
a.requires_grad_()
distance = loss(a, b)
print(distance.shape, distance.flatten())
distance.sum().backward()
print(a.grad.abs().mean(), a.grad[0, 0, :2, :3])
whole, parts = loss(a, b, retPerLayer=True)
print([p.mean().item() for p in parts])
spatial = lpips.LPIPS(net="squeeze", pretrained=False, pnet_rand=True, verbose=False, spatial=True)
print(spatial(a, b)[0, 0, :2, :4])
print(lpips.L2(use_gpu=False, colorspace="RGB")(a[:1], b[:1]), lpips.NetLinLayer(4))
