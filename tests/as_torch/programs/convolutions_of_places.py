"""Convolutions whose windows are single places, and their gradients: each bit, added up with its place."""

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(0)


def bits(x):
    words = x.contiguous().view(torch.int32).flatten().long()
    return (words * (torch.arange(len(words)) % 1009 + 1)).sum().item()


for n, channels, outs, *size in (
    (2, 16, 1, 100),
    (1, 16, 1, 2000),
    (3, 17, 1, 33),
    (2, 16, 8, 3),
    (2, 16, 8, 1),
    (4, 4, 4, 5, 5),
    (3, 1, 5, 9),
    (2, 4, 2, 4),
    (2, 500, 3, 10),
    (1, 500, 64, 100),
    (2, 64, 64, 7, 7),
    (2, 100, 3, 2, 2, 2),
    (5, 16, 40, 15, 15),
):
    x = torch.randn(n, channels, *size, requires_grad=True)
    weight = torch.randn(outs, channels, *[1] * len(size), requires_grad=True)
    y = (F.conv1d, F.conv2d, F.conv3d)[len(size) - 1](x, weight)
    dx, dw = torch.autograd.grad(y, (x, weight), torch.randn_like(y))
    print(tuple(y.shape), bits(y), bits(dx), bits(dw) if max(size) > 1 else None)
