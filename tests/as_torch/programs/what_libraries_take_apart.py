"""Names and kinds that libraries take apart: what a module holds is a dict, a parameter's class overrides nothing, rules that were
registered are seen."""

import numpy as np
import torch
import torch.utils._pytree as trees
from torch.distributions.kl import _KL_REGISTRY, kl_divergence, register_kl
from torch.nn.parameter import _ParameterMeta
from torch.utils.data._utils.pin_memory import pin_memory

m = torch.nn.Linear(2, 1)
print(len(trees.tree_flatten(m._parameters)[0]), trees.tree_structure([m._parameters, m._buffers, m._modules]))
print(trees.tree_map(lambda a, b: (a.shape, b), m._parameters, {"weight": 1, "bias": 2}))
print(
    trees._get_node_type(m._parameters),
    isinstance(m.weight, _ParameterMeta),
    isinstance(torch.nn.Parameter, _ParameterMeta),
)

print(torch.nn.Parameter.__torch_function__(torch.add, (), (torch.ones(2), torch.ones(2)), {}))
print(torch.nn.Buffer.__torch_function__(torch.neg, (), (torch.ones(2),)))


class Counted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        told.append(func.__name__)
        return torch.nn.Parameter.__torch_function__(func, types, args, kwargs or {}).as_subclass(Counted)


class Named(torch.nn.Parameter):
    pass


told = []
x = torch.randn(1, 3, 8).as_subclass(Counted)
torch.nn.functional.linear(x, torch.ones(2, 8))
print(told, Named(torch.ones(2)), torch.nn.Parameter(torch.ones(2)))
print(torch.overrides.has_torch_function((m.weight,)), torch.overrides.is_tensor_like(m.weight))

turned = []


class Turns(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.transpose:
            turned.append(tuple(args[0].shape))
        return func(*args, **(kwargs or {}))


attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
q, k = torch.randn(1, 3, 8), torch.randn(1, 4, 8)
with torch.no_grad():
    for given in ((q, q, q), (q, k, k), (q, k, k.clone())):
        with Turns():
            attention(*given, need_weights=False)
        print([shape for shape in turned if len(shape) == 3 and shape[-1] == 8])
        turned.clear()


class Own(torch.distributions.Normal):
    pass


print(len(_KL_REGISTRY), (torch.distributions.Normal, torch.distributions.Normal) in _KL_REGISTRY)


@register_kl(Own, Own)
def of_own(p, q):
    return 1


print(_KL_REGISTRY[Own, Own] is of_own, kl_divergence(Own(0.0, 1.0), Own(0.0, 1.0)), len(_KL_REGISTRY))
print(pin_memory({"a": [1, "b"]}))
print(
    torch.hann_window(np.int64(4), periodic=False), torch.kaiser_window(np.int32(3)).shape, torch.randperm(np.int64(1))
)
