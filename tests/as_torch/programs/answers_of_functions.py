import operator
import warnings

import numpy as np
import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
x = torch.ones(2, requires_grad=True)


class Listed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return [x * 2]

    @staticmethod
    def backward(ctx, g):
        return g


class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, [x * 3], None, "a"

    @staticmethod
    def backward(ctx, *g):
        return g[0]


print(Listed.apply(x), Mixed.apply(x))
for answer in (np.ones(2), "a", 3, [torch.ones(2)], np.float32(2)):

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return answer  # noqa: B023 - called in this round

    try:
        Wrong.apply(x).sum().backward()
    except RuntimeError as error:
        print(error)
for dtype in (torch.float32, torch.float64, torch.float16, torch.complex64):
    try:
        torch.autograd.gradcheck(lambda x: x.detach() * x, torch.ones(2, dtype=dtype, requires_grad=True))
    except RuntimeError as error:
        print(type(error), error)
for shape in ((3, 4), (1, 2, 3, 4, 5), (2, 2, 0, 0), (3,), (2, 3, 4)):
    for pool in (F.adaptive_avg_pool2d, F.adaptive_avg_pool3d):
        try:
            print(pool(torch.ones(shape), 1).shape)
        except (RuntimeError, IndexError) as error:
            print(error)
print(torch.nn.AdaptiveAvgPool2d(1)(torch.arange(12.0).view(3, 4)))


class Beside:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__


for name in "add sub mul truediv lt iadd isub".split():
    print(name, getattr(operator, name)(torch.ones(2), Beside()))
