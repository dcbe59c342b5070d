"""Functions as backends of torch.compile: what they are given, what becomes of what they give."""

import torch
from torch import nn


def show(gm, inputs):
    print(isinstance(gm, torch.fx.GraphModule), sorted(tuple(each.shape) for each in inputs))
    for n in sorted(gm.graph.nodes, key=lambda n: n.target if n.op == "placeholder" else "~"):
        print(n.op, n.target if isinstance(n.target, str) else n.target.__name__, len(n.args))
    return gm.forward


@torch.compile(backend=show)
def f(x, y):
    return (torch.sin(x) * y).sum() + 1


print(f(torch.ones(3), torch.ones(3) * 2))
print(f(torch.ones(3), torch.ones(3) * 3))
print(f(torch.ones(3), torch.ones(3, dtype=torch.float64) * 2))

m = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in m.parameters():
    nn.init.ones_(p)
c = torch.compile(m, backend=show)
print(c(torch.ones(4, 2)).sum())
print(c(torch.ones(4, 2)).sum())


def g(x, n=2, *, scale=1.0):
    return {"a": x * n, "b": [x + scale, 3], "c": x}


print(torch.compile(g, backend=show)(torch.ones(2), 3))


def h(x):
    return x[0:1] - x.amax(0), torch.cat([x, x], dim=0)


print(torch.compile(h, backend=show)(torch.tensor([1.0, 3.0])))


def bad(gm, inputs):
    raise ValueError("no")


def none(gm, inputs):
    return None


def twice(gm, inputs):
    return lambda *a: tuple(r * 2 for r in gm(*a))


def late(gm, inputs):
    def run(*a):
        raise KeyError("late")

    return run


for backend in bad, none, late:
    try:
        print(torch.compile(lambda x: x + 1, backend=backend)(torch.ones(1)))
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])
print(torch.compile(lambda x: x + 1, backend=twice)(torch.ones(1)))
x = torch.ones(2, requires_grad=True)
y = torch.compile(lambda x: (x * 3).sum(), backend=show)(x)
y.backward()
print(y, x.grad)
print(torch.compile(lambda x: x, backend=show)(torch.ones(1)), torch.compile(lambda n: n + 1, backend=show)(4))
torch.compiler.set_default_backend(twice)
print(torch.compile(lambda x: x + 1)(torch.ones(1)))
