"""The shape of a tensor."""

from __future__ import annotations

from typing import Any

from ...sandbox.sealed import Dotted, underived
from ...sandbox.wrapping import builtin


@underived
class Size(tuple, metaclass=Dotted):
    """The shape of a tensor: a tuple of its sizes that prints as ``torch.Size([2, 3])``.

    A part of it, a sum and a product with a number are shapes as well; `numel` multiplies the sizes. TypeError: what is no integer.

    >>> torch.zeros(2, 3).shape
    torch.Size([2, 3])
    >>> torch.zeros(2, 3).shape[1:] + (4,), torch.Size([2, 3]).numel()
    (torch.Size([3, 4]), 6)
    """

    __module__ = "torch"
    __slots__ = ()

    def __new__(cls, *sizes: Any, **named: Any) -> Size:
        made = tuple.__new__(cls, *sizes, **named)
        for n in made:
            if type(n) is not int:
                return tuple.__new__(cls, whole_numbers(made))
        return made

    @builtin("Size")
    def numel(self) -> int:
        total = 1
        for n in self:
            total *= n
        return total

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        got = tuple.__getitem__(self, index)
        return shaped(Size, got) if type(index) is slice else got

    def __add__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return shaped(Size, tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(other + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


shaped = tuple.__new__
"""A Size of what is known to be whole numbers."""


def whole_numbers(values: tuple) -> list[int]:
    """Sizes as Python integers; TypeError for what is none."""
    from .tensor import Tensor

    found = []
    for at, n in enumerate(values):
        single = not isinstance(n, Tensor) or (not n._array.ndim and n._array.dtype.kind in "biu")
        if not single or not hasattr(type(n), "__index__"):
            raise TypeError(f"torch.Size() takes an iterable of 'int' (item {at} is '{type(n).__name__}')")
        found.append(int(n) if isinstance(n, Tensor) else n if isinstance(n, bool) else n.__index__())
    return found
