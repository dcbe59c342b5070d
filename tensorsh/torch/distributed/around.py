"""A module around another, which answers for what it has not itself."""

from __future__ import annotations

from typing import Any

from ...sandbox.named import read_named
from ..nn.modules.module import Module


class Around(Module):
    """The base of wrappers. Derived classes name the module within: `_inside`."""

    __module__ = "torch.distributed"

    _inside = ""

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return read_named(self._modules[self._inside], name)

    def __getitem__(self, key: int) -> Any:
        return self._modules[self._inside][key]  # type: ignore[index]
