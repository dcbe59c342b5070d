"""Private parts that libraries use: weights lent to a module, the default of distributions' checks, shapes of what is no tensor."""

import warnings

import torch
import torch._dynamo.utils
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


def told(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


x, y = torch.tensor([1.0, 0, 2]), torch.ones(3, 2, requires_grad=True)
told("any", lambda: torch._is_any_true(x > 0))
told("all", lambda: torch._is_all_true(x > 0))
told("all", lambda: torch._is_all_true(x))
told("chunks", lambda: torch._chunk_cat([torch.ones(3, 2), torch.ones(2, 2)], 0, 2))
told("chunks", lambda: torch._chunk_cat([y.detach(), y[:, :1].detach()], -1, 3).shape)
told("chunks", lambda: torch._chunk_cat([y], 0, 2).grad_fn.name())
told("chunks", lambda: torch._chunk_cat([], 0, 2))
told("chunks", lambda: torch._chunk_cat([x, x.int()], 0, 2))
told("chunks", lambda: torch._chunk_cat([x], 0, 0))
told("mask", lambda: torch.masked._input_mask(x))
told("mask", lambda: torch.masked._ops._input_mask(y.detach(), mask=torch.tensor([1, 0])))
told("mask", lambda: torch.masked._ops._input_mask(x, mask=torch.ones(1, 2, 3)))
told("quotients", lambda: (x.__div__(2), x.__rdiv__(2), x.clone().__idiv__(4)))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for text in ("first", "second", "first"):
        torch._dynamo.utils.warn_once(text)
    print([(str(each.message), each.category.__name__) for each in caught])
