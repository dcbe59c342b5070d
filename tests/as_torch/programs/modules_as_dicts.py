# ruff: noqa
"""A module's `__dict__`: what is in it, and what becomes of a module whose dict is read, copied, written or exchanged."""

import copy
import io
import pickle
from collections import OrderedDict

import torch
from torch import nn


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


class Scaled(nn.Module):
    def __init__(self):
        self.early = 1
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.inner = nn.Linear(1, 1)
        self.register_buffer("seen", torch.zeros(1), persistent=False)
        self.__dict__["plain"] = torch.ones(1)

    def forward(self, x):
        return x * self.scale


for made in (nn.Linear(2, 3), nn.Conv2d(1, 2, 3), nn.Sequential(nn.ReLU()), nn.BatchNorm1d(3), Scaled()):
    print(list(made.__dict__), len(made.__dict__), made.__dict__ == vars(made))
made = nn.Linear(2, 3)
print(
    dict(made.__dict__).keys() == {**made.__dict__}.keys() == made.__dict__.copy().keys() == (made.__dict__ | {}).keys()
)
print([(k, v) for k, v in made.__dict__.items() if k.endswith(("hooks", "hook", "called", "kwargs"))])
print(
    "weight" in made.__dict__,
    made.__dict__.get("weight"),
    "_forward_hooks" in made.__dict__,
    made.__dict__["_forward_hooks"],
)
told(lambda: made.__dict__["weight"])
told(lambda: made.__dict__.pop("weight", "none"))
told(lambda: made.__dict__.pop("weight"))
print(
    made.__dict__["_parameters"] is made._parameters,
    made._forward_hooks is made.__dict__["_forward_hooks"],
    made.weight.shape,
)

# Tables of hooks.
calls = []
handle = made.register_forward_hook(lambda *_: calls.append("hook"))
made(torch.ones(1, 2))
print(len(made.__dict__["_forward_hooks"]), list(made._forward_hooks) == [handle.id])
made._forward_hooks.clear()
made(torch.ones(1, 2))
made._forward_hooks[0] = lambda *_: calls.append("put")
made(torch.ones(1, 2))
made._forward_hooks = OrderedDict()
made(torch.ones(1, 2))
made.__dict__["_forward_pre_hooks"] = OrderedDict(a=lambda *_: calls.append("before"))
made(torch.ones(1, 2))
del made._forward_pre_hooks["a"]
named = made.register_forward_pre_hook(lambda module, args, kwargs: calls.append(kwargs), with_kwargs=True)
made(input=torch.ones(1, 2))
print(len(calls), made._forward_pre_hooks_with_kwargs == {named.id: True}, made._forward_hooks_always_called)
print(made._is_full_backward_hook, made.register_full_backward_hook(lambda *_: None) and made._is_full_backward_hook)

# Copies.
one = nn.Linear(2, 3)
for way in ("assigned", "updated", "setstate", "copy"):
    other = nn.Linear.__new__(nn.Linear)
    if way == "assigned":
        other.__dict__ = one.__dict__.copy()
    elif way == "updated":
        other.__dict__.update(one.__dict__)
    elif way == "setstate":
        other.__setstate__(one.__dict__.copy())
    else:
        other = copy.copy(one)
    print(way, other.weight is one.weight, other._parameters is one._parameters, other(torch.ones(1, 2)).shape)
    other._parameters = other._parameters.copy()
    other.weight = nn.Parameter(torch.zeros(3, 2))
    print(other.weight is one.weight, other.weight.sum().item(), [name for name, _ in other.named_parameters()])
shared = copy.copy(one)
shared.weight = nn.Parameter(torch.full((3, 2), 7.0))
print(one.weight[0, 0].item(), one._parameters["weight"] is one.weight)
shared.register_forward_hook(lambda *_: calls.append("shared"))
one(torch.ones(1, 2))
print(calls[-1])
deep = copy.deepcopy(Scaled())
print(list(deep.__dict__), deep.scale is deep._parameters["scale"], deep._non_persistent_buffers_set)
again = pickle.loads(pickle.dumps(nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2))))
print(list(again.__dict__), list(again[1].__dict__), again.state_dict().keys())
buffer = io.BytesIO()
torch.save(nn.Conv1d(1, 2, 3), buffer)
buffer.seek(0)
print(list(torch.load(buffer, weights_only=False).__dict__))

# Entries put and taken by hand.
net = Scaled()
net.__dict__["scale"] = 5
print(net.scale, net._parameters["scale"].item(), "scale" in net.__dict__)
del net.__dict__["scale"]
print(net.scale.item())
net._parameters["late"] = nn.Parameter(torch.ones(2))
print(net.late, "late" in net.__dict__, [name for name, _ in net.named_parameters()])
del net._parameters["scale"]
net.scale = torch.ones(3)
print("scale" in net.__dict__, net(2.0))
net._modules = {}
print(list(net.children()), hasattr(net, "inner"), dir(net).count("late"))
net.__init__()
print(list(net._parameters), net.inner, hasattr(net, "late"))
object.__setattr__(net, "odd", 3)
print(net.__dict__["odd"], net.odd)
bare = nn.Module.__new__(nn.Module)
print(bare.__dict__, "_forward_hooks" in bare.__dict__)
told(lambda: bare(1))

import warnings

from torch.nn.modules import *

with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    held = torch.nn.Container(a=Linear(1, 1))
print(
    held,
    [(w.category.__name__, str(w.message)) for w in heard],
    list(held.state_dict()),
    Container is torch.nn.Container,
)
