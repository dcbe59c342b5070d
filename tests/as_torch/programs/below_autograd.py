"""Modes and classes that answer below autograd, and what libraries build on them."""

import torch
from torch import fx
from torch.fx.passes.shape_prop import ShapeProp
from torch.optim import Adam, Optimizer
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map
from torch.utils.flop_counter import FlopCounterMode


class Log(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func, [tuple(a.shape) if isinstance(a, torch.Tensor) else a for a in args])
        return func(*args, **(kwargs or {}))


a = torch.ones(2, 3, requires_grad=True)
with Log():
    b = torch.zeros(3, 4)
    c = (a @ b).relu().mean()
    torch.softmax(a, -1)
    torch.nn.functional.linear(a, b.t(), torch.ones(4))
    a.view(-1)
    a[0], a[:, 1:], a[None]
    a.transpose(0, 1)
    a.sum(0), a.sum(), a.max(1), a * 2 - a, a**2, a > 1
    torch.nn.functional.cross_entropy(a, torch.zeros(2, dtype=torch.long))
    torch.nn.functional.conv2d(b.view(1, 1, 3, 4), b.view(1, 1, 3, 4))


class Double(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        return found * 2 if func is torch.ops.aten.add.Tensor else found


with Double():
    print(torch.ones(2) + 1, torch.ones(2) * 1)


class Logging(torch.Tensor):
    elem: torch.Tensor
    __slots__ = ["elem"]

    @staticmethod
    def __new__(cls, elem, **k):
        made = torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, layout=elem.layout, device=elem.device, **k
        )
        made.elem = elem
        return made

    def __repr__(self):
        return f"Logging({self.elem})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        bare = lambda e: e.elem if isinstance(e, cls) else e
        made = lambda e: cls(e) if isinstance(e, torch.Tensor) else e
        return tree_map(made, func(*tree_map(bare, args), **tree_map(bare, kwargs or {})))


x = Logging(torch.arange(4.0).view(2, 2))
print(x + 1, x.shape, x.dtype, x.device, (x @ x).sum(), type(torch.relu(x)), torch.cat([x, x]), x[0])
for f in (
    lambda y: (y * 3).sum(),
    lambda y: y.sin().pow(2).sum(),
    lambda y: torch.softmax(y, 0).prod(),
    lambda y: torch.cat([y, y]).exp().mean(),
    lambda y: torch.nn.functional.linear(y.view(1, 2), torch.arange(6.0).view(3, 2)).relu().sum(),
):
    y = Logging(torch.tensor([0.5, 1.5]), requires_grad=True)
    z = f(y)
    (g,) = torch.autograd.grad(z, y, create_graph=True)
    z.backward(retain_graph=True)
    print(type(z.grad_fn).__name__, z, y.grad, g)


class Quant(torch.Tensor):
    @staticmethod
    def __new__(cls, q, s):
        return torch.Tensor._make_wrapper_subclass(cls, q.shape, dtype=torch.float32)

    def __init__(self, q, s):
        self.q, self.s = q, s

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.detach.default:
            return cls(args[0].q, args[0].s)
        return func(*tree_map(lambda e: e.q.float() * e.s if isinstance(e, Quant) else e, args), **(kwargs or {}))


q = Quant(torch.tensor([[1, 2], [3, 4]], dtype=torch.int8), 0.5)
print(q + 1, torch.ones(2) @ q, torch.nn.functional.linear(torch.ones(2, 2), q), q.sum())
layer = torch.nn.Linear(2, 2, bias=False)
layer.weight = torch.nn.Parameter(q, requires_grad=False)
print(layer(torch.ones(1, 2)), type(layer.weight))

net = torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.Sequential(torch.nn.Conv1d(1, 2, 3), torch.nn.ReLU()))
with FlopCounterMode(display=False) as counted:
    net(torch.ones(5, 1, 30))
print(
    counted.get_total_flops(),
    sorted((k, {str(o): n for o, n in v.items()}) for k, v in counted.get_flop_counts().items()),
)
print(
    torch.ops.aten.add.Tensor, repr(torch.ops.aten.mm.default), torch.ops.aten.add.Tensor is torch.ops.aten.add.Tensor
)
print(
    torch.ops.aten.sum.dim_IntList.name(), torch.ops.aten.mm.default.overloadpacket, torch.ops.aten.add.Tensor.__name__
)


class Signs(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def step(self, closure=None):
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad.sign(), alpha=-group["lr"])


class Louder(Adam):
    def step(self, closure=None):
        print("louder")
        return super().step(closure)


w = torch.ones(2, requires_grad=True)
for kind in (Signs, Louder):
    (w**2).sum().backward()
    o = kind([w], lr=0.1)
    o.register_step_pre_hook(lambda opt, args, kwargs: print("before", type(opt).__name__, len(args), kwargs))
    o.register_step_post_hook(lambda opt, args, kwargs: print("after", len(args), kwargs))
    o.step()
    o.step(closure=None)
print(w, torch.broadcast_shapes.__module__, torch.einsum.__module__)
shared = torch.ones(3).share_memory_()
shared.numpy()[0] = 5
print(shared)

graph = fx.symbolic_trace(net)
ShapeProp(graph).propagate(torch.ones(5, 1, 30))
print([(n.name, n.meta["tensor_meta"].shape, n.meta["tensor_meta"].stride) for n in graph.graph.nodes])
