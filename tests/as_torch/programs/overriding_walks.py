"""Classes that override `autograd.grad` and `backward`, plain methods that do, tensors made of a class derived from Tensor."""

import warnings

import torch
import torch.autograd.forward_ad as forward_ad


class Told:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, [[type(a).__name__ for a in some] for some in args], sorted((kwargs or {}).items())


told = Told()
print(torch.autograd.grad(told, told))
print(torch.autograd.grad([told], [told, told], allow_unused=True))
print(torch.autograd.backward(told))
print(torch.autograd.backward([told], retain_graph=True))


class Asked(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, len(args), sorted(kwargs or {}))
        return func(*args, **(kwargs or {}))


x = torch.ones(2, requires_grad=True)
y = (x * 3).sum()
with Asked():
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.backward(y)
print(x.grad)


class Plain:
    def __torch_function__(self, *args, **kwargs):
        return 5


with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print([torch.nn.functional.dropout(Plain()), torch.abs(Plain()), torch.abs(Plain())])
print([w.category.__name__ for w in seen])


class Derived(torch.Tensor):
    pass


a = torch.ones(1)
c = Derived(a)
print(type(c).__name__, c._is_view(), c._base is a, c.data_ptr() == a.data_ptr(), c.requires_grad)
d = Derived(x)
print(type(d.grad_fn).__name__, d.requires_grad, d.is_leaf)
(d * 2).sum().backward()
print(x.grad, type(x.grad).__name__)

for answer in (lambda t: t.grad, lambda t: 5, lambda t: t, lambda t: None):
    t = torch.ones(2, requires_grad=True)
    t.register_post_accumulate_grad_hook(answer)
    try:
        print(t.sum().backward())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)

with forward_ad.dual_level():
    primal, tangent = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    dual = forward_ad.make_dual(primal, tangent)
    with torch.no_grad():
        unrecorded = dual * 3
    print([p.requires_grad for p in forward_ad.unpack_dual(unrecorded)])
    print([p.requires_grad for p in forward_ad.unpack_dual(dual * 3)])
