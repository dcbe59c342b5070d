"""Pictures filtered, turned and coloured, differentiably."""

import kornia as K
import torch

torch.manual_seed(0)
image = torch.rand(1, 3, 12, 12, requires_grad=True)
print(K.filters.gaussian_blur2d(image, (3, 3), (1.0, 1.0))[0, 0, :2, :4])
print(
    K.color.rgb_to_grayscale(image)[0, 0, 0, :4],
    K.color.rgb_to_hsv(image)[0, :, 0, 0],
    K.color.rgb_to_lab(image)[0, :, 0, 0],
)
print(K.filters.sobel(image)[0, 1, 3, :4], K.filters.canny(image)[0][0, 0, 3, :4])
print(K.geometry.rotate(image, torch.tensor([30.0]))[0, 0, 5, :4])
print(K.geometry.warp_perspective(image, torch.eye(3)[None] + 0.01, (6, 6))[0, 2, 2, :4])
print(K.feature.harris_response(image)[0, 0, 4, :4], K.metrics.psnr(image, image + 0.1, 1.0))
print(K.losses.ssim_loss(image, image * 0.9, 5))
K.filters.laplacian(image, 3).square().sum().backward()
print(image.grad.norm(), K.augmentation.RandomHorizontalFlip(p=1.0)(image)[0, 0, 0, :3])
