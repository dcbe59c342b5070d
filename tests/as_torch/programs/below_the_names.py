"""Private parts that libraries use: weights lent to a module, the default of distributions' checks, shapes of what is no tensor."""

import torch
from torch import nn
from torch.distributions import Distribution, constraints
from torch.nn.utils.stateless import _reparametrize_module

layer = nn.Linear(2, 1)
lent = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
with _reparametrize_module(layer, lent):
    print(layer(torch.tensor([1.0, 2.0])), type(layer.weight).__name__)
print(type(layer.weight).__name__, layer.bias.requires_grad, lent["bias"])
try:
    with _reparametrize_module(layer, {"weigth": torch.ones(1)}, strict=True):
        pass
except RuntimeError as error:
    print(error)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count = self.count + 1
        return x * self.count


given = {"count": torch.ones(1)}
print(torch.func.functional_call(Counter(), given, torch.ones(2)), given)
given = {"count": torch.ones(1)}
print(torch.func.functional_call(Counter(), (given,), torch.ones(2)), given)


class Late(Distribution):
    arg_constraints = {"beta": constraints.positive}

    def __init__(self, beta):
        super().__init__()
        self.beta = beta


def tried():
    try:
        return Late(-1.0).beta
    except (AttributeError, ValueError) as error:
        return type(error).__name__


print(tried())
Distribution._validate_args = False
print(tried(), torch.distributions.Normal(0.0, -1.0).scale)
Distribution.set_default_validate_args(True)
print(tried())
Distribution.set_default_validate_args(False)
print(tried())
Distribution.set_default_validate_args(True)


class Factors(nn.Module):
    shape = torch.Size([4, 3, 2])

    def dim(self):
        return 3

    def size(self, dim):
        return self.shape[dim]


print(nn.init._calculate_fan_in_and_fan_out(Factors()))
