"""Hooks of results to which no gradient comes, tensors that were cut in place after they were saved, what detect_anomaly says."""

import warnings

import torch
from torch.autograd import Function
from torch.autograd.graph import register_multi_grad_hook


def tried(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


def cut(operation):
    a = torch.tensor(1.0, requires_grad=True).clone()
    b = operation(a)
    a.detach_()
    b.backward()
    return "fine"


tried(lambda: cut(torch.sin))
tried(lambda: cut(torch.exp))
tried(lambda: cut(lambda a: a * a))
tried(lambda: cut(lambda a: a + a))
a = torch.tensor(1.0, requires_grad=True).clone()
a.detach_()
w = torch.tensor(2.0, requires_grad=True)
y = a * w
a.add_(1)
tried(y.backward)

heard = []
x = torch.ones(4, requires_grad=True)
first, second = x.split(2)
first.register_hook(heard.append)
print(torch.autograd.grad(second.sum(), x), heard)
first, second = x.split(2)
first.register_hook(lambda g: g * 2)
tried(lambda: second.sum().backward())
first, second = x.split(2)
first.register_hook(lambda g: torch.ones(2) if g is None else g)
tried(lambda: second.sum().backward())


class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1, x * 2

    @staticmethod
    def backward(ctx, g, h):
        return g + h


heard = []
x = torch.ones(2, requires_grad=True)
first, second = Twice.apply(x)
first.register_hook(heard.append)
second.sum().backward()
print(x.grad, heard)
heard = []
first, second, third = torch.ones(3, requires_grad=True).unbind()
register_multi_grad_hook((first, second), lambda g: heard.append(("any", g)), mode="any")
register_multi_grad_hook((first, second), lambda gs: heard.append(("all", gs)))
(second * 2).backward()
print(heard)


def product_of_zeros(reduce):
    s = torch.tensor([0.0, 0.0], dtype=torch.double, requires_grad=True)
    x = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
    (g,) = torch.autograd.grad(reduce(x, s).sum(), s, create_graph=True)
    return torch.autograd.grad(g.sum(), s)


places = torch.tensor([0, 0])
tried(lambda: product_of_zeros(lambda x, s: x.scatter_reduce(0, places, s, "prod")))
tried(lambda: product_of_zeros(lambda x, s: x.index_reduce(0, places, s, "prod")))
s, x = (torch.tensor([v, 2.0], dtype=torch.double, requires_grad=True) for v in (0.0, 3.0))
(g,) = torch.autograd.grad(x.scatter_reduce(0, places, s, "prod").sum(), s, create_graph=True)
print(g, torch.autograd.grad(g.sum(), (s, x)))
r = torch.tensor([1.5, 1.5], requires_grad=True)
r.grad = kept = torch.sparse_coo_tensor(torch.tensor([[1, 1]]), torch.tensor([1.0, 1.0]))
r.backward(torch.tensor([1.5, 1.5]))
print(r.grad, kept is r.grad, kept.to_dense())


class ToNan(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * float("nan")


def made(x):
    return ToNan.apply(x)


def lines(warning):
    """What a warning says but for the lines of files."""
    said = str(warning.message).partition(" (Triggered")[0].splitlines()
    return said[:1] + [line.strip() for line in said[1:] if "super()" not in line and "File" not in line and line]


x = torch.ones(2, requires_grad=True)
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    with torch.autograd.detect_anomaly():
        tried(lambda: made(x).sum().backward())
    y = made(x)
    with torch.autograd.set_detect_anomaly(True):
        tried(lambda: y.sum().backward())
    torch.autograd.set_detect_anomaly(True)
    y = torch.log(x - 1) * 0
    tried(lambda: y.sum().backward())
    torch.autograd.set_detect_anomaly(False)
for each in found:
    print(lines(each)[0])
