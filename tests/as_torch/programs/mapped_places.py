"""Slices along other dimensions than the first, as functions with a rule for vmap and a person see them; what slices refuse."""

import torch
from torch.func import vmap


class Times(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output): ...

    @staticmethod
    def vmap(info, in_dims, a, b):
        print(info.batch_size, info.randomness, in_dims, tuple(a.shape), tuple(b.shape))
        a, b = (x if d is None else x.movedim(d, 0) for x, d in zip((a, b), in_dims, strict=True))
        return a * b, 0


def tried(f):
    try:
        print(f())
    except RuntimeError as error:
        print(str(error).split("\n")[0])


x, y = torch.arange(12.0).reshape(3, 4), torch.arange(12.0).reshape(4, 3)
print(vmap(Times.apply, in_dims=(1, None))(x, torch.ones(3)))
print(vmap(Times.apply, in_dims=(-1, 0))(x, y))
print(vmap(vmap(Times.apply, in_dims=(1, 0)), in_dims=(0, None))(x.expand(2, 3, 4), y).shape)


def shown(x):
    print(x)
    return x


vmap(shown, in_dims=1)(x)
vmap(vmap(shown), in_dims=1)(torch.arange(8.0).reshape(2, 2, 2))
same = vmap(lambda x: x, in_dims=1, out_dims=1)(x)
print(same is x, vmap(lambda x: x, in_dims=1)(x).shape)


def written(x):
    x.data = torch.ones(4)
    return x


tried(lambda: vmap(lambda x: x.data)(x))
tried(lambda: vmap(written)(x))
tried(lambda: vmap(lambda a, b: torch.abs(a, out=b))(x, x.clone()))
