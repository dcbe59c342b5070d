# ruff: noqa: B023
"""What a function may do while `torch.func` transforms it: write into its arguments, but not use hooks or old functions."""

import torch
from torch.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap


def told(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, error)


def numbers():
    return torch.tensor([1.0, 2.0, 3.0])


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


def hooked(x):
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        return x.sin().sum()


TRANSFORMS = {
    "grad": grad,
    "grad_and_value": grad_and_value,
    "vjp": lambda f: lambda x: vjp(f, x)[1](torch.tensor(1.0)),
    "jvp": lambda f: lambda x: jvp(f, (x,), (x,)),
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "hessian": hessian,
    "vmap": vmap,
}
for name, transform in TRANSFORMS.items():
    told(f"Function {name}", lambda: transform(lambda x: Sine.apply(x).sum())(numbers()))
    told(f"hooks {name}", lambda: transform(hooked)(numbers()))
    for kind in ("jacobian", "hessian"):
        function = getattr(torch.autograd.functional, kind)
        told(f"{kind} {name}", lambda: transform(lambda x: function(lambda y: (y**3).sum(), x).sum())(numbers()))
with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    told("around grad", lambda: grad(lambda x: x.sin().sum())(numbers()))
    told("around jvp", lambda: jvp(torch.sin, (numbers(),), (numbers(),)))
print(torch.autograd.functional.jacobian(torch.sin, numbers()), Sine.apply(numbers()))


def copied(a, b):
    a.copy_(b)
    return a


def put(a, b):
    a[0] = b.sum()
    return a * 2


def through_a_view(a, b):
    part = a.view(3)[1:]
    part.add_(b[1:])
    return a


for function in (copied, put, through_a_view):
    given = torch.zeros(3)
    told(function.__name__, lambda: jvp(function, (given, numbers()), (numbers(), numbers() * 2)))
    print(given)
told("mul_", lambda: jvp(lambda a: a.mul_(3), (torch.ones(3),), (numbers(),)))
told("mul_", lambda: jacfwd(lambda a: a.mul_(3))(torch.ones(3)))
told("mul_", lambda: grad(lambda a: a.mul_(3).sum())(torch.ones(3)))
told(
    "twice", lambda: jvp(lambda x: jvp(lambda y: y.mul_(y.clone()), (x.clone(),), (x,))[1], (numbers(),), (numbers(),))
)
