# ruff: noqa
"""Gradients that are handed in as conjugates, to what is one itself and to what is none; distances of complex rows."""

import torch
import torch.nn.functional as F

x = torch.complex(torch.arange(9.0).view(3, 3), torch.ones(3, 3)) + 3 * torch.eye(3)
operations = {
    "H": lambda a: a.H, "mH": lambda a: a.mH, "adjoint": torch.adjoint, "conj": torch.conj, "physical": torch.conj_physical,
    "resolved": torch.resolve_conj, "times": lambda a: a * 2j, "product": lambda a: a @ x, "row": lambda a: a[0], "sum": lambda a: a.sum(0),
    "flat": lambda a: a.reshape(9), "clone": torch.clone, "real": lambda a: a.real, "imag": lambda a: a.imag,
    "pairs": lambda a: torch.view_as_complex(torch.view_as_real(a.resolve_conj())), "vdot": lambda a: torch.vdot(a[0], a[1]),
}  # fmt: skip
for name, operation in operations.items():
    for view in (torch.conj, torch.clone):
        for turned in (torch.conj, lambda g: torch.conj_physical(g).conj()):
            leaf = view(x).detach().requires_grad_()
            y = operation(leaf)
            y.backward(turned(torch.ones_like(y) * (1 + 2j if y.is_complex() else 1)))
            print(name, leaf.is_conj(), leaf.grad)
    leaf = x.clone().requires_grad_()
    y = operation(leaf)
    (g,) = torch.autograd.grad(y, leaf, torch.ones_like(y).conj(), create_graph=True)
    print(name, g.is_conj(), g.abs())

for p in (1, 1.5, 2, 3):
    leaf = x.clone().requires_grad_()
    F.pairwise_distance(leaf, 2 * x, p=p).sum().backward()
    print(p, leaf.grad)

negative = torch._neg_view(-torch.arange(6.0).view(2, 3))
for f in (torch.quantile, torch.nanquantile):
    print(f(negative, torch.tensor([0.25, 0.5]), dim=1), f(torch.ones(2), torch._neg_view(torch.tensor([-0.25]))))
for slope in (0.0, 0.5):
    print(
        F.rrelu(torch._neg_view(torch.tensor(2.0)), slope, slope, True),
        F.rrelu_(torch._neg_view(torch.tensor(2.0)), slope, slope, False),
    )
for dtype in (torch.float64, torch.float32):
    leaf = torch._neg_view(-torch.ones(2, 3, 4, dtype=dtype)).requires_grad_()
    (leaf @ torch.ones(4, 2, dtype=dtype) + F.linear(leaf, torch.ones(2, 4, dtype=dtype))).backward(
        torch._neg_view(torch.ones(2, 3, 2, dtype=dtype))
    )
    print(leaf.grad)
