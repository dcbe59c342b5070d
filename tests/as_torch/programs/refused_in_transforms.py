# ruff: noqa
"""What a function may not do while it is transformed: ask for gradients, keep them, walk backwards."""

import torch


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e))


x = torch.ones(3)


def a(x):
    x.requires_grad_()
    return x.sum()


def b(x):
    x.requires_grad = True
    return x.sum()


def b2(x):
    y = torch.zeros(3)
    y.requires_grad = True
    return (x * y).sum()


def c(x):
    y = x * 2
    y.retain_grad()
    return y.sum()


def d(x):
    y = torch.zeros(3, requires_grad=True)
    return (x * y).sum()


def e(x):
    y = torch.zeros(3).requires_grad_()
    return (x * y).sum()


def f(x):
    y = torch.nn.Parameter(torch.ones(3))
    return (x * y).sum()


def g(x):
    l = torch.nn.Linear(3, 1).requires_grad_()
    return l(x).sum()


def h(x):
    x.requires_grad_(False)
    return x.sum()


def k(x):
    x.detach().requires_grad_(False)
    return x.sum()


def l(x):
    y = x * 2
    y.sum().backward()
    return y.sum()


def m(x):
    y = torch.nn.Linear(3, 1)
    y(x).sum().backward()
    return y(x).sum()


for nm, tr in (("grad", torch.func.grad), ("vmap", torch.vmap), ("functionalize", torch.func.functionalize)):
    for fn in (a, b, b2, c, d, e, f, g, h, k, l, m):
        t(nm + " " + fn.__name__, lambda: tr(fn)(torch.ones(2, 3) if nm == "vmap" else x.clone()).shape)
