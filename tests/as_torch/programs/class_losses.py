"""Negative log-likelihoods of rows and images: weights, an ignored class, every reduction."""

import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def spread(*shape, kind):
    n = 1
    for size in shape:
        n *= size
    return ((torch.arange(n, dtype=kind) * 7919 % 1013) / 331 - 1.5).reshape(shape)


for kind in (torch.float32, torch.float64):
    for shape in [(6,), (7, 5), (300, 10), (4, 10, 16, 16), (3, 4, 9)]:
        classes = shape[0] if len(shape) == 1 else shape[1]
        places = () if len(shape) == 1 else (shape[0], *shape[2:])
        target = (spread(*places, kind=kind) * 331).long() % classes
        weight = spread(classes, kind=kind).abs() + 0.1
        for by in (None, weight):
            for ignored in (-100, 1):
                for reduction in ("mean", "sum", "none"):
                    x = spread(*shape, kind=kind).requires_grad_()
                    loss = F.nll_loss(x, target, by, ignore_index=ignored, reduction=reduction)
                    loss.sum().backward()
                    total = loss.detach().double().sum().item()
                    print(
                        shape,
                        by is None,
                        ignored,
                        reduction,
                        f"{total:.4f}",
                        f"{x.grad.double().abs().sum().item():.4f}",
                    )
