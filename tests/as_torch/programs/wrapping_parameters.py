# ruff: noqa
"""Tensors made of other tensors (``__torch_dispatch__``) as parameters: modules, gradients, optimizers, files, copies."""

import copy
import io
import pickle

import torch
from torch.utils import _pytree as pytree


class Two(torch.Tensor):
    @staticmethod
    def __new__(cls, a, b):
        return torch.Tensor._make_wrapper_subclass(
            cls, a.size(), strides=a.stride(), dtype=a.dtype, requires_grad=a.requires_grad
        )

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __repr__(self):
        return f"Two({self.a}, {self.b})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs=None):
        kwargs = kwargs or {}
        one = pytree.tree_map_only(Two, lambda x: x.a, args)
        two = pytree.tree_map_only(Two, lambda x: x.b, args)
        a, b = func(*one, **kwargs), func(*two, **kwargs)
        if isinstance(a, (tuple, list)):
            return type(a)(Two(x, y) for x, y in zip(a, b))
        return Two(a, b) if isinstance(a, torch.Tensor) else a


import __main__

__main__.Two = Two
Two.__module__ = "__main__"
x = Two(torch.arange(3.0), torch.ones(3))
print(pickle.loads(pickle.dumps(x)), copy.deepcopy(x))
file = io.BytesIO()
torch.save({"x": x}, file)
file.seek(0)
with torch.serialization.safe_globals([Two]):
    print(torch.load(file))
print(x.type(torch.float64), x.view(3, 1).T, x.split(2), 1 - x)

layer = torch.nn.Linear(3, 2, bias=False)
layer.weight = torch.nn.Parameter(Two(torch.ones(2, 3), torch.zeros(2, 3)))
print(layer(torch.ones(1, 3)))


def trained(make, plain):
    w = torch.ones(2, requires_grad=True) if plain else Two(torch.ones(2), 2 * torch.ones(2)).requires_grad_()
    optimizer = make([w, torch.nn.Parameter(torch.ones(1))])
    for _ in range(3):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
    return w


for name, make in {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1),
    "adam": lambda p: torch.optim.Adam(p, lr=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.1),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.1),
}.items():
    w, plain = trained(make, False), trained(make, True)
    print(name, torch.allclose(w.a, plain.detach(), atol=1e-6), w.b)
