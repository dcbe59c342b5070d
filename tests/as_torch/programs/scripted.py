# ruff: noqa
"""torch.jit: what is scripted or traced is of TorchScript's kinds, shares its parameters, and has the rest for itself; skip_data."""

import copy
import io
from typing import Optional

import torch
from torch import nn
from torch.serialization import skip_data


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 3)
        self.k = 2
        self.s = nn.Sequential(nn.ReLU(), nn.Dropout(0.5))
        self.register_buffer("b", torch.ones(3))

    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            return self.s(self.l(x)) * self.k + self.b
        return self.extra(x)

    @torch.jit.export
    def extra(self, x: torch.Tensor):
        return self.l(x) - 1


torch.manual_seed(0)
net, x = Net().eval(), torch.ones(1, 2)
m = torch.jit.script(net)
print(type(m).__name__, isinstance(m, torch.jit.ScriptModule), isinstance(m, nn.Module), m.original_name)
print(m)
print(m(x).detach(), m.extra(x).detach(), m(-x).detach())
print(m.k, m.training, [k for k, _ in m.named_parameters()], list(m.state_dict()))
m.k = 5
print(net.k, m(x).detach())
m.train()
print(net.training, m.training, net.l.training, m.l.training)
m.eval()
with torch.no_grad():
    m.l.weight.zero_()
print(net.l.weight, m(x).detach())
print(
    type(copy.deepcopy(m)).__name__,
    type(copy.copy(m)).__name__,
    torch.jit.script(m) is m,
    [type(v).__name__ for v in m.modules()],
)
told(lambda: m.nope)


class Straight(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(2, 2), nn.ReLU())

    def forward(self, x):
        return self.a(x)


t = torch.jit.trace(Straight(), x)
print(t, type(t).__name__, type(t.a).__name__, t.original_name, isinstance(t, torch.jit.ScriptModule))
told(lambda: t(torch.ones(3, 2)).shape)


def double(x: torch.Tensor, y: int = 2):
    "Times a number."
    return x * y


f = torch.jit.script(double)
print(isinstance(f, torch.jit.ScriptFunction), f.name, f.__doc__, f(x), f(x, 3), f(x, y=4), callable(f))
g = torch.jit.trace(lambda x: x * 2, x)
print(isinstance(g, torch.jit.ScriptFunction), g(x))


class Old(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.l = nn.Linear(1, 1)

    @torch.jit.script_method
    def forward(self, x):
        return x * self.w


told(lambda: (Old()(x).detach(), Old(), Old().original_name))
told(lambda: type(torch.jit.freeze(m)).__name__)
told(lambda: torch.jit.freeze(m.train()))
told(lambda: torch.jit.freeze(net))
told(lambda: type(torch.jit.trace_module(net, {"forward": x})).__name__[-6:])
told(lambda: type(torch.jit.trace_module(net, {"forward": [x]})).__name__[-6:])
told(lambda: torch.jit.script(3))
told(lambda: torch.jit.trace(net))
told(lambda: m.to(torch.float64).l.weight.dtype)
told(lambda: torch.jit.Attribute(3, int))

file = io.BytesIO()
with skip_data():
    torch.save({"a": torch.ones(2, 2), "b": torch.ones(2, dtype=torch.bfloat16)}, file)
print(torch.load(io.BytesIO(file.getvalue())))


def older():
    with skip_data():
        torch.save(torch.ones(2), io.BytesIO(), _use_new_zipfile_serialization=False)


told(older)


@torch.jit.script
def scaled(x: torch.Tensor, by: float, more: float = 2, last: Optional[float] = None):
    return x * by + (more if last is None else last)


whole = torch.tensor([1])
print(scaled(whole, 1), scaled(whole, True, 3), scaled(whole, torch.tensor(2), last=4), scaled(whole, by=2.5))


def seen(x):
    print("seen", torch.jit.is_tracing(), torch.is_grad_enabled())
    return x * 2


torch.jit.trace(seen, x)
torch.jit.trace(seen, x, check_trace=False)
for form in ((0, 4, 2, 2), (2, 0, 2), (2, 0, 0, 2)):
    print(nn.functional.pixel_unshuffle(torch.ones(form), 2).shape)
