"""Hooks for what is kept that are set in the midst of a walk backwards are gone behind it."""

import torch
from torch.autograd.graph import saved_tensors_hooks

asked = []


def pack(x):
    asked.append("pack")
    return x


def entering(x):
    other.__enter__()
    return x


other = saved_tensors_hooks(pack, lambda x: x)
for _ in range(2):
    x = torch.ones(2, requires_grad=True)
    with saved_tensors_hooks(lambda x: x, entering):
        y = x.sin().sum()
    y.backward()
    x.exp()
    print(x.grad, asked)
with other:
    x.cos()
print(asked)
