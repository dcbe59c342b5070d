"""Lists and attributes of fastcore with tensors in them."""

import torch
from fastcore.basics import patch, store_attr
from fastcore.foundation import L

torch.manual_seed(0)
things = L(torch.arange(3), torch.randn(2), torch.eye(2))
print(things, things.map(lambda t: tuple(t.shape)), things.attrgot("dtype"))


class Keeper:
    def __init__(self, weight, bias):
        store_attr()


@patch
def apply(self: Keeper, x):
    return x @ self.weight + self.bias


print(Keeper(torch.ones(2, 2), torch.tensor(1.0)).apply(torch.eye(2)))
