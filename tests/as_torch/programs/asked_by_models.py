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
    told(lambda number=number: torch.ones(2, 2).add_(number, a))
    told(lambda number=number: torch.add(torch.ones(2, 2), number, a))
    told(lambda number=number: torch.ones(2, 2).sub(number, a))
    told(lambda number=number: torch.ones(2, 2).addcmul_(number, a, a))
    told(lambda number=number: torch.ones(2, 2).addcdiv(number, a, a))
    told(lambda number=number: torch.ones(2, 2).addmm_(number, a, a))
    told(lambda number=number: torch.ones(2, 2).addmm(0.5, number, a, a))
told(lambda: torch.addmm(0.5, torch.ones(2, 2), torch.tensor(2.0), a, a))
told(lambda: torch.ones(2, 2).addmm_(0.5, a))

pair = namedtuple("pair", "x y")(1, 2)
kinds = [pair, type(pair), torch.max(a, 0), torch.return_types.max, time.localtime(), (1, 2), tuple, a.size(), 3]
print([_pytree.is_namedtuple(k) for k in kinds])
print([_pytree.is_namedtuple_class(k) for k in kinds], [_pytree.is_namedtuple_instance(k) for k in kinds])
print([_pytree.is_structseq(k) for k in kinds])
print([_pytree.is_structseq_class(k) for k in kinds], [_pytree.is_structseq_instance(k) for k in kinds])
print(_foreach_utils._foreach_supported_types)


@torch._disable_dynamo
def doubled(x):
    return 2 * x


print(doubled(3), doubled.__name__, torch._disable_dynamo(recursive=False)(doubled)(a)[0])
print(torch._compile._disable_dynamo is torch._disable_dynamo)

several = [torch.ones(2), torch.full((2,), 3.0)]
for name in "add mul sub div pow maximum minimum clamp_min clamp_max".split():
    function, inside = getattr(torch, f"_foreach_{name}"), getattr(torch, f"_foreach_{name}_")
    written = [x.clone() for x in several]
    print(name, function(several, [2.0, 3.0]), function(several, 2.0), inside(written, 2.0) is written, written)
print(
    torch._foreach_pow(several, exponent=2),
    torch._foreach_pow(2.0, several),
    torch._foreach_mul(several, scalars=[2, 3]),
)
print(
    torch._foreach_add(several, other=several),
    torch._foreach_add(several, scalar=1),
    torch._foreach_maximum(several, scalars=[2, 4]),
)
kinds = [torch._foreach_sqrt(several), torch._foreach_norm(several), torch._foreach_lerp(several, several, 0.5)]
kinds += [torch._foreach_addcmul(several, several, several), torch._foreach_max(several), torch._foreach_sqrt_(several)]
kinds += [torch._foreach_zero_(several), torch._foreach_copy_(tuple(several), several)]
print([type(k).__name__ for k in kinds])
print(torch.distributions.transforms._clipped_sigmoid(torch.tensor([-200.0, 0.0, 200.0])))
