"""Convolutions and their transposes whose images are smaller than a step, so that some parts of the transpose have no results."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
for n, (height, width), kernel, step, padding in (
    (128, (1, 1), 3, 2, 1),
    (128, (2, 2), 3, 2, 1),
    (128, (1, 1), 5, 4, 2),
    (128, (3, 3), 4, 3, 2),
    (128, (1, 3), 3, 2, 1),
):
    x = torch.randint(-3, 4, (n, 64, height, width)).float().requires_grad_()
    weight = torch.randint(-3, 4, (64, 64, kernel, kernel)).float().requires_grad_()
    for convolution in (F.conv_transpose2d, F.conv2d):
        y = convolution(x, weight, stride=step, padding=padding)
        (y * torch.arange(y.numel()).view_as(y) % 7).sum().backward()
        print(convolution.__name__, tuple(y.shape), y.sum(), y.abs().sum(), x.grad.abs().sum(), weight.grad.abs().sum())
