"""``torch._C._nn``: functions of networks that libraries ask here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.arrays.device import device
from ...engine.arrays.dtype import dtype
from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor
from ..aten_layers import LAYERS


def _parse_to(*args: Any, **kwargs: Any) -> tuple:
    """The arguments of `Module.to`, told apart: device, dtype, non_blocking, memory format."""
    place, kind = kwargs.get("device"), kwargs.get("dtype")
    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        given = rest.pop(0)
        place, kind = given.device, given.dtype
    elif rest and isinstance(rest[0], device | str | int) and not isinstance(rest[0], bool):
        place = rest.pop(0)
    if rest and isinstance(rest[0], dtype):
        kind = rest.pop(0)
    blocking = rest[0] if rest else kwargs.get("non_blocking", False)
    return None if place is None else device(place), kind, blocking, kwargs.get("memory_format")


def _named(space: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has the functions of a namespace by the names that they call themselves."""

    def function(name: str) -> Any:
        found = find_function(name.replace("_", ".", 1)) if name.startswith(space + "_") else None
        if found is None:
            raise AttributeError(f"module 'torch._C._{space}' has no attribute '{name}'")
        return found

    return function


def __getattr__(name: str) -> Any:
    found = find_function("nn.functional." + name) if name[:1] != "_" else None
    if found is None and name[-1:] == "_" and (plain := find_function("nn.functional." + name[:-1])) is not None:
        return lambda input, *args, **kwargs: input.copy_(plain(input, *args, **kwargs))
    found = found or LAYERS.get(name)
    if found is None:
        raise AttributeError(f"module 'torch._C._nn' has no attribute '{name}'")
    return found
