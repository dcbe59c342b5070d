"""New tensors in parts."""

from __future__ import annotations

from typing import Any

from .dtensor import current, distribute_tensor, placed_tensor
from .moving import share
from .placement_types import Shard, normal


def _sizes(size: tuple) -> tuple:
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)


def _made(
    name: str, size: tuple, device_mesh: Any, placements: Any, dtype: Any, requires_grad: bool, *values: Any
) -> Any:
    from ...root import torch

    shape = _sizes(size)
    mesh = current(device_mesh)
    wanted = normal(placements, len(shape), mesh, "made")
    if name in ("rand", "randn"):  # the numbers of the whole, whatever the parts
        whole = getattr(torch, name)(*shape, dtype=dtype)
        made = distribute_tensor(whole, mesh, wanted)
    else:
        local = list(shape)
        for i, each in enumerate(wanted):
            if isinstance(each, Shard):
                low, high = share(local[each.dim], mesh.size(i), mesh.get_coordinate()[i])
                local[each.dim] = high - low
        made = placed_tensor(getattr(torch, name)(local, *values, dtype=dtype), mesh, wanted, shape)
    return made.requires_grad_() if requires_grad else made


def _maker(name: str, doc: str, filled: str = "") -> Any:
    """The function of a name, that makes tensors as torch's of that name, or of the name `filled`, does."""

    def make(
        *size: Any, dtype: Any = None, layout: Any = None, requires_grad: bool = False, device_mesh: Any = None,
        placements: Any = None,
    ) -> Any:  # fmt: skip
        return _made(filled or name, size, device_mesh, placements, dtype, requires_grad)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = doc
    return make


ones = _maker("ones", "Ones in parts.")
zeros = _maker("zeros", "Zeros in parts.")
empty = _maker("empty", "A tensor in parts that is to be written.", filled="zeros")
rand = _maker("rand", "Uniform random numbers within 0 and 1 in parts, those of the first process.")
randn = _maker("randn", "Normal random numbers in parts, those of the first process.")


def full(
    size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, requires_grad: bool = False,
    device_mesh: Any = None, placements: Any = None,
) -> Any:  # fmt: skip
    """One number, in parts."""
    return _made("full", tuple(size), device_mesh, placements, dtype, requires_grad, fill_value)
