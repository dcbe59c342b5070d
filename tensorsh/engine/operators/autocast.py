"""Mixed precision: what operators do with their arguments within ``torch.autocast``.

PyTorch's lists: products and convolutions are computed in the low precision, what would lose too much by it in float32,
and what joins several tensors in the widest type among them. All others compute in the type that they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arrays.dtype import bfloat16, dtype, float16, float32, float64
from ..arrays.state import here
from ..graph.nodes import AccumulateGrad
from ..tensors.tensor import Tensor
from . import hooks
from .casts import JOINED, LOW, WIDE


def low(precision: Precision, args: tuple, kwargs: dict) -> Any:
    return precision.type


def wide(precision: Precision, args: tuple, kwargs: dict) -> Any:
    return float32


def padded(precision: Precision, args: tuple, kwargs: dict) -> Any:
    """Wide where the edge is repeated or, of lines and planes, mirrored."""
    mode = args[2] if len(args) > 2 else kwargs.get("mode")
    sizes = args[1] if len(args) > 1 else kwargs["pad"]
    return float32 if mode == "replicate" or mode == "reflect" and len(sizes) < 6 else None


def widest(precision: Precision, args: tuple, kwargs: dict) -> Any:
    """The widest type among the tensors, at least the low one."""
    found = [t.dtype for t in tensors((*args, *kwargs.values())) if t.dtype.is_floating_point]
    return float64 if float64 in found else float32 if float32 in found else precision.type


def tensors(args: Any) -> list[Tensor]:
    """The tensors among arguments, and in lists of them."""
    found: list[Tensor] = []
    for each in args:
        if isinstance(each, Tensor):
            found.append(each)
        elif isinstance(each, (list, tuple)):
            found.extend(tensors(each))
    return found


class Precision:
    """An autocast in effect: its low type, and the weights that were cast in it."""

    def __init__(self, type: dtype, cache: bool, casts: dict) -> None:
        self.type, self.cache, self.casts = type, cache, casts

    def around(self, cast: Callable, form: Any, args: tuple, kwargs: dict) -> Any:
        """Call a function of the lists with its arguments cast, what it calls itself not."""
        try:
            here.autocast = None
            here.settle()
            wanted = cast(self, args, kwargs)
            if wanted is not None:
                args = tuple(self.cast(each, wanted) for each in args)
                kwargs = {key: self.cast(each, wanted) for key, each in kwargs.items()}
            return hooks.proceed(form, args, kwargs)
        finally:
            here.autocast = self
            here.settle()

    def cast(self, value: Any, wanted: dtype) -> Any:
        if isinstance(value, Tensor):
            kind = value.dtype
            if kind is wanted or kind not in (float32, float16, bfloat16):
                return value
            if not (self.cache and wanted is self.type and type(value._node) is AccumulateGrad and kind is float32):
                return value.to(wanted)
            held = self.casts.get(id(value))
            if held is None or held[0] is not value:
                held = self.casts[id(value)] = (value, value.to(wanted))
            return held[1]
        if type(value) is list or type(value) is tuple:
            return type(value)(self.cast(each, wanted) for each in value)
        return value


for _names, _cast in ((LOW, low), (WIDE, wide), (JOINED, widest), (["nn.functional.pad"], padded)):
    hooks.CASTS.update(dict.fromkeys(_names, _cast))
