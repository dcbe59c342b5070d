# ruff: noqa
"""What mapped functions are refused: factors of other dimensions, random numbers in columns of a Jacobian; defaults."""

import torch
from torch import vmap


def tried(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


r = torch.ones
for name, op, shapes in (
    ("mv", torch.mv, [((7, 2, 2, 2), (7, 2)), ((7, 2, 2), (7, 2, 2)), ((7, 2, 3), (7, 3))]),
    ("mm", torch.mm, [((7, 2, 2, 2), (7, 2)), ((7, 2, 2), (7, 2, 2, 2)), ((7, 2, 3), (7, 3, 2))]),
    ("bmm", torch.bmm, [((7, 2, 2), (7, 2, 2)), ((7, 2, 2, 2), (7, 2, 2)), ((7, 2, 2, 3), (7, 2, 3, 2))]),
    ("dot", torch.dot, [((7, 2, 2), (7, 2)), ((7, 3), (7, 3)), ((7, 2, 2), (7, 2, 2))]),
):
    for a, b in shapes:
        tried(f"{name} {a} {b}", lambda: vmap(op)(r(a), r(b)).sum())
        tried(f"{name} {a} {b} first", lambda: vmap(op, (0, None))(r(a), r(b[1:])).sum())
        tried(f"{name} {a} {b} second", lambda: vmap(op, (None, 0))(r(a[1:]), r(b)).sum())
tried("as_strided", lambda: vmap(lambda x: x.as_strided([1], [1, 1]))(r(3, 3)).shape)
for randomness in ("error", "same", "different", "no"):
    tried(
        f"jacfwd {randomness}",
        lambda: torch.func.jacfwd(lambda x: x * torch.rand_like(x), randomness=randomness)(r(3)).shape,
    )
tried("jacrev", lambda: torch.func.jacrev(lambda x: x * torch.rand_like(x))(r(3)).shape)
tried("hessian", lambda: torch.func.hessian(lambda x: (x * torch.rand_like(x)).sum())(r(3)).shape)
print(torch.rand(2).shape)


class Taken(torch.autograd.Function):
    @staticmethod
    def forward(x, at=(2,)):
        return x[at]

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.at = inputs
        ctx.shape = x.shape

    @staticmethod
    def backward(ctx, g):
        found = g.new_zeros(ctx.shape)
        found[ctx.at] = g
        return found, None

    @staticmethod
    def vmap(info, in_dims, x, at):
        print(in_dims, at)
        return Taken.apply(x.movedim(in_dims[0], 1), at), 0


x = torch.arange(12.0).reshape(3, 4)
print(vmap(Taken.apply)(x), vmap(Taken.apply, (0, None))(x, (1,)), Taken.apply(x))
print(vmap(torch.func.grad(Taken.apply))(x))
