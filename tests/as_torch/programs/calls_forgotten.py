"""Methods that are named and not called, as people forget the parentheses: what Python says of them."""

import pickle

import torch
from torch import nn

x = torch.ones(2, 3)
layer = nn.Linear(2, 3)


def told(case):
    try:
        return case()
    except Exception as problem:
        return type(problem).__name__, str(problem).split("\n")[0]


CASES = [
    lambda: x.size[0], lambda: x.size / 2, lambda: x.dim + 1, lambda: x.item + 1, lambda: x.mean - x.std, lambda: len(x.size),
    lambda: x.view[1], lambda: x.tolist[0], lambda: range(x.size), lambda: torch.zeros(x.size), lambda: x.shape(0),
    lambda: x.numpy[0], lambda: x.argmax.item(), lambda: layer.parameters[0], lambda: layer.state_dict["weight"],
    lambda: x.relu[0], lambda: torch.relu[0], lambda: int(x.size), lambda: f"{x.size:>3}",
    lambda: x.size > 3, lambda: x.size < x.dim, lambda: -x.size, lambda: x.size @ x, lambda: x + x.size,
    lambda: torch.cat(x.size), lambda: sum(x.size), lambda: max(x.size, 3), lambda: dict(x.size), lambda: float(x.mean),
    lambda: round(x.mean, 2), lambda: x.size.foo, lambda: x.view.shape, lambda: x.backward[0], lambda: x.norm[0],
    lambda: x.clone * 2, lambda: x.t + x, lambda: x.cpu.numpy(), lambda: x.item.foo, lambda: torch.dtype("float"),
    lambda: x.size == x.size, lambda: x.size == x.dim, lambda: hash(x.add) == hash(x.add), lambda: x.add.__self__ is x,
    lambda: pickle.loads(pickle.dumps(x.sum))(), lambda: x.add.__name__, lambda: callable(x.add), lambda: x.add(1).sum(),
    lambda: [f(x).sum() for f in map(x.__getattribute__, ("add", "sub", "mul"))],
    lambda: repr(x.add).split(" at ")[0], lambda: repr(nn.Parameter(x).dim).split(" at ")[0],
    lambda: [type(f).__name__ for f in (x.size, x.add, x.norm, x.split, torch.Tensor.add, torch.Tensor.size, torch.norm)],
]  # fmt: skip
for case in CASES:
    print(told(case))
