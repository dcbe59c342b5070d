"""What a slice of vmap is not asked for, and what comes of one that a program keeps for later."""

import torch
from torch import vmap


def tried(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


kept = []
print(vmap(lambda x: (kept.append(x), x + 1)[1])(torch.ones(2, 2)))
slice_of = kept[0]
print(slice_of, slice_of.shape, slice_of.dtype)
tried(lambda: slice_of + 1)
tried(lambda: slice_of.sin())
tried(lambda: torch.ones(2) * slice_of)
tried(lambda: slice_of.tolist())
x, images = torch.arange(6.0).view(3, 2), torch.ones(3, 2, 2, 2, 2)
tried(lambda: vmap(lambda x: x.as_strided((2,), (1,), 5))(x))
tried(lambda: vmap(lambda x: x.as_strided((3,), (1,)))(x))
tried(lambda: vmap(lambda x: x.as_strided((2, 2), (0, 1)))(x))
tried(lambda: vmap(lambda x: x.as_strided((1,), (1,), 1))(x))
tried(lambda: vmap(lambda x: x.clone(memory_format=torch.channels_last))(images))
tried(lambda: vmap(lambda x: x.clone(memory_format=torch.preserve_format))(images).shape)
tried(lambda: vmap(lambda x: x.contiguous(memory_format=torch.channels_last))(images))
tried(lambda: vmap(lambda x: torch.tensor(x.is_contiguous(memory_format=torch.channels_last)))(images))
tried(lambda: vmap(lambda x: torch.where(x))(x))
tried(lambda: vmap(lambda x: torch.ones(2).bernoulli_(x))(x / 9))
tried(lambda: vmap(lambda x: torch.ones(2).bernoulli_(x), randomness="different")(x / 9))
tried(lambda: vmap(lambda x: x.data)(x))
y, z = torch.ones(3, 5), torch.ones(3, 2, 4)
for wrong in (
    torch.add,
    torch.mul,
    torch.dot,
    torch.matmul,
    torch.nn.functional.mse_loss,
    lambda a, b: torch.stack([a, b]),
):
    tried(lambda wrong=wrong: vmap(wrong)(x, y))
for wrong in (
    lambda x: x.view(7), lambda x: x.reshape(7), lambda x: x.expand(5, 9), lambda x: x @ torch.ones(7, 7), lambda x: x.sum(4),
    lambda x: x[5], lambda x: torch.nn.functional.linear(x, torch.ones(3, 5)),
    lambda x: torch.split(x, [1, 5]), lambda x: x.unflatten(0, (3, 3)),
    lambda x: torch.nn.functional.layer_norm(x, (5,)), lambda x: x.gather(0, torch.tensor([[7]])), torch.linalg.inv,
):  # fmt: skip
    tried(lambda wrong=wrong: vmap(wrong)(z))
