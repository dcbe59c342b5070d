# ruff: noqa
"""Functions that torch.func transforms: what they may write into, and how tensors within them are shown."""

import torch
from torch import nn
from torch.func import functional_call, grad, jacrev, jvp, stack_module_state, vjp, vmap


def tried(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0])
first = torch.tensor([0])
WRITES = {
    "add": lambda c, x: c.add_(x),
    "add number": lambda c, x: c.add_(1),
    "+=": lambda c, x: c.__iadd__(1),
    "mul": lambda c, x: c.mul_(x),
    "sub": lambda c, x: c.sub_(2),
    "div": lambda c, x: c.div_(2),
    "zero": lambda c, x: c.zero_(),
    "fill": lambda c, x: c.fill_(3),
    "fill tensor": lambda c, x: c.fill_(torch.tensor(2.0)),
    "copy": lambda c, x: c.copy_(x),
    "[0]": lambda c, x: c.__setitem__(0, 1.0),
    "[:]": lambda c, x: c.__setitem__(slice(None), x),
    "[mask]": lambda c, x: c.__setitem__(c > 1, 0.0),
    "view": lambda c, x: c.view(-1).add_(1),
    "select": lambda c, x: c[0].add_(1),
    "detach": lambda c, x: c.detach().add_(1),
    "data": lambda c, x: c.data.add_(1),
    "normal": lambda c, x: c.normal_(),
    "uniform": lambda c, x: c.uniform_(),
    "bernoulli": lambda c, x: c.bernoulli_(0.5),
    "clamp": lambda c, x: c.clamp_(0, 1),
    "relu": lambda c, x: nn.functional.relu(c, inplace=True),
    "scatter": lambda c, x: c.scatter_(0, first, 1.0),
    "index_add": lambda c, x: c.index_add_(0, first, x[:1]),
    "index_put": lambda c, x: c.index_put_((first,), x[:1]),
    "masked_fill": lambda c, x: c.masked_fill_(c > 1, 0),
    "lerp": lambda c, x: c.lerp_(x, 0.5),
    "addcmul": lambda c, x: c.addcmul_(x, x),
    "pow": lambda c, x: c.pow_(2),
    "exp": lambda c, x: c.exp_(),
    "unsqueeze": lambda c, x: c.unsqueeze_(0),
    "zeros": lambda c, x: nn.init.zeros_(c),
    "addmm": lambda c, x: c.view(1, 2).addmm_(x.view(1, 2), torch.eye(2)),
    "out": lambda c, x: torch.add(torch.ones(2), 1, out=c),
    "foreach": lambda c, x: torch._foreach_add_([c], 1),
}
for name, write in WRITES.items():
    c = torch.tensor([1.0, 2.0])

    def written(x):
        write(c, x)
        return (c * x).sum()

    tried(name, lambda: grad(written)(x))
c = torch.zeros(2)
tried("jvp", lambda: jvp(lambda x: c.copy_(x) * x, (x,), (v,)))
tried("no_grad", lambda: grad(torch.no_grad()(lambda x: c.copy_(x).sum()))(x))
tried("vmap", lambda: (vmap(lambda x: c.add_(1) * x)(x), c))
tried("vmap of grad", lambda: vmap(grad(lambda x: (c.add_(1) * x).sum()))(x))
tried("grad of vmap", lambda: grad(lambda x: vmap(lambda x: (c.add_(1) * x).sum())(x).sum())(x))
tried("own", lambda: grad(lambda x: (torch.zeros(2).add_(x) * x).sum())(x))
print(c)


def inner(x):
    y = x * 2
    return grad(lambda z: (y.add_(1) * z).sum())(x).sum()


def result_of_inner(x):
    y = grad(lambda z: (z**3).sum())(x)
    return (y.add_(1) * x).sum()


tried("inner", lambda: grad(inner)(x))
tried("result of inner", lambda: grad(result_of_inner)(x))


def second(x, y, z=None):
    y.add_(x.detach())
    if z is not None:
        z["a"].mul_(2)
    return (y * x).sum()


y, z = torch.zeros(2), {"a": torch.ones(1)}
print(grad(second)(x, y), y, grad(second)(x, y, z=z), z, jacrev(second)(x, y), y)
pull = vjp(lambda x: x * 2, x)[1]
print(pull(c.add_(1)))

torch.manual_seed(0)
layer = nn.BatchNorm1d(2)
parameters = {name: p.detach() for name, p in layer.named_parameters()}
buffers = dict(layer.named_buffers())
batch = torch.arange(6.0).view(3, 2) ** 2


def loss(parameters, buffers, batch):
    return functional_call(layer, (parameters, buffers), (batch,)).pow(3).sum()


tried("captured buffers", lambda: grad(lambda p: loss(p, buffers, batch))(parameters))
tried("given buffers", lambda: (grad(loss)(parameters, buffers, batch), buffers))
layers = [nn.BatchNorm1d(2) for _ in range(2)]
parameters, buffers = stack_module_state(layers)
parameters = {name: p.detach() for name, p in parameters.items()}
tried("several", lambda: (vmap(grad(loss), (0, 0, None))(parameters, buffers, batch), buffers))
normed = nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2))
own = {name: p.detach() for name, p in normed.named_parameters()}
tried("spectral", lambda: list(grad(lambda p: functional_call(normed, p, (x,)).sum())(own)))


def shown(x):
    y = x * 2
    print(x)
    print(repr(y), str(y.sum()), x.detach(), torch.zeros(1), f"{x.sum().item():.1f}", x.tolist() if False else "")
    return y.sum()


grad(shown)(x)
jvp(shown, (x,), (v,))
grad(grad(lambda x: shown(x)))(torch.tensor(1.0))
w = torch.ones(2, requires_grad=True)


def quietly(x):
    print(x, x * 2)
    return (x * 2).sum()


vmap(quietly)(torch.ones(2, 2))
vmap(grad(quietly))(torch.ones(2, 2))
grad(lambda x: vmap(quietly)(x).sum())(torch.ones(2, 2))
grad(lambda x: (print(w, w * x), (w * x).sum())[1])(x)
print(x, w)
