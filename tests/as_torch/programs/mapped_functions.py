# ruff: noqa
"""Custom functions under vmap: the rule of their own is called once, for all slices; a rule that is generated; what is refused."""

import torch, numpy as np
from torch.autograd import Function


def t(f):
    try:
        print(f())
    except Exception as e:
        print("ERR", type(e).__name__, str(e).split("\n")[0][:200])


def to_numpy(t):
    return t.detach().cpu().numpy()


class NumpySort(Function):
    @staticmethod
    def forward(x, dim):
        x = to_numpy(x)
        ind = np.argsort(x, axis=dim)
        inv = np.argsort(ind, axis=dim)
        r = np.take_along_axis(x, ind, axis=dim)
        return torch.tensor(r), torch.tensor(ind), torch.tensor(inv)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, dim = inputs
        _, ind, inv = output
        ctx.mark_non_differentiable(ind, inv)
        ctx.save_for_backward(ind, inv)
        ctx.dim = dim

    @staticmethod
    def backward(ctx, g, _0, _1):
        ind, inv = ctx.saved_tensors
        return NumpyTake.apply(g, inv, ind, ctx.dim), None

    @staticmethod
    def vmap(info, in_dims, x, dim):
        print("vmap", info, in_dims, x.shape, dim)
        x_bdim, _ = in_dims
        x = x.movedim(x_bdim, 0)
        dim = dim if dim >= 0 else dim + x.dim() - 1
        return NumpySort.apply(x, dim + 1), (0, 0, 0)


class NumpyTake(Function):
    @staticmethod
    def forward(x, ind, inv, dim):
        return torch.tensor(np.take_along_axis(to_numpy(x), to_numpy(ind), dim))

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ind, inv, dim = inputs
        ctx.save_for_backward(ind, inv)
        ctx.dim = dim

    @staticmethod
    def backward(ctx, g):
        ind, inv = ctx.saved_tensors
        return NumpyTake.apply(g, inv, ind, ctx.dim), None, None, None

    @staticmethod
    def vmap(info, in_dims, x, ind, inv, dim):
        print("take", info, in_dims)
        l = max(0 if d is None else v.dim() - 1 for v, d in zip((x, ind, inv), in_dims))

        def f(v, d):
            return v.expand(info.batch_size, *v.shape) if d is None else v.movedim(d, 0)

        x, ind, inv = map(f, (x, ind, inv), in_dims[:3])
        dim = dim if dim >= 0 else dim + x.dim() - 1
        return NumpyTake.apply(x, ind, inv, dim + 1), 0


torch.manual_seed(0)
x = torch.randn(3, 4)
t(lambda: torch.vmap(lambda r: NumpySort.apply(r, 0)[0])(x))
t(lambda: torch.vmap(lambda r: NumpySort.apply(r * 2 + 1, 0)[0].sum() + r)(x))
big = torch.randn(12, 3)
t(lambda: torch.vmap(lambda r: NumpySort.apply(r.exp(), 0)[0])(big).sum())
z = torch.randn(2, 3, 4)
xr = x.clone().requires_grad_()


def g():
    y = torch.vmap(lambda r: (NumpySort.apply(r * 2, 0)[0] * torch.arange(4.0)).sum())(xr)
    y.sum().backward()
    return y.detach(), xr.grad


t(g)


class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, outputs):
        ctx.save_for_backward(inputs[0], outputs[1])

    @staticmethod
    def backward(ctx, g, dg):
        x, dx = ctx.saved_tensors
        return g * dx + dg * 6 * x


t(lambda: torch.vmap(Cube.apply)(x)[0])
t(lambda: torch.vmap(torch.func.grad(lambda v: Cube.apply(v)[0]))(x[0]))


class No(Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g * 2


t(lambda: torch.vmap(No.apply)(x))


class Both(No):
    generate_vmap_rule = True

    @staticmethod
    def vmap(info, in_dims, x):
        return x, 0


t(lambda: torch.vmap(Both.apply)(x))


class Old(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


t(lambda: torch.vmap(Old.apply)(x))


class One(No):
    @staticmethod
    def vmap(info, in_dims, x):
        return x


t(lambda: torch.vmap(One.apply)(x))


class Three(No):
    @staticmethod
    def vmap(info, in_dims, x):
        return x, 0, 1


t(lambda: torch.vmap(Three.apply)(x))


class Whole(No):
    @staticmethod
    def vmap(info, in_dims, x):
        return x.sum(), None


t(lambda: torch.vmap(Whole.apply)(x))


class Odd(No):
    @staticmethod
    def vmap(info, in_dims, x):
        return (x * 10).movedim(0, 1), 1


t(lambda: torch.vmap(lambda v: Odd.apply(v.sin()))(x))
t(lambda: Function.vmap(1, 2))
t(lambda: Function.generate_vmap_rule)
t(
    lambda: (
        torch.vmap(lambda v, w: Odd.apply(w))(x, x[0])
        if 0
        else torch.vmap(lambda v: No.apply(torch.ones(2)) + v.sum())(x)
    )
)
