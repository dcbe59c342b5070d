"""make_fx: the operators below autograd that a function calls, gradients and vmap among them, as a graph."""

import numpy as np
import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode


def shown(made):
    print(*(line for line in made.code.split("\n") if line.strip()), sep="\n")
    return made


def many(x):
    y = x * 2 + 1
    y.add_(1)
    return torch.cat([x, y]).view(-1), torch.relu(x).sum(dim=0), {"t": x.t()}


made = shown(make_fx(many)(torch.ones(2, 2)))
x = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
print(made(x), many(x))
print([(n.name, n.meta["tensor_meta"].shape) for n in made.graph.nodes if "tensor_meta" in n.meta][:3])


def constants(x):
    fresh = torch.tensor(3)
    fresh.add_(1)
    return x + fresh, x - OUTSIDE


OUTSIDE = torch.ones(2)
made = shown(make_fx(constants)(torch.ones(2)))
print(made(OUTSIDE), made(OUTSIDE))
shown(make_fx(lambda d, n: d["a"] + d["b"] * n)({"a": torch.ones(2), "b": torch.ones(1)}, 3))
torch.manual_seed(0)
layer = nn.Linear(2, 2)
made = shown(make_fx(layer)(torch.ones(1, 2)))
print(torch.equal(made(torch.ones(1, 2)), layer(torch.ones(1, 2))))
weights = dict(layer.named_parameters())
shown(make_fx(lambda p, x: torch.func.functional_call(layer, p, x))(weights, torch.ones(3, 2)))


def inputs(made):
    """What a graph calls, without how often it makes a view or a copy of the same."""
    names = [n.target._opname for n in made.graph.nodes if n.op == "call_function"]
    return [n for n in names if n not in ("view", "detach", "ones_like", "expand")]


leaf = torch.ones(3, requires_grad=True)
made = make_fx(lambda x: torch.autograd.grad(x.cos().sum(), x))(leaf)
print(inputs(made), made(torch.zeros(3, requires_grad=True)))
made = make_fx(torch.func.vmap(torch.func.grad(lambda x: (x**2).sum())))(torch.ones(3, 2))
print(inputs(made), made(torch.arange(6.0).view(3, 2)))
for wrong in (lambda x: x if x.sum() > 0 else -x, lambda x: x.sum().item() + x):
    try:
        make_fx(wrong)(torch.ones(3))
    except RuntimeError as error:
        print(str(error).partition(".")[0])
print(make_fx(lambda x: x * torch.tensor(2.0).item())(torch.ones(1)).code)
double = make_fx(lambda x: x.sin(), decomposition_table={torch.ops.aten.sin.default: lambda x: x.cos() + 1})
shown(double(torch.ones(1)))
shown(make_fx(lambda x: x + torch.from_numpy(np.ones(2, "float32")) * torch.as_tensor([1.0, 2.0]))(torch.ones(2)))


class Heard(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func)
        return func(*args, **(kwargs or {}))


with Heard():
    torch.tensor(3.0) + torch.as_tensor([1, 2])
    y = torch.ones(2, requires_grad=True) ** 3.0
    y.sum(dim=0, keepdim=False)
