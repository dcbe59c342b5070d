# ruff: noqa
"""Tensors without elements, weak dictionaries, transforms under no_grad, and names that libraries import."""

import copy
import gc

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, is_fake


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


with FakeTensorMode() as mode:
    x = torch.empty(2, 3)
    y = x @ x.t()
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 2))
    out = net(torch.randn(2, 3, 10, 10))
    far = torch.ones(2, device="cuda") + 1
    told(lambda: x.sum().item())
    told(lambda: x.nonzero())
    near = far.cpu()
print(y, out.shape, far, near.device, isinstance(net[0].weight, nn.Parameter), is_fake(y), isinstance(y, FakeTensor))
a = mode.from_tensor(torch.ones(3, dtype=torch.int64))
print(a, a * 2.5, a.fake_mode is mode, is_fake(torch.ones(1)))
with mode:
    print(torch.ones(3) + a)

from torch.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakTensorKeyDictionary

kept, gone = torch.ones(2), torch.ones(2)
table = WeakTensorKeyDictionary({kept: 1, gone: 2})
print(len(table), table[kept], kept in table, torch.ones(2) in table, TensorWeakRef(kept)() is kept)
del gone
gc.collect()
print(len(table), list(table.values()))

p, q = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
with torch.no_grad():
    print(torch.func.grad(lambda x: (x**3 * q).sum())(p), torch.func.hessian(lambda x: (x**3).sum())(p))
    print(torch.func.jvp(torch.func.jacrev(lambda x: (x**3).sum()), (p,), (torch.ones(2),)))
    value, pull = torch.func.vjp(lambda x: x**3, p)
print(value, pull(torch.ones(2)))

from torch._utils import _flatten_dense_tensors, _get_device_index, _unflatten_dense_tensors
from torch.fx.experimental.optimization import fuse
from torch.nn.utils._named_member_accessor import NamedMemberAccessor
from torch.serialization import get_unsafe_globals_in_checkpoint, set_default_mmap_options
from torch.utils._contextlib import _DecoratorContextManager
from torch.utils._pytree import tree_is_leaf, tree_map_with_path
from torch.utils.data import default_collate
from torch.utils.data._utils.collate import collate, collate_tensor_fn, default_collate_fn_map

parts = [torch.ones(2), torch.zeros(1, 2)]
flat = _flatten_dense_tensors(parts)
print(flat, _unflatten_dense_tensors(flat, parts), _get_device_index("cuda:1"), tree_is_leaf(3), tree_is_leaf([3]))
print(tree_map_with_path(lambda path, leaf: leaf + len(path), {"a": [1, 2], "b": 3}))
print(collate([torch.ones(1), torch.zeros(1)], collate_fn_map={torch.Tensor: collate_tensor_fn}))


class Own:
    def __init__(self, n):
        self.n = n


default_collate_fn_map[Own] = lambda batch, *, collate_fn_map=None: [each.n for each in batch]
print(default_collate([{"a": Own(1)}, {"a": Own(2)}]))
torch.manual_seed(0)
pair = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).eval()
image = torch.randn(1, 1, 4, 4)
print(torch.allclose(fuse(pair)(image), pair(image), atol=1e-5), [type(m).__name__ for m in fuse(pair).children()])
accessor = NamedMemberAccessor(pair)
before = accessor.swap_tensor("0.bias", torch.zeros(2))
print(before.shape, accessor.get_tensor("0.bias"), accessor.check_keys(["0.weight", "x"])[1])


class Twice(_DecoratorContextManager):
    def __enter__(self):
        print("in")

    def __exit__(self, *error):
        print("out")


@Twice()
def run():
    return 3


print(run())
print(torch.ones(2)._neg_view(), torch._neg_view_copy(torch.ones(2)), torch.ones(1).volatile)


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


print(Double.apply(p).grad_fn.apply(torch.ones(2)))
print(torch.autograd.functional.hvp(lambda x: (x**2).sum(), p, torch.ones(2), create_graph=True))
