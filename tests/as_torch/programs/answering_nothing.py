"""Classes below autograd that hand on to what answers nothing: to the class of all tensors, and within no_dispatch."""

import torch
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode, is_in_torch_dispatch_mode


class Heard(torch.Tensor):
    @staticmethod
    def __new__(cls, elements):
        return torch.Tensor._make_subclass(cls, elements)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print("heard", func)
        with no_dispatch():
            return func(*args, **(kwargs or {}))


class HandingOn(torch.Tensor):
    called = []

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.called.append(str(func))
        return super().__torch_dispatch__(func, types, args, kwargs)


class Deaf(torch.Tensor):
    __torch_dispatch__ = torch._C._disabled_torch_dispatch_impl


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print("mode", func, is_in_torch_dispatch_mode())
        return func(*args, **(kwargs or {}))


x = Heard(torch.ones(2, 2))
y = x.conj().exp()
print(type(y).__name__, y)
print(torch.stack([x, x]).shape, type(x.split(1)[0]).__name__)
y = torch.ones(2).as_subclass(HandingOn)
z = y + y
print(type(z).__name__, z, HandingOn.called)
leaf = torch.ones(2, requires_grad=True)
z = (leaf.as_subclass(HandingOn) * 3).sum()
z.backward()
print(type(z).__name__, leaf.grad, HandingOn.called)
print(type(torch.ones(2).as_subclass(Deaf) + 1).__name__)
with torch._C._DisableTorchDispatch():
    print(type(x * 2).__name__)
with Mode():
    torch.ones(1) + 1
print(is_in_torch_dispatch_mode())
