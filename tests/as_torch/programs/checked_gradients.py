"""gradcheck: results that want no gradient, gradients and tangents that are not there, tangents of complex results."""

import warnings

import torch
import torch.autograd.forward_ad as forward
from torch.autograd import Function, gradcheck


def tried(*args, **options):
    try:
        print(gradcheck(*args, **options))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


x, y = (torch.tensor([0.5, v], dtype=torch.double, requires_grad=True) for v in (1.0, 2.0))
z = torch.tensor([0.5 + 1j, 2.0], dtype=torch.cdouble, requires_grad=True)


def wrong_forwards(x, y):
    if forward._current_level >= 0:
        primal, tangent = forward.unpack_dual(y)
        y = forward.make_dual(primal, tangent * 1.1)
    return x + y, y


tried(wrong_forwards, (x, y), check_forward_ad=True)
tried(wrong_forwards, (x, z), check_forward_ad=True, check_undefined_grad=False)
tried(lambda x: (x.sin(), x.detach()), (x,), check_forward_ad=True)


def hooked(x):
    def hook(g):
        if g is None:
            raise RuntimeError("nothing")

    y = x.clone()
    y.register_hook(hook)
    return y


class Unprepared(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 3


class Prepared(Unprepared):
    @staticmethod
    def backward(ctx, g, h):
        if g is None:
            return None if h is None else h * 3
        return g * 2 if h is None else g * 2 + h * 3


class Constant(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(2, dtype=torch.double) if g is None else g * 2


class Forwards(Function):
    @staticmethod
    def forward(x, y):
        return x * 2 + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, g):
        return (None, None) if g is None else (g * 2, g)

    @staticmethod
    def jvp(ctx, a, b):
        return a * 2 + b


class AlsoAlone(Forwards):
    @staticmethod
    def jvp(ctx, a, b):
        return b if a is None else a * 2 if b is None else a * 2 + b


with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    tried(hooked, (x,))
    tried(Unprepared.apply, (x,))
    tried(Prepared.apply, (x,))
    tried(Constant.apply, (x,))
    tried(Constant.apply, (x,), raise_exception=False)
    tried(Constant.apply, (x,), check_undefined_grad=False)
    tried(Forwards.apply, (x, y), check_forward_ad=True)
    tried(AlsoAlone.apply, (x, y), check_forward_ad=True)
for each in found:
    print(each.message)
A = torch.tensor([[0.5, 0.2, 0.1], [0.2, 0.4, 0.3], [0.1, 0.3, 0.9]], dtype=torch.double, requires_grad=True)
start = torch.eye(3, 1, dtype=torch.double)
tried(lambda A: torch.lobpcg(A, 1, X=start)[0], (A,))
(g,) = torch.autograd.grad(torch.lobpcg(A, 1, X=start)[0].sum(), A)
print(torch.allclose(g, g.mT))
