"""Functions of one's own that give back what they were given, and keep it: kept is the argument, not the result."""

import torch
from torch.utils.checkpoint import checkpoint


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x, y * 2

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        print(x.requires_grad, type(x.grad_fn).__name__, y.requires_grad, y.is_leaf)
        return g, 2 * h


other = torch.ones(2, requires_grad=True)
for given in (torch.zeros(2), torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True).exp()):
    one, two = Same.apply(given, other)
    print(one is given, type(one.grad_fn).__name__, one.requires_grad)
    (one + two).sum().backward()
    print(other.grad)


class Changed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print(type(x.grad_fn).__name__, x)
        return 2 * g


start = torch.ones(2, requires_grad=True)
Changed.apply(start.clone()).sum().backward()
print(start.grad)
with torch.no_grad():
    plain = torch.ones(2)
out = checkpoint(lambda x, y: x, plain, other, use_reentrant=True)
print(out.requires_grad, type(out.grad_fn).__name__)
try:
    out.sum().backward()
except RuntimeError as error:
    print(error)
