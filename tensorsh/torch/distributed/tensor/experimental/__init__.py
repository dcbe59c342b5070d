"""``torch.distributed.tensor.experimental``: what PyTorch may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from .....engine.tensors.tensor import Tensor
from ....utils._pytree import tree_flatten, tree_unflatten
from ..dtensor import DTensor
from ..parts import beside_parts

__all__ = ["implicit_replication", "local_map"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A context in which plain tensors beside those in parts are taken for whole ones."""
    before = set(beside_parts)
    beside_parts.add("*")
    try:
        yield
    finally:
        beside_parts.intersection_update(before)


def local_map(
    func: Callable | None = None, out_placements: Any = None, in_placements: Any = None, in_grad_placements: Any = None,
    device_mesh: Any = None, *, redistribute_inputs: bool = False,
) -> Any:  # fmt: skip
    """A function on the parts that are here, as one of tensors in parts.
    func: the function. out_placements: how its results make up tensors; a tuple of them for several. in_placements: how the arguments must lie, None for
    what is no tensor in parts (None: as they come). in_grad_placements: how gradients of the parts make up those of the arguments. device_mesh: the
    processes (None: those of the arguments). redistribute_inputs: move what lies otherwise, instead of ValueError (False)."""
    if func is None:
        return partial(
            local_map, out_placements=out_placements, in_placements=in_placements, in_grad_placements=in_grad_placements,
            device_mesh=device_mesh, redistribute_inputs=redistribute_inputs,
        )  # fmt: skip

    def mapped(*args: Any, **kwargs: Any) -> Any:
        given, form = tree_flatten(args)
        if in_placements is not None and len(in_placements) != len(given):
            raise AssertionError(
                f"in_placements length {len(in_placements)} does not match the number of input args {len(given)}!"
            )
        mesh, in_parts = device_mesh, any(isinstance(each, DTensor) for each in given)
        for i, value in enumerate(given):
            wanted = None if in_placements is None else in_placements[i]
            if not isinstance(value, DTensor):
                if wanted is not None and not isinstance(value, Tensor):
                    raise AssertionError(f"Non-Tensor input {value} expects None placements but received {wanted}!")
                continue
            mesh = value.device_mesh if mesh is None else mesh
            if in_placements is not None and wanted is None:
                raise AssertionError(f"DTensor input {value} expects placements but received {wanted}!")
            if wanted is not None and value.placements != tuple(wanted):
                if not redistribute_inputs:
                    raise ValueError(
                        f"arg {value} in local_map has a mismatched placements: arg placements is {value.placements} but the input "
                        f"placements is {tuple(wanted)}! If redistribute_inputs is wanted, set redistribute_inputs=True to local_map."
                    )
                value = value.redistribute(placements=tuple(wanted))
            of_gradient = None if in_grad_placements is None else in_grad_placements[i]
            if in_grad_placements is not None and of_gradient is None:
                raise AssertionError(f"DTensor input {value} expects in grad placements but received {of_gradient}!")
            given[i] = value.to_local(grad_placements=of_gradient)
        found = func(*tree_unflatten(given, form), **kwargs)
        if not in_parts:
            return found
        results, form = tree_flatten(found)
        places = out_placements if isinstance(out_placements, tuple) else (out_placements,)
        if len(results) != len(places):
            raise AssertionError(
                f"local_map requires one PlacementType be provided for each output value, received {len(places)} out_placements but "
                f"{len(results)} is expected!"
            )
        for i, (value, placed) in enumerate(zip(results, places, strict=True)):
            if isinstance(value, DTensor):
                raise AssertionError(f"torch.Tensor output expected but received {type(value)}: {value}")
            if isinstance(value, Tensor):
                results[i] = DTensor.from_local(value, mesh, placed)
            elif placed is not None:
                raise AssertionError(f"Non-tensor output {value} expects None placements but received {placed}!")
        return tree_unflatten(results, form)

    return mapped
