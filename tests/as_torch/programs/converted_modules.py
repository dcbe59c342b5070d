# ruff: noqa
"""Modules whose parameters are replaced, swapped or copied; buffers assigned again; leaves with tangents; layers of nothing."""

import copy
import pickle

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.autograd.forward_ad as fwAD
from torch.autograd import gradcheck, gradgradcheck


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


# What `_apply` replaces
layer = nn.Linear(20, 10)
square, before = layer.weight.mul(layer.weight), layer.weight._version
layer._apply(lambda t: t.add_(1.0))
print(layer.weight._version > before)
told(lambda: square.sum().backward())
layer = nn.Linear(4, 2)
layer.weight.grad = torch.ones(2, 4)
kept = layer.weight
layer._apply(lambda t: t.to_sparse() if t.ndim == 2 else t)
print(layer.weight is kept, layer.weight.layout, layer.weight.grad.layout, kept.layout)
layer = nn.Linear(2, 2)
kept, view = layer.weight, layer.weight[:]
layer.double()
print(view.dtype, view._base.dtype, layer.weight is kept)
torch.__future__.set_overwrite_module_params_on_conversion(True)
layer = nn.Linear(2, 2)
layer.weight.grad = torch.ones(2, 2)
kept, view = layer.weight, layer.weight[:]
layer.double()
print(view.dtype, view._base.dtype, layer.weight is kept, layer.weight.grad)
torch.__future__.set_overwrite_module_params_on_conversion(False)
torch.__future__.set_swap_module_params_on_conversion(True)
layer, x = nn.Linear(2, 3), torch.ones(2, 2)
out = layer(x)
layer.half()
print([p.dtype for p in layer.parameters()])
told(lambda: out.sum().backward())
layer = nn.Linear(2, 3)
layer(x).sum().backward()
kept, gradient = layer.weight, layer.weight.grad
layer.double()
print(kept is layer.weight, kept.dtype, kept.grad.dtype, kept.grad is gradient, isinstance(kept, nn.Parameter))
torch.__future__.set_swap_module_params_on_conversion(False)
told(lambda: nn.Linear(2, 2).to("cpu", copy=True))
told(lambda: nn.Linear(2, 2).to("cpu", torch.float32, False, True))
layer = nn.Linear(2, 2, device="meta")
kept = layer.weight
print(layer.to_empty(device="cpu").weight is kept, layer.weight.device, type(layer.weight))
layer = nn.utils.skip_init(nn.Linear, 5, 1)
print(layer.weight.shape, layer.weight.requires_grad, layer.weight.device)

# Buffers
b = nn.Buffer(torch.ones(2))
print(b, type(b), isinstance(b, nn.Buffer), isinstance(torch.ones(1), nn.Buffer), b.persistent, type(copy.deepcopy(b)))
print(nn.Buffer(torch.ones(2), persistent=False).persistent, nn.Buffer().shape, isinstance(b, torch.Tensor))
module = nn.Module()
module.buf = nn.Buffer(torch.zeros(5), persistent=False)
print(list(module.state_dict()))
module.buf = nn.Buffer(torch.ones(5))
print(
    list(module.state_dict()),
    isinstance(copy.deepcopy(module).buf, nn.Buffer),
    pickle.loads(pickle.dumps(module.buf)).__dict__,
)
module.buf = nn.Buffer(torch.ones(5), persistent=False)
print(list(module.state_dict()), list(module.named_buffers()))


class Mixed:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.mixed = True


class After(nn.Module, Mixed):
    call_super_init = True


print(After().mixed)
many = nn.ParameterDict({"one": nn.Parameter(torch.ones(2)), "two": nn.Parameter(torch.ones(3))})
replica = many._replicate_for_data_parallel()
for name, p in many.named_parameters():
    setattr(replica, name, p.view_as(p))
print([(k, v.grad_fn is not None, v._base is many[k]) for k, v in replica.items()], list(replica.parameters()))
print(nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))._replicate_for_data_parallel())

# Leaves that have a tangent
w = torch.ones(2, requires_grad=True)
with fwAD.dual_level():
    d = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])).requires_grad_()
    print(d.grad, d.grad_fn, d.is_leaf, d.requires_grad)
    (d * d * w).sum().backward()
    print(d.grad, w.grad)
    d.requires_grad_(False)
    print(d.requires_grad, (d * d).requires_grad, fwAD.unpack_dual(d * d))
    e = fwAD.make_dual(w, torch.ones(2))
    print(e.is_leaf, e.requires_grad)
    told(lambda: e.requires_grad_(False))
    x = fwAD.make_dual(torch.ones(3, 2, 5), torch.ones(3, 2, 5))
    mean = fwAD.make_dual(torch.zeros(2), torch.ones(2))
    told(lambda: F.batch_norm(x, mean, torch.ones(2)))
    told(lambda: F.batch_norm(torch.ones(3, 2, 5), mean, torch.ones(2)).shape)
x = torch.linspace(0.5, 2, 9, dtype=torch.double).view(1, 1, 3, 3).requires_grad_()
told(lambda: gradgradcheck(lambda x: x * x * x, [x], check_fwd_over_rev=True))
told(lambda: gradgradcheck(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), [x], check_fwd_over_rev=True))
z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.cdouble, requires_grad=True)
told(
    lambda: gradcheck(
        lambda x: F.l1_loss(x, torch.zeros(2, dtype=torch.cdouble), reduction="none"), (z,), check_forward_ad=True
    )
)

# Layers of nothing
told(
    lambda: (
        F.batch_norm(torch.zeros(0, 3, 2, 2, dtype=torch.double), torch.zeros(3), torch.ones(3), training=True).shape
    )
)
told(lambda: F.grid_sample(torch.ones(6, 2, 3, 4, 4), torch.ones(6, 5, 0, 6, 3), align_corners=False).shape)
told(lambda: F.grid_sample(torch.ones(0, 2, 4, 4), torch.ones(0, 3, 3, 2), align_corners=False).shape)
x, grid = torch.ones(2, 3, 4, 4, requires_grad=True), torch.ones(2, 0, 6, 2, requires_grad=True)
F.grid_sample(x, grid, align_corners=False).sum().backward()
print(x.grad.shape, grid.grad.shape)
told(lambda: F.multilabel_margin_loss(torch.ones(0), torch.ones(10).long()))
told(lambda: F.multi_margin_loss(torch.ones(0), torch.ones(1).long()))
told(lambda: F.max_unpool3d(torch.ones(1, 3, 1, 1, 1), torch.zeros(1, 3, 1, 1, 1).long(), 1, stride=(1, 0, 0)))
told(lambda: F.linear(torch.ones(3), torch.eye(3).to_sparse(), torch.ones(3)))
told(lambda: F.linear(torch.ones(2, 3), torch.eye(3).to_sparse_csr(), torch.ones(3)))
told(lambda: F.linear(torch.ones(2, 3), torch.eye(3).to_sparse(), torch.ones(3)))

base, plain = torch.zeros(4), torch.ones(2)
part = base[1:3]
torch.utils.swap_tensors(part, plain)  # what was a view of the base is the other one now
base.add_(5)
print(part, plain, part._base, plain._base is base)
base.mul_(torch.ones(2, requires_grad=True).sum())
print(part.requires_grad, plain.requires_grad, type(plain.grad_fn).__name__)
