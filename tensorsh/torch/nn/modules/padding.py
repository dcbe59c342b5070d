"""Padding modules: borders filled with a value, a mirror image, the edge, or the opposite side."""

from __future__ import annotations

from typing import Any

from ....engine.tensor import Tensor
from ..reach import F
from .conv import repeated
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
        if self.mode == "circular" and input.ndim not in (self.dims + 1, self.dims + 2):
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


def _classes() -> dict[str, type]:
    kinds = {
        "Circular": (Padding, "circular", "the values of the opposite side"),
        "Constant": (ConstantPadding, "constant", "one value"),
        "Reflection": (Padding, "reflect", "the mirror image of what is inside"),
        "Replication": (Padding, "replicate", "the values at the edge"),
        "Zero": (ZeroPadding, "constant", "zeros"),
    }
    made = {}
    for kind, (base, mode, words) in kinds.items():
        for dims in (1, 2, 3):
            name = f"{kind}Pad{dims}d"
            doc = f"Pads the last {dims} dimension{'s' if dims > 1 else ''} with {words}."
            body = {"dims": dims, "mode": mode, "__doc__": doc, "__module__": __name__, "__qualname__": name}
            body["_owners"] = {"forward": f"_{'Constant' if kind == 'Zero' else kind}PadNd"}
            made[name] = type(name, (base,), body)
    return made


globals().update(_classes())
