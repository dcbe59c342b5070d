# ruff: noqa
"""Clipping, weight and spectral norms, parametrizations."""

import torch

nn = torch.nn
U = nn.utils
torch.manual_seed(0)
m = nn.Linear(3, 4)
x = torch.randn(5, 3)
(m(x) ** 2).sum().backward()
print(U.clip_grad_norm_(m.parameters(), 1.0), m.weight.grad, m.bias.grad)
print(U.clip_grad_norm_(m.parameters(), 1e9, norm_type=float("inf")))
U.clip_grad_value_(m.parameters(), 0.1)
print(m.weight.grad)
print(U.clip_grad_norm_(m.weight, 0.5, 1))
v = U.parameters_to_vector(m.parameters())
print(v)
U.vector_to_parameters(torch.arange(16.0), m.parameters())
print(m.weight, m.bias)
w = U.weight_norm(nn.Linear(3, 4))
print(w, list(w.state_dict()))
y = w(x)
print(y, w.weight_g)
y.sum().backward()
print(w.weight_v.grad, w.weight_g.grad)
U.remove_weight_norm(w)
print(list(w.state_dict()), w.weight)
s = U.spectral_norm(nn.Linear(3, 4))
print(list(s.state_dict()))
y = s(x)
print(y, s.weight_u)
y.sum().backward()
print(s.weight_orig.grad)
s.eval()
print(s(x)[0])
U.remove_spectral_norm(s)
print(list(s.state_dict()))
P = U.parametrize


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


l = nn.Linear(3, 3)
P.register_parametrization(l, "weight", Sym())
print(l, l.weight, list(l.state_dict()), P.is_parametrized(l))
l(x).sum().backward()
print(l.parametrizations.weight.original.grad)
import copy

l2 = copy.deepcopy(l)
print((l2.weight == l.weight).all())
P.remove_parametrizations(l, "weight")
print(l, l.weight)
p = U.parametrizations.weight_norm(nn.Linear(3, 2))
print(p, list(p.state_dict()), p(x)[0])
p = U.parametrizations.spectral_norm(nn.Linear(3, 2))
print(p, list(p.state_dict()), p(x)[0])
