# ruff: noqa
"""Hooks, containers, copies and errors of modules."""

import copy

import torch

nn = torch.nn
m = nn.Linear(2, 2)
print(m._forward_hooks, m._forward_pre_hooks, m._backward_hooks)
torch.manual_seed(0)
s = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
log = []
h1 = s.register_forward_pre_hook(lambda m, a: (a[0] * 2,))
h2 = s[0].register_forward_hook(lambda m, a, o: o + 1)
h3 = s[2].register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
h4 = s.register_forward_hook(lambda m, a, k, o: log.append(len(k)), with_kwargs=True)
h5 = s[0].register_full_backward_pre_hook(lambda m, go: (go[0] * 0.5,))
h6 = s[1].register_backward_hook(lambda m, gi, go: log.append("bw"))
y = s(torch.ones(2, 2))
print(y)
y.sum().backward()
print(s[0].weight.grad, s[2].weight.grad, log)
t = copy.deepcopy(s)
print(t(torch.ones(2, 2)))
for h in (h1, h2, h3, h4, h5, h6):
    h.remove()
print(s(torch.ones(2, 2)))
try:
    s[2].register_backward_hook(print)
except RuntimeError as e:
    print(e)
print(s.get_submodule("0"), s.get_parameter("0.bias").shape)
for f in (
    lambda: s.get_submodule("9"),
    lambda: s.get_parameter("0.x"),
    lambda: s.get_buffer("0.bias"),
    lambda: s.register_buffer("a.b", torch.ones(1)),
    lambda: s.register_parameter("w", torch.ones(1)),
    lambda: s.add_module("x", 3),
    lambda: s.register_buffer("forward", torch.ones(1)),
    lambda: s.train(1),
    lambda: s.load_state_dict([1]),
    lambda: nn.Parameter([1.0]),
    lambda: nn.Parameter(torch.tensor([1])),
    lambda: s[5],
    lambda: s.to(torch.int64),
    lambda: nn.Linear(2, 3, foo=1),
    lambda: nn.ReLU(1, 2, 3),
    lambda: nn.Dropout(2),
    lambda: nn.ModuleList([1]),
    lambda: nn.ModuleDict({"a": 1}),
    lambda: nn.Sequential(3),
    lambda: setattr(s[0], "weight", torch.ones(1)),
    lambda: nn.Embedding(2, 2, padding_idx=5),
    lambda: nn.Conv2d(3, 4, 3, groups=2),
    lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)),
    lambda: nn.init.kaiming_uniform_(torch.ones(3)),
    lambda: nn.init.calculate_gain("x"),
    lambda: nn.GroupNorm(2, 3),
    lambda: s.load_state_dict({"0.weight": torch.ones(5)}, strict=False),
):
    try:
        print("no", f())
    except Exception as e:
        print(type(e).__name__, str(e).split(" but ")[0][:150])
print(s.load_state_dict({"0.weight": torch.ones(3, 2), "zz": torch.ones(1)}, strict=False))
print(s.load_state_dict(s.state_dict(), assign=True))
b = nn.BatchNorm1d(2)
print(b.state_dict())
print(list(b.named_buffers()))
b.half()
print(b.running_mean.dtype, b.num_batches_tracked.dtype)
print(nn.Sequential(*[nn.Linear(1, 1)] * 3))
q = nn.Sequential(nn.ReLU(), nn.Tanh())
q.insert(1, nn.Sigmoid())
q.append(nn.GELU())
del q[0]
print(q, len(q), q[-1], q[0:2])
print(q + q, q * 2)
l = nn.ModuleList([nn.ReLU()] * 2 + [nn.Tanh()])
l.insert(0, nn.GELU())
l.extend([nn.ReLU()])
print(l, l[1:3], l.pop(0))
print(nn.ModuleList())
d = nn.ModuleDict([["a", nn.ReLU()]])
d.update({"b": nn.Tanh()})
print(d, list(d.keys()), "a" in d, d.pop("a"))
pl = nn.ParameterList([torch.ones(2)])
pl.append(nn.Parameter(torch.ones(1)))
print(len(pl), [p.shape for p in pl], list(pl.state_dict()), pl[0:1])
pd = nn.ParameterDict({"x": torch.ones(2)})
pd["y"] = torch.ones(3)
print(list(pd.keys()), "x" in pd, [k for k in pd], list(pd.state_dict()))


class A(nn.Module):
    def __init__(s):
        super().__init__()
        s.a = None
        s.b = nn.Linear(1, 1)
        s.b = None
        s.c = nn.Parameter(torch.ones(1))
        s.c = None

    def extra_repr(s):
        return "x=1\ny=2"


a = A()
print(a, a._modules, a._parameters, list(a.children()))
a.d = nn.Linear(1, 1)
print(a)
del a.d
print(hasattr(a, "d"))
print(nn.Linear(1, 1, dtype=torch.float64).weight.dtype, nn.Linear(1, 1, bias=False).bias)
try:
    a.nothing
except AttributeError as e:
    print(e)
