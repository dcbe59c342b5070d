# ruff: noqa
"""Modules: registration, text, state dicts, hooks, copies, initialisation."""

import torch

nn = torch.nn
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 2, bias=False)
        self.l = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.register_buffer("b", torch.ones(2))
        self.s = nn.Parameter(torch.randn(2))

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.fc2(x)
        for m in self.l:
            x = m(x)
        return x * self.s + self.b


n = Net()
print(n)
for k, v in n.named_parameters():
    print(k, v)
print(list(n.state_dict()))
y = n(torch.ones(3, 4))
print(y)
y.sum().backward()
print(n.fc1.weight.grad)
print(n.s.grad)
import copy

m = copy.deepcopy(n)
m.fc1.weight.data.zero_()
print(m.fc1.weight is m._parameters.get("fc1"), m._modules["fc1"] is m.fc1, m.fc1.weight.sum(), n.fc1.weight.sum())
n._modules["fc2"] = nn.Identity()
print(n.fc2)
try:
    n.load_state_dict({"a": 1})
except RuntimeError as e:
    print(e)
n2 = Net()
print(n2.load_state_dict(m.state_dict()))
print((n2.fc1.weight == m.fc1.weight).all())
print(nn.Sequential(nn.Linear(1, 2), nn.Sequential(nn.Linear(1, 2))))
n2.double()
print(n2.s, n2.b.dtype)
try:
    n2.foo
except AttributeError as e:
    print(e)
try:
    n2.fc1 = 3
except TypeError as e:
    print(e)
print(
    nn.ParameterList([torch.ones(2), 3]), nn.ParameterDict({"a": torch.ones(2, 3)}), nn.ModuleDict({"x": nn.Identity()})
)
h = n2.register_forward_hook(lambda m, a, o: print("hook", o.shape))
n2(torch.ones(1, 4).double())
h.remove()
h = n2.fc1.register_full_backward_hook(lambda m, gi, go: print("bw", gi, go))
z = n2(torch.ones(1, 4, requires_grad=True).double())
z.sum().backward()
h.remove()
z = n2(torch.ones(1, 4).double())
print(z)
print(nn.Bilinear(2, 3, 4).bias)
w = torch.empty(3, 5)
for f in "uniform_ normal_ ones_ zeros_ eye_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ trunc_normal_ orthogonal_".split():
    print(f, getattr(nn.init, f)(w))
print(nn.init.sparse_(w, 0.3), nn.init.constant_(w, 2), nn.init.dirac_(torch.empty(2, 2, 3)))
