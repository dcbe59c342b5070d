"""numpy's namespace for arrays without elements: what an operator's formula calls `xp`."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from . import folding, linear, making
from .array import MetaArray
from .calls import call, ufunc_call

HOST = frozenset("finfo iinfo issubdtype isscalar broadcast_shapes dtype result_type promote_types can_cast".split())
__all__ = ["folding", "linear", "making", "module"]
"""What tells the shapes is entered when this is imported."""


class Ufunc:
    """A ufunc on arrays without elements, also where all its operands are numbers."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc, self.__name__ = ufunc, ufunc.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return ufunc_call(self.ufunc, "__call__", *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in ("reduce", "accumulate", "outer", "at", "reduceat"):
            return partial(ufunc_call, self.ufunc, name)
        return getattr(self.ufunc, name)


class Space(ModuleType):
    """A module of functions on arrays without elements, made of numpy's."""

    def __init__(self, name: str, source: Any) -> None:
        super().__init__(name)
        self.__dict__["_source"] = source

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._source, name)
        if isinstance(found, ModuleType):
            found = Space(f"{self.__name__}.{name}", found)
        elif isinstance(found, np.ufunc):
            found = Ufunc(found)
        elif callable(found) and not isinstance(found, type) and name not in HOST:
            found = partial(call, found)
        self.__dict__[name] = found
        return found


module: Any = Space("meta", np)
module.MetaArray = MetaArray
