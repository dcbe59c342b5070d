# ruff: noqa
"""Conjugates and negatives on the meta device are views that say so; tensors detached from one whose storage is resized."""

import torch


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


x = torch.empty(2, 3, dtype=torch.complex64, device="meta")
y = x.conj()
print(y.is_conj(), y._base is x, y.imag.is_neg(), y.real.is_neg(), y.conj().is_conj(), y.resolve_conj().is_conj())
for name, view in {
    "t": y.t(), "mH": x.mH, "H": x.H, "adjoint": x.adjoint(), "row": y[0], "view": y.view(6), "expanded": y.expand(4, 2, 3),
    "strided": y.as_strided((2, 2), (1, 1)), "flat": y.flatten(), "squeezed": y.unsqueeze(0), "diagonal": y.diagonal(),
    "clone": y.clone(), "sum": y + 1, "product": y @ y.t(), "like": torch.empty_like(y), "physical": y.conj_physical(),
    "cat": torch.cat([y, y]), "contiguous": y.contiguous(), "double": y.to(torch.complex128), "detached": y.detach(),
}.items():  # fmt: skip
    print(name, view.is_conj(), tuple(view.shape), view.stride(), view.dtype)
negative = torch._neg_view(torch.empty(2, device="meta"))
print(negative.is_neg(), negative.resolve_neg().is_neg(), (-negative).is_neg(), negative[0].is_neg())
told(lambda: torch.view_as_real(y))
told(lambda: y.view(torch.float32))
told(lambda: torch.view_as_real(y.resolve_conj()).shape)
print(y.mul_(2).is_conj(), y.copy_(x).is_conj(), y)
with torch.device("meta"):
    print(torch.ones(2, dtype=torch.complex128).conj().imag.is_neg())
z = torch.empty(2, dtype=torch.complex64, device="meta", requires_grad=True)
w = z.conj()
print(w.is_conj(), w.grad_fn.name(), torch.autograd.grad(w.real.sum(), z)[0].shape)

# Storages that change their size take detached tensors along.
a = torch.arange(4.0)
b, c = a.detach(), a.detach()[1:3]
a.untyped_storage().resize_(32)
print(b.untyped_storage().size(), b.data_ptr() == a.data_ptr(), c.data_ptr() == a.data_ptr() + 4, b)
a.untyped_storage().resize_(0)
print(b.untyped_storage().size(), b.shape, c.untyped_storage().nbytes())
a.untyped_storage().resize_(16)
a.copy_(torch.full((4,), 7.0))
print(b, c, b.data_ptr() == a.data_ptr())
d = torch.ones(3, requires_grad=True)
e = d.detach()
e.resize_(6)
print(d.untyped_storage().size(), e.data_ptr() == d.data_ptr(), e[:3])
