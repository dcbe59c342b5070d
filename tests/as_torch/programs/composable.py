"""What is done to modules without wrapping them, and optimizers that are given gradients."""

import copy

import torch
from torch import nn
from torch.distributed._composable import checkpoint, contract
from torch.distributed.optim.utils import as_functional_optim


@contract()
def marked(module, value=0):
    marked.state(module).value = value
    return module


net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
print(marked(net[0], value=3) is net[0], marked.state(net[0]).value, marked.state(net[1]))
for call in (lambda: marked(net[0]), lambda: contract()(lambda m: nn.Sequential(m))(net[1])):
    try:
        call()
    except (AssertionError, RuntimeError) as error:
        print(type(error).__name__, str(error).splitlines()[0])

torch.manual_seed(0)
runs = []


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x):
        runs.append(None)
        return self.inner(x).tanh().sin()


plain = nn.Sequential(nn.Linear(3, 3), Counted())
saving = copy.deepcopy(plain)
checkpoint(saving[1])
x = torch.ones(2, 3)
plain(x).sum().backward()
saving(x).sum().backward()
print(len(runs), [torch.equal(a.grad, b.grad) for a, b in zip(plain.parameters(), saving.parameters(), strict=True)])
print(list(saving.state_dict()) == list(plain.state_dict()), type(saving[1]).__name__)
try:
    checkpoint(nn.Linear(1, 1), use_reentrant=True)
except NotImplementedError as error:
    print(error)

given, own = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
functional, usual = as_functional_optim(torch.optim.Adam, 0.1), torch.optim.Adam([own], 0.1)
for step in range(3):
    functional.step_param(given, torch.arange(3.0) + step)
    own.grad = torch.arange(3.0) + step
    usual.step()
print(torch.allclose(given, own), given.grad)
