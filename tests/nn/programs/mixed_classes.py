"""Modules that are something else, too."""

import torch
from torch import distributions, nn


class Stretch(distributions.Transform, nn.Module):
    domain = codomain = distributions.constraints.real
    __hash__ = nn.Module.__hash__

    def __init__(self):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(2.0))

    def _call(self, x):
        return x * self.factor


stretch = Stretch()
print(stretch(torch.ones(2)), [name for name, _ in stretch.named_parameters()])


class Learnt(distributions.Distribution, nn.Module):
    arg_constraints = {}

    def __init__(self):
        super().__init__(torch.Size([2]), torch.Size())
        self.layer = nn.Linear(1, 1)


print(Learnt().batch_shape, len(list(Learnt().parameters())))
print(nn.Container(act=nn.ReLU(), out=nn.Linear(2, 1)))
