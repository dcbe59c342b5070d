"""``torch.autograd._functions``: custom functions of old."""

from __future__ import annotations

from math import prod
from typing import Any

from ....engine.tape.function import Function


class Resize(Function):
    """A tensor in another shape of as many elements."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: Any) -> Any:
        if prod(sizes) != tensor.numel():
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({prod(sizes)} elements in total), but the given tensor has "
                f"a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). autograd's resize can only change "
                "the shape of a given tensor, while preserving the number of elements. "
            )
        ctx.sizes = tensor.size()
        if tensor.is_contiguous():
            made = tensor.new(tensor).contiguous().view(*sizes)
            ctx.mark_dirty()
            return made
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.contiguous().view(ctx.sizes), None


class Type(Function):
    """A tensor in another dtype."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, kind: Any) -> Any:
        ctx.kind = tensor.type()
        return tensor.type(kind)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.type(ctx.kind), None
