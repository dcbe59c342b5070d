# ruff: noqa
"""What torch.autograd.functional refuses, and its results without grad mode."""

import torch
import torch.autograd.functional as A


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


x, v = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3)
square, total = lambda a: a * a, lambda a: (a**3).sum()
bad = {
    "text": lambda a: "a",
    "pair with text": lambda a: (a.sum(), "a"),
    "pair": lambda a: (a.sum(), a.sum()),
    "long": lambda a: a * 2,
    "detached": lambda a: a.detach().sum(),
    "linear": lambda a: (3 * a).sum(),
    "constant": lambda a: torch.ones(()).requires_grad_() * 2,
    "detach part": lambda a: torch.cat([a.detach()[:1], a]).sum(),
}
for name, f in bad.items():
    for g in (A.hessian, A.hvp, A.vhp, A.vjp, A.jvp, A.jacobian):
        print(name, g.__name__, end=" ")
        told(lambda: g(f, x) if g in (A.hessian, A.jacobian) else g(f, x, v))
        print(name, g.__name__, "strict", end=" ")
        told(lambda: g(f, x, strict=True) if g in (A.hessian, A.jacobian) else g(f, x, v, strict=True))
for g, f in ((A.vjp, square), (A.jvp, square), (A.vhp, total), (A.hvp, total)):
    for given in ((v, v), v[:2], "a", None, v.view(1, 3), (v,)):
        print(g.__name__, end=" ")
        told(lambda: g(f, x, given))
    told(lambda: g(f, (x, 2), v))
    told(lambda: g(f, "a", v))
for vectorize in (False, True):
    told(lambda: A.jacobian(square, (x, 2), vectorize=vectorize))
    told(lambda: A.hessian(total, (x, 2), vectorize=vectorize))
with torch.no_grad():
    for create in (False, True):
        for g in (A.jacobian, A.hessian):
            found = g(square if g is A.jacobian else total, x, create_graph=create)
            print(g.__name__, create, found.requires_grad, found.tolist())
        for g, f in ((A.vjp, square), (A.jvp, square), (A.vhp, total), (A.hvp, total)):
            found = g(f, x, v, create_graph=create)
            print(g.__name__, create, [each.requires_grad for each in found], found[1].tolist())
told(lambda: A.jacobian(square, x, strategy="forward-mode"))
told(lambda: A.jacobian(square, x, vectorize=True, strategy="forward-mode"))
told(lambda: A.jacobian(square, x, vectorize=True, strict=True))
