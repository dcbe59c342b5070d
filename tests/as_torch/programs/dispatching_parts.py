# ruff: noqa
"""Modes and classes that answer below autograd: polite ones, kernels in the place of PyTorch's own, what is refused."""

from copy import deepcopy

import torch
from torch.overrides import enable_reentrant_dispatch
from torch.utils._python_dispatch import TorchDispatchMode, is_in_torch_dispatch_mode


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:200])


class W(torch.Tensor):
    @staticmethod
    def __new__(cls, elem):
        r = torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), dtype=elem.dtype, strides=elem.stride(), storage_offset=elem.storage_offset()
        )
        r.elem = elem
        return r

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        if name == "clone":
            return args[0].elem.clone()
        if name == "neg":
            return "arf"
        if name == "exp":
            with enable_reentrant_dispatch():
                return W(args[0].elem.exp())
        return func(*[x.elem if isinstance(x, W) else x for x in args], **(kwargs or {}))


x = W(torch.randn(4, 6).t().diagonal(offset=2))
print(x.storage_offset(), x.stride())
t("list", lambda: x.tolist())
t("numpy", lambda: x.numpy())
t("neg", lambda: x.neg())
t("copy", lambda: deepcopy(W(torch.ones(2))))
print(W(torch.ones(2, requires_grad=True)).exp().elem.requires_grad)


class Plain(torch.Tensor):
    pass


t("plain", lambda: deepcopy(Plain(3)))


class Good(torch.Tensor):
    def new_empty(self, shape):
        return type(self)(shape)


print(type(deepcopy(Good(3))).__name__)


class Log(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is not torch.ops.aten.detach.default:
            print(func, func.__module__, func.__name__)
        return func(*args, **(kwargs or {}))


with Log():
    y = torch.ones(4)
    y.view(torch.int32)
    y.view(2, 2)
    y.view((2, 2))
    y.set_(torch.ones(2))


class Polite(TorchDispatchMode):
    calls = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        Polite.calls += 1
        if any(t is not torch.Tensor for t in types):
            return NotImplemented
        return func(*args, **(kwargs or {}))


with Polite():
    W(torch.randn(2)).abs()
    print(Polite.calls)
    with Polite():
        W(torch.randn(2)).abs()


class OfClass(TorchDispatchMode):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return func(args, kwargs)


def within():
    with OfClass():
        return torch.ones(1) + 1


t("class", within)


class Infra(Log):
    @classmethod
    def is_infra_mode(cls):
        return True


with Infra():
    print(is_in_torch_dispatch_mode(), is_in_torch_dispatch_mode(include_infra_modes=False))

# kernels in the place of PyTorch's own
a = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.library._scoped_library("aten", "IMPL") as lib:
    lib.impl("sum", lambda x, **k: x.clone(), "CPU")
    lib.impl("aten::div.Tensor", lambda x, y: x * (1 / y) + 100, "CPU")
    lib.impl("neg", lambda x: x.exp(), "AutogradCPU")
    b = a.detach()
    print(torch.sum(b).tolist(), b.sum(0).tolist(), torch.div(a, a).tolist(), (a / a).grad_fn.name())
    print(torch.autograd.grad((a * 4.0).sum(0), a)[0].tolist(), (-a).grad_fn.name(), torch.ops.aten.neg(b).tolist())
    print(torch.nn.functional.linear(torch.ones(1, 2), torch.ones(2, 2)).tolist(), (b * 2).mean().tolist())
print(a.sum(), a / a, -a)
