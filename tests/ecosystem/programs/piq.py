"""Measures of the quality of pictures, and losses made of them."""

import piq
import torch

torch.manual_seed(0)
x = torch.rand(2, 3, 192, 192)
y = (x + 0.1 * torch.randn_like(x)).clamp(0, 1)
for name in (
    "psnr",
    "ssim",
    "multi_scale_ssim",
    "gmsd",
    "multi_scale_gmsd",
    "fsim",
    "vif_p",
    "haarpsi",
    "mdsi",
    "vsi",
    "srsim",
    "dss",
):
    print(name, getattr(piq, name)(x, y))
print("total_variation", piq.total_variation(x), piq.information_weighted_ssim(x, y))
z = y.clone().requires_grad_()
loss = piq.SSIMLoss()(z, x) + piq.GMSDLoss()(z, x) + piq.TVLoss()(z) * 1e-3 + piq.HaarPSILoss()(z, x)
loss.backward()
print(loss, z.grad.abs().sum(), z.grad[0, 0, 0, :4])
first, second = torch.randn(60, 8), torch.randn(60, 8) + 0.5
print(piq.FID()(first, second), piq.KID()(first, second))
print(piq.PR(nearest_k=3)(first, second), piq.MSID.__name__)
