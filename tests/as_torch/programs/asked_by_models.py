"""What programs of others that hold one architecture each ask for: scalers that are classes, numbers that are tensors, kinds of tuples."""

import time
import warnings
from collections import namedtuple

import torch
from torch.cpu.amp import GradScaler as OfCpu
from torch.cuda.amp import GradScaler, grad_scaler
from torch.utils import _foreach_utils, _pytree

warnings.simplefilter("ignore")


def told(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).partition("\n")[0])


class Halves(grad_scaler.GradScaler):
    def step(self, optimizer):
        return "mine"


print(GradScaler, OfCpu, GradScaler.__mro__[1] is torch.amp.GradScaler, grad_scaler.GradScaler is GradScaler)
print(isinstance(Halves(enabled=False), torch.amp.GradScaler), Halves(enabled=False).step(None))
print(OfCpu(init_scale=8.0).scale(torch.ones(2)), torch.cpu.amp.grad_scaler.GradScaler is OfCpu)

a = torch.full((2, 2), 2.0)
beside = {
    "half": torch.tensor(0.5),
    "two": torch.tensor(2),
    "one element": torch.tensor([0.5]),
    "true": torch.tensor(True),
}
beside["with gradient"] = torch.tensor(0.5, requires_grad=True)
for name, number in beside.items():
    print(name)
    told(lambda: torch.ones(2, 2).add_(number, a))
    told(lambda: torch.add(torch.ones(2, 2), number, a))
    told(lambda: torch.ones(2, 2).sub(number, a))
    told(lambda: torch.ones(2, 2).addcmul_(number, a, a))
    told(lambda: torch.ones(2, 2).addcdiv(number, a, a))
    told(lambda: torch.ones(2, 2).addmm_(number, a, a))
    told(lambda: torch.ones(2, 2).addmm(0.5, number, a, a))
told(lambda: torch.addmm(0.5, torch.ones(2, 2), torch.tensor(2.0), a, a))
told(lambda: torch.ones(2, 2).addmm_(0.5, a))

pair = namedtuple("pair", "x y")(1, 2)
kinds = [pair, type(pair), torch.max(a, 0), torch.return_types.max, time.localtime(), (1, 2), tuple, a.size(), 3]
print([_pytree.is_namedtuple(k) for k in kinds])
print([_pytree.is_namedtuple_class(k) for k in kinds], [_pytree.is_namedtuple_instance(k) for k in kinds])
print([_pytree.is_structseq(k) for k in kinds])
print([_pytree.is_structseq_class(k) for k in kinds], [_pytree.is_structseq_instance(k) for k in kinds])
print(_foreach_utils._foreach_supported_types)
