# ruff: noqa
"""What nodes keep: hooks of one tensor, tensors that may be written, hooks that are refused; gradcheck's words; classes that
override initialisations and whose rows are of the class."""

import warnings

import torch
from torch import nn
from torch.autograd import Function, gradcheck
from torch.autograd.graph import allow_mutation_on_saved_tensors, disable_saved_tensors_hooks, saved_tensors_hooks


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0][:120])


a = torch.tensor([1.0, 2.0], requires_grad=True)
y = a.exp()
y.grad_fn._raw_saved_result.register_hooks(lambda t: 2 * t, lambda t: t / 4)
print(y.grad_fn._saved_result, type(y.grad_fn._raw_saved_result).__name__)
told(lambda: y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t))
told(lambda: y.grad_fn._raw_saved_result.register_hooks(lambda t: t))
y.sum().backward()
print(a.grad)
told(lambda: y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t))


class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


z = Twice.apply(a)
told(lambda: [type(t).__name__ for t in z.grad_fn._raw_saved_tensors])
told(lambda: z.grad_fn._raw_saved_tensors[1].register_hooks(lambda t: t, lambda t: t))


def written(x):
    x += 1
    return x


def pack():
    with saved_tensors_hooks(written, lambda t: t):
        torch.exp(a)


told(pack)


def refused():
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        with disable_saved_tensors_hooks("not now"):
            pass


told(refused)


def nested():
    with allow_mutation_on_saved_tensors():
        pass


with allow_mutation_on_saved_tensors() as kept:
    b = a.clone()
    out = (b**2).sum()
    b.sin_()
    print(len(kept.cloned))
    print(torch.autograd.grad(out, a, retain_graph=True))
told(lambda: out.backward())
with allow_mutation_on_saved_tensors():
    told(nested)


def off(x):
    y = x.clone()
    y.register_hook(lambda g: g + 1e-2)
    return y


x = torch.ones(2, requires_grad=True, dtype=torch.double)
c = torch.ones(1, requires_grad=True, dtype=torch.complex128)
told(lambda: gradcheck(off, x, raise_exception=False))
told(lambda: gradcheck(off, x))
told(lambda: gradcheck(off, c))
told(lambda: gradcheck(lambda v: v * 1.5, c))
told(lambda: gradcheck(lambda v: v.to_dense().sin(), x.detach().to_sparse().requires_grad_(), masked=True))
told(lambda: gradcheck(lambda v: v.to_sparse(), x))
told(lambda: gradcheck(lambda v: v.sum(), x[:1].expand(3).detach().requires_grad_()))
told(lambda: gradcheck(lambda v: torch.cat([v, v]) if (v >= 1).all() else v, x))
told(lambda: gradcheck(lambda v: v, x, check_backward_ad=False))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    told(lambda: gradcheck(lambda v: v * 2, torch.ones(1, requires_grad=True), atol=1e-1))
print(str(caught[0].message))


class Own:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__


print(
    nn.init.uniform_(Own()),
    nn.init.constant_(Own(), 1.0),
    nn.init.kaiming_uniform_(Own()),
    torch.broadcast_tensors(Own(), Own()),
)


class Sub(torch.Tensor):
    pass


print(
    [type(row).__name__ for row in torch.ones(2, 2).as_subclass(Sub)],
    sorted({"det", "bfloat16"} & {f.__name__ for f in torch.overrides.get_testing_overrides()}),
)
