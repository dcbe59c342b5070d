# ruff: noqa
"""Nodes called by themselves: the gradients for what they were made of."""

import torch


def t(n, f):
    try:
        print(n, f())
    except Exception as e:
        print(n, type(e).__name__, str(e)[:160].split("\n")[0])


a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([2.0, 2.0, 2.0], requires_grad=True)
t("mul", lambda: (a * b).grad_fn(torch.ones(3)))
t("exp", lambda: a.exp().grad_fn(torch.ones(3)))
with torch.no_grad():
    pass
z = a.exp()


def ng():
    with torch.no_grad():
        return z.grad_fn(torch.ones(3))


t("nograd", ng)
t("two", lambda: z.grad_fn(torch.ones(3), torch.ones(3)))
t("none", lambda: z.grad_fn())
t("sum", lambda: a.sum().grad_fn(torch.tensor(2.0)))
t("half", lambda: (a * 2).grad_fn(torch.ones(3)))


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h, g * x + h


o, p = F.apply(a, b)
t("F", lambda: o.grad_fn(torch.ones(3), torch.ones(3)))
t("mm", lambda: torch.ones(2, 2, requires_grad=True).mm(torch.ones(2, 2)).grad_fn(torch.ones(2, 2)))
t("unbind", lambda: a.unbind()[0].grad_fn(torch.tensor(1.0), torch.tensor(2.0), torch.tensor(3.0)))
t("acc", lambda: z.grad_fn.next_functions[0][0](torch.ones(3)))
print(a.grad)
t("str", lambda: z.grad_fn("x"))
t("kw", lambda: z.grad_fn(grad=torch.ones(3)))
print(callable(z.grad_fn))
t("nonegrad", lambda: z.grad_fn(None))
