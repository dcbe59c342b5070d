"""``torch._dynamo.eval_frame``: compiled modules."""

from __future__ import annotations

from typing import Any

from ...sandbox.classes import allow
from ...sandbox.named import read_named, write_named
from ..nn.modules.module import Module
from ..nn.modules.registry import holds
from ..replay.backends import by_options

__all__ = ["OptimizedModule", "is_dynamo_supported"]


class OptimizedModule(Module):
    """A compiled module: what it computes is recorded once for each kind of input, and run again without its Python. It has the
    module as `_orig_mod`, whose attributes are its own; parameters are the module's, under names with that prefix.
    mod: the module. options: those of `torch.compile`.
    >>> torch.compile(nn.Linear(2, 3))
    OptimizedModule(
      (_orig_mod): Linear(in_features=2, out_features=3, bias=True)
    )"""

    _orig_mod: Module

    def __init__(self, mod: Module, options: Any = None) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod
        self.__dict__["_options"] = dict(options or {})
        self.__dict__["_compiled"] = by_options(mod, self._options)
        del self.__dict__["training"]

    @property
    def training(self) -> bool:  # type: ignore[override]
        return self._orig_mod.training

    @training.setter
    def training(self, on: bool) -> None:
        self._orig_mod.training = on

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._compiled(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name != "_orig_mod":
            return read_named(self._orig_mod, name)
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "training":
            self._orig_mod.training = value
        elif name == "_orig_mod" or not self._modules or holds(self, name):
            super().__setattr__(name, value)
        else:
            write_named(self._orig_mod, name, value)

    def __len__(self) -> int:
        if hasattr(self._orig_mod, "__len__"):
            return len(self._orig_mod)
        raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")

    def __reduce__(self) -> Any:
        return OptimizedModule, (self._orig_mod, self._options)


OptimizedModule.__module__ = "torch._dynamo.eval_frame"
allow(OptimizedModule, "_orig_mod")


def is_dynamo_supported() -> bool:
    """Whether functions can be compiled: yes."""
    return True
