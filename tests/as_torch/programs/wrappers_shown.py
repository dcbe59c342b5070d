"""The text of classes of tensors that have no elements of their own, and of their parameters."""

import torch
from torch import nn
from torch.utils._pytree import tree_map


class Wrap(torch.Tensor):
    @staticmethod
    def __new__(cls, elem):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.size(), dtype=elem.dtype, requires_grad=elem.requires_grad)
        made.elem = elem.detach()
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        bare = lambda x: x.elem if isinstance(x, cls) else x  # noqa: E731
        found = func(*tree_map(bare, args), **tree_map(bare, kwargs or {}))
        return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, found)


class Shown(Wrap):
    def __repr__(self):
        return super().__repr__(tensor_contents=f"{self.elem}")


class Own(Wrap):
    def __repr__(self):
        return f"Own({self.elem})"


for kind in (Shown, Own):
    for elem in (
        torch.ones(2),
        torch.ones(2, dtype=torch.float64),
        torch.ones(1, 0),
        torch.ones(2, requires_grad=True),
    ):
        x = kind(elem)
        for each in (x, nn.Parameter(x), nn.Parameter(x, requires_grad=False)):
            print(type(each).__name__, repr(each))
print(torch.ones(2).__repr__(tensor_contents="here"))

# Suffixes behind a text that begins a new line.
from torch._tensor_str import _add_suffixes  # noqa: E402

print(_add_suffixes("tensor([1.])"[:-1], ["size=(1,)", "layout=torch.strided"], 7, True))
print(_add_suffixes("tensor([1.])"[:-1], ["size=(1,)", "layout=torch.strided"], 7, False))
