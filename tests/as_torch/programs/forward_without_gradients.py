"""Forward differentiation under no_grad, which stops gradients and no tangents; custom functions by their own jvp."""

import torch
import torch.autograd.forward_ad as forward
from torch.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vmap


def tried(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0])


def partly(x):
    with torch.no_grad():
        y = x * x
    return y * x


@torch.no_grad()
def squared(x):
    return x * x


print(jvp(partly, (x,), (v,)), grad(lambda x: partly(x).sum())(x), jacfwd(partly)(x))
print(jvp(squared, (x,), (v,)), linearize(squared, x)[1](v))
print(jacfwd(jacfwd(partly))(x), jacrev(jacfwd(partly))(x), jacfwd(jacrev(partly))(x))
print(hessian(lambda x: partly(x).sum())(x), grad(lambda x: jvp(partly, (x,), (v,))[1].sum())(x))
print(vmap(lambda x, v: jvp(partly, (x,), (v,)))(torch.ones(3, 2) * 2, torch.ones(3, 2)))


def cubes(x):
    return (x**3).sum()


def gradient_of_cubes(x):
    with torch.no_grad():
        return grad(cubes)(x)


print(jvp(gradient_of_cubes, (x,), (v,)), jvp(grad(cubes), (x,), (v,)))


def writes(x):
    y = x * 2
    with torch.no_grad():
        y.mul_(x)
        y[0] = x[1] * 3
        z = y[1]
        z += x[1]
    return y * x


print(jvp(writes, (x,), (v,)), grad(lambda x: writes(x).sum())(x))


def several(x):
    with torch.no_grad():
        y = torch.softmax(x, 0)
        top, _ = y.max(0)
        c = torch.stack([top, y[0]])
        d, _ = x.split(1)
        h = torch.nn.functional.linear(x, torch.eye(2))
        s = torch.nn.functional.layer_norm(x, (2,))
    return c * x + h + d * s


print(jvp(several, (x,), (v,)))
with forward.dual_level():
    dual = forward.make_dual(x, v)
    with torch.no_grad():
        y, z, w = dual * dual, dual.sum(), dual.clone()
        w[0] = 5
        w.mul_(dual)
        print(torch.is_grad_enabled(), y.requires_grad, y.grad_fn)
    for each in (y, z, w):
        print(forward.unpack_dual(each))
    print(forward.unpack_dual(dual.detach()))
    p = x.clone().requires_grad_()
    of_leaf = forward.make_dual(p, v)
    with torch.no_grad():
        y = of_leaf * of_leaf
    print(forward.unpack_dual(y), y.requires_grad, y.grad_fn)
    (found,) = torch.autograd.grad((of_leaf**3).sum(), of_leaf)
    print(forward.unpack_dual(found), found.requires_grad)
with torch.no_grad(), forward.dual_level():
    dual = forward.make_dual(x, v)
    print(forward.unpack_dual(dual * dual * 3))


class Tenfold(torch.autograd.Function):
    """Its jvp is another than its backward: which of them is asked can be seen."""

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def jvp(ctx, t):
        return t * 10

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


class Backwards(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * 2


class Two(torch.autograd.Function):
    @staticmethod
    def forward(x, y, factor):
        return x * x * factor, y.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs[:2])
        ctx.factor = inputs[2]

    @staticmethod
    def jvp(ctx, t, u, _):
        x, y = ctx.saved_tensors
        return 2 * x * t * ctx.factor, y.cos() * u


def within(x):
    with torch.no_grad():
        return Tenfold.apply(x) * x


print(jvp(Tenfold.apply, (x,), (v,)), jvp(within, (x,), (v,)))
tried(lambda: jvp(Backwards.apply, (x,), (v,)))
print(jvp(lambda x, y: Two.apply(x, y, 3.0), (x, x), (v, v)))
print(jvp(lambda x: Two.apply(x, x * 2, 3.0)[1], (x,), (v,)), grad(lambda x: Backwards.apply(x).sum())(x))


class Once(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
(found,) = torch.func.vjp(Once.apply, x)[1](y)
print(found.detach())
tried(found.backward)
tried(lambda: torch.func.vjp(Once.apply, x.detach())[1](y.detach()))


class Writing(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.mul_(2)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(inputs[0])

    @staticmethod
    def jvp(ctx, t):
        return t.mul_(2)


print(jvp(lambda x: Writing.apply(x.clone()) * 3, (torch.ones(2),), (v,)))
