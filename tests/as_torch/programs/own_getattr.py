"""A class of modules with a `__getattr__` of its own: it is asked for parameters, buffers and submodules."""

import copy
import pickle

import torch
from torch import nn


class Asked(nn.Module):
    """Tells of every name that it is asked for."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("count", torch.zeros(1))
        self.inner = nn.Linear(2, 1)
        self.plain = "an attribute"

    def __getattr__(self, name):
        value = super().__getattr__(name)
        print("asked for", name)
        return value


class Complex(nn.Module):
    """Keeps complex parameters as pairs of real numbers."""

    def __setattr__(self, name, value):
        if isinstance(value, nn.Parameter):
            self.register_parameter(name, value)
        else:
            super().__setattr__(name, value)

    def register_parameter(self, name, value):
        super().register_parameter(name, nn.Parameter(torch.view_as_real(value.detach())))

    def __getattr__(self, name):
        value = super().__getattr__(name)
        return torch.view_as_complex(value) if torch.is_tensor(value) else value


module = Asked()
print(module.weight, module.count, module.inner.in_features, module.plain)
for name in ("nothing", "_nothing"):
    try:
        getattr(module, name)
    except AttributeError as error:
        print(error)
print([name for name, _ in module.named_parameters()], list(module.state_dict()))
module.weight = nn.Parameter(torch.zeros(1))
print(module.weight, "weight" in module.__dict__, type(module._parameters))
del module.weight
print(hasattr(module, "weight"), list(module._parameters))
again = copy.deepcopy(module)
print(again.count, again.inner is module.inner)
again = pickle.loads(pickle.dumps(module))
print(again.count, again.plain, sorted(again.__dict__)[-3:])

pair = Complex()
pair.w = nn.Parameter(torch.tensor([1 + 2j, 3 - 1j]))
print(pair.w, pair._parameters["w"])
(pair.w * pair.w.conj()).real.sum().backward()
print(pair._parameters["w"].grad)
