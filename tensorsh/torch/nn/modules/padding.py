"""Padding modules: borders filled with a value, a mirror image, the edge, or the opposite side."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from ..reach import F
from .conv import repeated
from .family import family
from .module import Module

__all__ = [
    f"{kind}Pad{n}d" for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero") for n in (1, 2, 3)
]  # fmt: skip


class Padding(Module):
    """What all kinds share: `padding` for both sides of the last `dims` dimensions, last dimension first."""

    dims: int
    mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        if self.mode == "circular" and input.dim() not in (self.dims + 1, self.dims + 2):
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.ndim}D input)")
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPadding(Padding):
    """Borders of one value."""

    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ZeroPadding(ConstantPadding):
    """Borders of zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


DOC = """Padding of the last dimensions, {n} of them, of (N, C, {size}), or (C, {size}), with %(values)s.
    padding: places added on each side, a number for all, or (left, right, ...) with two for each dimension, the last
    dimension first; negative ones take places away.%(options)s
    RuntimeError where padding is longer than that or odd, and where %(limit)s.
    >>> nn.%(name)s{n}d(1%(argument)s)(torch.ones(1, 1{2s})).shape
    torch.Size([1, 1{4s}])"""
KINDS = {
    "Circular": (Padding, "circular", "the values of the opposite side", "more is added than there is"),
    "Constant": (ConstantPadding, "constant", "one value", "more is taken away than there is"),
    "Reflection": (Padding, "reflect", "the mirror image, the edge itself left out", "as much is added as there is"),
    "Replication": (Padding, "replicate", "the values at the edge", "more is taken away than there is"),
    "Zero": (ZeroPadding, "constant", "zeros", "more is taken away than there is"),
}
"""The base of each kind, the mode of `pad`, and for the docstring the values and the limit."""
for _kind, (_base, _mode, _values, _limit) in KINDS.items():
    _options, _argument = (" value: the value.", ", 0.5") if _kind == "Constant" else ("", "")
    _words = {"values": _values, "limit": _limit, "name": _kind + "Pad", "options": _options, "argument": _argument}
    _owners = {"forward": f"_{'Constant' if _kind == 'Zero' else _kind}PadNd"}
    for _made in family(_base, _kind + "Pad", DOC % _words, mode=_mode, _owners=dict.fromkeys((1, 2, 3), _owners)):
        globals()[_made.__name__] = _made
