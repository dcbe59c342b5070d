"""The items of a state dict: its tensors, in parts where they are, and its other values, by their path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....engine.tensors.tensor import Tensor
from ..groups import outside
from ..starting import get_rank, get_world_size, is_initialized
from ..tensor.moving import share
from ..tensor.placement_types import Replicate, Shard, cutting


def walk(value: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """The values in nested dicts and lists, with their paths."""
    if isinstance(value, Mapping) and (value or not path):
        for key, each in value.items():
            yield from walk(each, (*path, key if isinstance(key, str) else str(key)))
    elif isinstance(value, (list, tuple)) and any(isinstance(each, (Tensor, Mapping)) for each in value):
        for number, each in enumerate(value):
            yield from walk(each, (*path, number))
    else:
        yield path, value


def name_of(path: tuple) -> str:
    """The name under which a value is kept."""
    return ".".join(map(str, path))


def stored(state_dict: Any) -> dict:
    """A state dict with the states of objects that have some in their place."""
    return {
        key: value.state_dict() if hasattr(value, "state_dict") and hasattr(value, "load_state_dict") else value
        for key, value in state_dict.items()
    }


def part_of(t: Any) -> tuple[tuple, Any, bool]:
    """Where the part of a tensor that is here begins, its array, and whether this process is the one that keeps it."""
    placements = getattr(t, "_placements", None)
    if placements is None:
        return (0,) * t.dim(), t._array, True
    low, sizes = [0] * len(t._shape), list(t._shape)
    coordinate, first = t._mesh.get_coordinate(), True
    for i in cutting(placements):
        placement = placements[i]
        if isinstance(placement, Shard):
            start, end = share(sizes[placement.dim], t._mesh.size(i), coordinate[i])
            low[placement.dim] += start
            sizes[placement.dim] = end - start
        elif isinstance(placement, Replicate):
            first = first and coordinate[i] == 0
        else:
            raise RuntimeError("a checkpoint keeps tensors, not terms of them: call redistribute() first")
    return tuple(low), t._array, first


def sizes_of(t: Any) -> tuple:
    """The sizes of the whole of a tensor."""
    return tuple(getattr(t, "_shape", t._array.shape))


def processes(group: Any) -> tuple[int, int]:
    """This process's number and how many there are; alone where there is no group."""
    if outside(group) or not is_initialized():
        return 0, 1
    return get_rank(group), get_world_size(group)
