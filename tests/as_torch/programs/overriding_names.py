# ruff: noqa
"""What functions are called, where they are from, and what classes that override them see of attributes."""

import inspect
import torch
import torch.nn.functional as F
from torch import overrides

for f in (
    torch.add,
    torch.fft.fft,
    torch.linalg.inv,
    torch.special.erf,
    torch.einsum,
    torch.split,
    F.relu6,
    F.linear,
    F.gelu,
):
    print(f.__module__, f.__name__)


class Seen(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func


s = torch.ones(2, 2).as_subclass(Seen)
for name in "T H mT grad shape is_leaf device requires_grad".split():
    attribute = getattr(torch.Tensor, name)
    print(name, getattr(s, name) == attribute.__get__, attribute.__get__.__name__)
print(torch.Tensor.T.__get__.__self__.__qualname__, torch.Tensor.shape.__get__.__self__.__qualname__)
print(
    overrides.resolve_name(torch.Tensor.grad.__get__),
    overrides.resolve_name(torch.Tensor.__add__),
    overrides.resolve_name(F.relu6),
)
testing = overrides.get_testing_overrides()
for f in (
    torch.add,
    torch.cat,
    torch.Tensor.T.__get__,
    torch.Tensor.__add__,
    torch.Tensor.__setitem__,
    torch.Tensor.add_,
    F.batch_norm,
):
    print(f in testing, overrides.is_tensor_method_or_property(f))
print(testing[torch.add](1, 2), testing[torch.Tensor.T.__get__](s), testing[torch.Tensor.__add__](s, 1))
import pickle

for f in (torch.fft.fft, torch.einsum, F.linear, F.relu6, torch.linalg.inv, torch.special.erf):
    print(pickle.loads(pickle.dumps(f)) is f)
needed = torch.overrides.get_testing_overrides()
for name in ("norm", "stft", "istft", "split", "unique", "unique_consecutive", "lu", "dim_order", "add"):
    parameters = inspect.signature(needed[getattr(torch.Tensor, name)]).parameters.values()
    print(name, sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters))
for asked in (torch.is_complex, torch.is_floating_point, torch.numel):
    print(needed[asked](1))
init = torch.nn.init
print(
    needed[init.uniform_](tensor=s, a=0, b=1, generator=None),
    needed[init.constant_](tensor=s, val=1),
    needed[init.normal_](tensor=s),
)
print(needed[init.kaiming_uniform_](tensor=s, a=0, mode="fan_in", nonlinearity="relu", generator=None))
