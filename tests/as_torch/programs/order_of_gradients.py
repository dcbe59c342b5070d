"""How gradients of products lie in memory: as their factors do, whether or not they are differentiated again."""

import itertools

import torch
from torch.autograd import grad


def matrix(rows, columns, turned):
    made = torch.randn(columns, rows).t() if turned else torch.randn(rows, columns)
    return made.requires_grad_()


def told(name, gradients):
    print(name, *[(tuple(g.shape), g.stride(), g.grad_fn and g.grad_fn.name()) for g in gradients])


for again, *turned in itertools.product((False, True), repeat=4):
    a, b, g = matrix(3, 4, turned[0]), matrix(4, 5, turned[1]), matrix(3, 5, turned[2]).detach()
    print(again, turned)
    told("mm", grad(a @ b, [a, b], g, create_graph=again))
    bias = torch.randn(5, requires_grad=True)
    told("addmm", grad(torch.addmm(bias, a, b), [bias, a, b], g, create_graph=again))
    stacks = [
        torch.stack([x.t(), x.t()]).detach().mT if t else torch.stack([x, x]).detach()
        for x, t in zip((a, b), turned, strict=False)
    ]
    A, B = [x.requires_grad_() for x in stacks]
    told("bmm", [x.detach() for x in grad(A @ B, [A, B], torch.stack([g, g]), create_graph=again)])
    told("matmul", [x.detach() for x in grad(A @ b, [A, b], torch.stack([g, g]), create_graph=again)])
    told("matmul", [x.detach() for x in grad(a @ B, [a, B], torch.stack([g, g]), create_graph=again)])

for bias, shape in itertools.product((True, False), ((5, 7), (2, 5, 7))):
    layer, x = torch.nn.Linear(7, 3, bias=bias), torch.randn(shape, requires_grad=True)
    weights = list(layer.parameters())
    y = layer(x)
    told("linear", grad(y.sum(), [x, *weights], retain_graph=True))
    told("turned", grad(y, [x, *weights], torch.randn_like(y).mT.contiguous().mT, retain_graph=True))
    w = torch.ones_like(y, requires_grad=True)
    first = grad(y, weights, w, create_graph=True)
    told("twice", first)
    told("product", [x.detach() for x in grad(first, [w], [torch.randn_like(p) for p in weights], create_graph=True)])
