"""``torch._ops``: the classes of what ``torch.ops`` holds."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


class HigherOrderOperator:
    """An operator that takes functions: called, it runs what `py_impl` or a derived class says."""

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        self._name = self.__name__ = name

    def name(self) -> str:
        return self._name

    def py_impl(self, key: Any) -> Any:
        """A decorator that gives its function back: nothing is dispatched by a key here."""
        return lambda function: function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"tensorsh has no higher-order operator {self._name}: call the functions themselves")


def __getattr__(name: str) -> Any:
    if name in ("OpOverload", "OpOverloadPacket"):
        from .root import torch

        packet = torch.ops.aten.add
        return type(packet) if name == "OpOverloadPacket" else type(packet.Tensor)
    raise AttributeError(f"module 'torch._ops' has no attribute {name!r}")
