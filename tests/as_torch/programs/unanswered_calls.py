# ruff: noqa
"""Classes and modes that answer NotImplemented, functions that begin values, proxies asked for numbers, arrays wrapped again."""

import numpy as np
import torch
import torch.distributions.transforms as T
import torch.nn.functional as F
from torch import fx
from torch.overrides import TorchFunctionMode, resolve_name


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split(" object at")[0])


class Silent:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Quiet(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


s, g = Silent(), torch.ones(2).as_subclass(Quiet)
for f in (
    F.linear,
    F.relu,
    F.gelu,
    F.softmax,
    F.conv2d,
    F.one_hot,
    F.hardswish,
    F.softplus,
    torch.relu,
    torch.add,
    torch.stack,
):
    t(lambda: f(*[s] * (3 if f in (F.linear, F.conv2d) else 2 if f is torch.add else 1)))
for f in (torch.linalg.inv, torch.fft.fft, torch.special.erf, torch.nn.init.normal_, torch.nn.init.kaiming_uniform_):
    t(lambda: f(s))
t(lambda: torch.einsum("i", s))
t(lambda: torch.split(s, 1))
t(lambda: F.cross_entropy(s, s))
for f in (
    lambda: torch.ones(1).add(s), lambda: g.add(1), lambda: g + 1, lambda: 1 - g, lambda: g[0], lambda: g.shape, lambda: g.T,
    lambda: g.backward(), lambda: g.split(1), lambda: g.norm(), lambda: torch.norm(g), lambda: g.grad, lambda: len(g), lambda: abs(g),
    lambda: float(g), lambda: repr(g), lambda: g.register_hook(print), lambda: g.__setitem__(0, 1), lambda: g.to("cpu"), lambda: g.clone(),
):  # fmt: skip
    t(f)


class Mute(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented


class Told(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = resolve_name(func)
        if name and name.startswith("torch.nn.init"):
            print(name, len(args), {k: v for k, v in kwargs.items() if k != "tensor"}, list(kwargs)[0])
        return func(*args, **(kwargs or {}))


with Mute():
    t(lambda: torch.ones(1))
    t(lambda: F.relu(g))
with Told():
    torch.nn.Linear(2, 2)
    torch.nn.init.normal_(torch.ones(2), std=2.0)
    torch.nn.init.constant_(torch.ones(2), 3)

for f in (
    lambda x: x.__setitem__(0, 1), lambda x: int(x), lambda x: range(x.size(0)), lambda x: float(x), lambda x: [1, 2][x],
    lambda x: x.__index__(), lambda x: abs(x), lambda x: max(x, 1),
):  # fmt: skip
    t(lambda: fx.symbolic_trace(f).code)


def writes(x):
    x[0] = 1
    return x


def sized(x):
    return len(x)


fx.wrap("sized")
t(lambda: fx.symbolic_trace(writes).code)
t(lambda: fx.symbolic_trace(lambda x: sized(x) + 1).code)


class Own(torch.Tensor):
    pass


o = torch.ones(2).as_subclass(Own)
for f in (
    lambda: np.sin(o),
    lambda: np.add(np.ones(2), o),
    lambda: np.greater(o, 0),
    lambda: np.greater(torch.ones(2), 0),
):
    t(f)

for transform, shape in (
    (T.StickBreakingTransform(), (3,)), (T.CorrCholeskyTransform(), (3,)), (T.ComposeTransform([T.ExpTransform(), T.StickBreakingTransform()]), (3,)),
):  # fmt: skip
    for each in (shape, torch.Size(shape)):
        print(transform.forward_shape(each), transform.inverse_shape(transform.forward_shape(each)))

for how in ("max", "min", "maximum"):
    t(lambda: torch.zeros(2).scatter_reduce(0, torch.tensor([0, 1, 1]), torch.tensor([1.0, 5.0, -3.0]), how))
    t(
        lambda: torch.zeros(2).scatter_reduce_(
            0, torch.tensor([0, 1, 1]), torch.tensor([1.0, 5.0, -3.0]), how, include_self=False
        )
    )
w = torch.ones(2, requires_grad=True)
t(lambda: torch.zeros(2).scatter_reduce(0, torch.tensor([0, 1]), w, "max").sum().backward())

n, one = torch.tensor([1, 2]), torch.ones(2)
for f in (
    lambda: torch.func.jvp(lambda x: x, (n,), (n,)), lambda: torch.func.jvp(lambda x: x, (one,), (n,)),
    lambda: torch.func.jacfwd(lambda x: x)(n), lambda: torch.func.hessian(lambda x: x.sum())(n), lambda: torch.func.jacrev(lambda x: x.sum())(n),
):  # fmt: skip
    t(f)
