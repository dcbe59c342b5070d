# ruff: noqa
"""Pools of no samples, planes or elements: results, gradients, refusals."""

import torch
import torch.nn.functional as F


def told(f):
    try:
        found = f()
        print(found.shape if isinstance(found, torch.Tensor) else found)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


def grad_of(f, *shape):
    x = torch.zeros(shape, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return y.shape, x.grad.shape


pools = {
    2: {
        "fractional": lambda x: F.fractional_max_pool2d(x, (2, 2), output_size=(3, 3)),
        "max": lambda x: F.max_pool2d(x, 3, stride=2),
        "adaptive max": lambda x: F.adaptive_max_pool2d(x, 5),
        "avg": lambda x: F.avg_pool2d(x, 3, 2),
        "lp": lambda x: F.lp_pool2d(x, 2.0, 3),
        "unpool": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, 2, return_indices=True), 2, 2),
    },
    3: {
        "fractional": lambda x: F.fractional_max_pool3d(x, (2, 2, 2), output_size=(3, 3, 3)),
        "max": lambda x: F.max_pool3d(x, 3, stride=2),
        "adaptive max": lambda x: F.adaptive_max_pool3d(x, 5),
        "adaptive avg": lambda x: F.adaptive_avg_pool3d(x, 5),
        "avg": lambda x: F.avg_pool3d(x, 3, 2),
        "unpool": lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, 2, return_indices=True), 2, 2),
    },
}
for d, named in pools.items():
    for name, f in named.items():
        print(d, name)
        for shape in ((0, 4), (1, 0), (0, 0)):
            told(lambda: grad_of(f, *shape, *(8,) * d))
        told(lambda: grad_of(f, 0, *(8,) * d))
for f in (F.adaptive_avg_pool1d, F.adaptive_max_pool1d, lambda x, n: F.max_pool1d(x, 2)):
    told(lambda: grad_of(lambda x: f(x, 3), 0, 4, 8))
told(lambda: F.max_pool1d(torch.ones(1, 0, 8), 2))
ones = torch.ones
told(lambda: F.fractional_max_pool2d(ones(1, 3, 8, 8), 2, output_size=3, _random_samples=ones(1, 3, 1)))
told(lambda: F.fractional_max_pool2d(ones(1, 3, 8, 8), 2, output_size=3, _random_samples=ones(1, 2, 2)))
told(lambda: F.fractional_max_pool2d(ones(1, 3, 8, 8), 2, output_size=3, _random_samples=ones(0, 3, 2)))
told(lambda: F.fractional_max_pool2d(ones(1, 3, 8, 8), 2, output_size=3, _random_samples=ones(3, 2)))
told(lambda: F.fractional_max_pool2d(ones(1, 3, 8, 8), 2, output_ratio=(0.5, 0.5, 0.5)))
told(lambda: F.fractional_max_pool2d(ones(1, 3, 8, 8), (2, 2, 2), output_size=3))
told(lambda: F.fractional_max_pool2d(ones(1, 3, 8, 8), 2, output_size=(3, 3, 3)))
told(lambda: F.fractional_max_pool3d(ones(1, 3, 8, 8, 8), 2, output_size=3, _random_samples=ones(1, 3, 2)))
told(lambda: F.fractional_max_pool3d(ones(1, 3, 8, 8, 8), 2, output_size=3, _random_samples=ones(0, 3, 3)))
told(lambda: F.fractional_max_pool3d(ones(1, 3, 8, 8, 8), (2, 2), output_size=3))
for f in (F.max_pool1d, F.max_pool2d, F.max_pool3d):
    d = int(f.__name__[8])
    told(lambda: f(ones(1, 1, *(3,) * d), 2, return_indices=True)[1].flatten().tolist())
    told(lambda: f(ones(1, 1, *(1,) * d), 4))
    told(lambda: f(ones(1, *(4,) * d), 2, padding=2))
x = torch.randn(2, 3, 4, 4, 4).to(memory_format=torch.channels_last_3d)
told(lambda: F.max_pool3d(x, 2).is_contiguous(memory_format=torch.channels_last_3d))
told(lambda: F.avg_pool3d(x, 2).is_contiguous(memory_format=torch.channels_last_3d))
told(lambda: F.adaptive_avg_pool3d(x, 2).is_contiguous(memory_format=torch.channels_last_3d))
told(lambda: F.max_pool3d(x, 2, return_indices=True)[1].is_contiguous(memory_format=torch.channels_last_3d))
for f in (F.max_pool1d, F.max_pool2d, F.max_pool3d):
    d = int(f.__name__[8])
    for kernel, padding in (2, 2), (2, 1), (3, 2):
        told(lambda: f(ones(1, 1, *(9,) * d), kernel, 1, padding, dilation=5).sum())
