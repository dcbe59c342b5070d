# ruff: noqa
"""Classes derived from Tensor as parameters, and parameters that are swapped when a state dict is loaded."""

import torch
from torch import nn


class S(torch.Tensor):
    pass


class L(torch.Tensor):
    seen = []

    @classmethod
    def __torch_function__(cls, f, types, args=(), kw=None):
        cls.seen.append(getattr(f, "__name__", "?"))
        return super().__torch_function__(f, types, args, kw or {})


for K in (S, L):
    s = torch.Tensor._make_subclass(K, torch.ones(2, 2))
    p = nn.Parameter(s)
    print(type(p).__name__, isinstance(p, nn.Parameter), p.requires_grad, p.is_leaf, p)
    m = nn.Linear(2, 2, bias=False)
    m.weight = p
    print(list(m._parameters), type(m.weight).__name__, m(torch.ones(1, 2)), m)
    m(torch.ones(1, 2)).sum().backward()
    print(m.weight.grad, type(m.weight.grad).__name__)
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    o.step()
    print(m.weight)
    print(
        isinstance(torch.ones(1), nn.Parameter),
        isinstance(s, nn.Parameter),
        isinstance(3, nn.Parameter),
        type(nn.Parameter(nn.Parameter(torch.ones(1)))).__name__,
    )
    print(nn.Parameter(s, requires_grad=False).requires_grad)
    m.double()
    print(type(m.weight).__name__, m.weight.dtype)
print(torch.ones(2).module_load(torch.zeros(2)), torch.ones(2).module_load(torch.zeros(2), assign=True))
torch.__future__.set_swap_module_params_on_conversion(True)


class S(torch.Tensor):
    pass


for assign in (False, True):
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    w = a.weight
    print(
        a.load_state_dict(b.state_dict(), assign=assign),
        a.weight is w,
        a.weight.equal(b.weight),
        type(a.weight).__name__,
        a.weight.requires_grad,
        a.weight.data_ptr() == b.weight.data_ptr(),
    )
    sd = {k: torch.Tensor._make_subclass(S, v.detach().clone()) for k, v in b.state_dict().items()}
    print(a.load_state_dict(sd, assign=assign), type(a.weight).__name__, type(a.weight.data).__name__)
m = nn.Linear(2, 2, device="meta")
print(m.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True), m.weight.device)
try:
    print(m.load_state_dict({"weight": torch.ones(3, 2), "bias": torch.ones(2)}))
except RuntimeError as e:
    print(e)
