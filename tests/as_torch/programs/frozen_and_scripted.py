"""Leaves that are frozen before a backward pass, functions that ask whether they are scripted, and other small things."""

import io

import torch
import torch.fx
from torch import nn


def told(case):
    try:
        return case()
    except Exception as problem:
        return type(problem).__module__, type(problem).__name__, str(problem).split("\n")[0][:90]


def frozen(change):
    x = torch.ones(3)
    y = x.requires_grad_() * 2
    change(x)
    y.sum().backward()
    return x.grad, x.requires_grad


print(frozen(lambda x: x.requires_grad_(False)), frozen(lambda x: x.detach_()), frozen(lambda x: None))
print(frozen(lambda x: (x.requires_grad_(False), x.requires_grad_())))
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
loss = net(torch.ones(1, 2)).sum()
net[0].requires_grad_(False)
loss.backward()
print([p.grad is None for p in net.parameters()])


class Asking(nn.Module):
    def forward(self, x: torch.Tensor) -> int:
        if torch.jit.is_scripting():
            return 1
        return 0


def asking(x: torch.Tensor) -> int:
    if torch.jit.is_scripting():
        return 1
    return 0


def traced(x):
    return x * 2 + int(torch.jit.is_scripting())


x = torch.ones(2)
print(torch.jit.script(Asking())(x), Asking()(x), torch.jit.script(asking)(x), asking(x), torch.jit.is_scripting())
print(torch.jit.trace(traced, x)(x))

with torch._tensor_str.printoptions(precision=1, sci_mode=True):
    print(torch.tensor([0.25, 3.0]))
print(torch._tensor_str.get_printoptions(), torch.tensor([0.25, 3.0]))

torch.manual_seed(0)
matrix = torch.randn(6, 6)
values = torch.lobpcg(matrix @ matrix.T, k=1)[0]
print(values.shape, torch.rand(2), told(lambda: torch.lobpcg(torch.eye(4), k=2)))
saved = io.BytesIO()
torch.save(told, saved)
for case in (
    lambda: nn.ReLU().to("cudaa"), lambda: nn.ReLU().to("cpu:x"), lambda: nn.ReLU().to(device="x"), lambda: nn.ReLU().to("cpu"),
    lambda: nn.ReLU().to(torch.float16), lambda: torch.fx.symbolic_trace(lambda x: "k" in x),
    lambda: torch.load(io.BytesIO(saved.getvalue())), lambda: torch.ones(2).bernoulli_(torch.ones(3)),
    lambda: torch.ones(2).bernoulli_(torch.ones(2).long()), lambda: torch.ones(2, 2).bernoulli_(torch.ones(2)),
):  # fmt: skip
    print(told(case))
