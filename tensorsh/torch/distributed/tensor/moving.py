"""Local tensors from one placement to another along a dimension of a mesh, with gradients on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine.arrays.device import absent
from ....engine.graph.fields import wrap
from ....engine.tape.function import Function
from ....engine.tensors.tensor import Tensor
from ..collectives import all_gather, all_reduce
from ..exchanges import reduce_scatter_single
from ..groups import world
from ..reduce_ops import ReduceOp
from .placement_types import Partial, Replicate, Shard, _StridedShard, cutting

OPS = {"sum": "SUM", "avg": "SUM", "max": "MAX", "min": "MIN", "product": "PRODUCT"}


def share(size: int, parts: int, number: int) -> tuple[int, int]:
    """Where a part of a dimension begins and ends."""
    step = -(-size // parts) if size else 0
    return min(step * number, size), min(step * (number + 1), size)


def placed(shape: Any, mesh: Any, placements: Any) -> tuple[tuple, tuple]:
    """The sizes of this process's part of a tensor, and where it begins."""
    low, sizes, coordinate = [0] * len(shape), list(shape), mesh.get_coordinate()
    for i in cutting(placements):
        dim = placements[i].dim if isinstance(placements[i], Shard) else -1
        if dim >= 0:
            start, end = share(sizes[dim], mesh.size(i), coordinate[i])
            low[dim] += start
            sizes[dim] = end - start
    return tuple(sizes), tuple(low)


def cut(array: Any, dim: int, group: Any) -> Any:
    """The part of an array that is this process's."""
    low, high = share(array.shape[dim], group.size(), group.rank())
    part = array[(slice(None),) * dim + (slice(low, high),)]
    return part.copy() if absent(array) else np.ascontiguousarray(part)


def gathered(array: Any, dim: int, size: int, group: Any) -> Any:
    """The whole of an array in parts; `size` is that of its dimension."""
    step = share(size, group.size(), 0)[1]
    shape = (*array.shape[:dim], step, *array.shape[dim + 1 :])
    if array.shape == shape:
        mine = np.ascontiguousarray(array)
    else:
        mine = np.zeros(shape, array.dtype)
        mine[(slice(None),) * dim + (slice(0, array.shape[dim]),)] = array
    world.counted("all_gather_into_tensor")
    parts = [wrap(np.empty(shape, array.dtype)) for _ in range(group.size())]
    all_gather(parts, wrap(mine), group=group)
    whole = np.concatenate([part._array for part in parts], dim)
    return whole if whole.shape[dim] == size else whole[(slice(None),) * dim + (slice(0, size),)].copy()


def reduced(array: Any, how: str, group: Any) -> Any:
    """The reduction of arrays over a group."""
    world.counted("all_reduce")
    found = wrap(array.copy())
    all_reduce(found, getattr(ReduceOp, OPS[how]), group)
    if how == "avg":
        found._array[...] = found._array / group.size()
    return found._array


def reduced_part(array: Any, how: str, dim: int, group: Any) -> Any:
    """This process's part of the reduction of arrays over a group."""
    world.counted("reduce_scatter_tensor")
    low, high = share(array.shape[dim], group.size(), group.rank())
    moved = np.moveaxis(array, dim, 0)
    step = share(array.shape[dim], group.size(), 0)[1]
    padded = np.zeros((step * group.size(), *moved.shape[1:]), array.dtype)
    padded[: len(moved)] = moved
    part = wrap(np.empty((step, *moved.shape[1:]), array.dtype))
    reduce_scatter_single(part, wrap(padded), getattr(ReduceOp, OPS[how]), group)
    found: Any = part._array[: high - low]
    return np.ascontiguousarray(np.moveaxis(found / group.size() if how == "avg" else found, 0, dim))


class Redistribute(Function):
    """A local tensor from one placement to another; its gradient goes back."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, group: Any, before: Any, after: Any, size: int) -> Tensor:
        ctx.group, ctx.before, ctx.after = group, before, after
        ctx.size = size if isinstance(before, Shard) else None
        array: Any = local._array
        scattered = isinstance(before, Partial) and isinstance(after, Shard) and not absent(array)
        if isinstance(before, Shard):
            array = gathered(array, before.dim, size, group)
        elif scattered:
            array = reduced_part(array, before.reduce_op, after.dim, group)
        elif isinstance(before, Partial):
            array = reduced(array, before.reduce_op, group)
        if isinstance(after, Shard) and not scattered:
            array = cut(array, after.dim, group)
        elif isinstance(after, Partial) and (group.rank() or after.reduce_op not in ("sum", "product")):
            array = array / 1 if after.reduce_op != "sum" else np.zeros_like(array)
        return wrap(array.copy() if array is local._array else array)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple:
        group, before, after = ctx.group, ctx.before, ctx.after
        array: Any = gradient._array
        if isinstance(after, Shard):  # the gradient of what was cut
            size = ctx.size if isinstance(before, Shard) and before.dim == after.dim else None
            if size is None:
                total = wrap(np.array([array.shape[after.dim]], np.int64))
                all_reduce(total, group=group)
                size = int(total.item())
            array = gathered(array, after.dim, size, group)
        if isinstance(before, Shard):
            array = cut(array, before.dim, group)
        elif isinstance(before, Partial) and before.reduce_op == "avg":
            array = array / array.dtype.type(group.size())
        return wrap(array), None, None, None, None


class Guard(Function):
    """A tensor that is whole everywhere and used in parts: its gradient is the sum of what the processes find."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, group: Any) -> Tensor:
        ctx.group = group
        return wrap(local._array)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple:
        return wrap(reduced(gradient._array, "sum", ctx.group)), None


def moved(local: Tensor, mesh: Any, before: tuple, after: tuple, shape: tuple) -> Tensor:
    """A local tensor of a global shape in other placements; outside of the mesh there is nothing to move."""
    if before == after or mesh.get_coordinate() is None:
        return local
    # What is cut twice along one dimension is joined from the last cut to the first.
    now, order = list(before), cutting(before)
    for place, i in reversed([*enumerate(order)]):
        moves = now[i] != after[i] or isinstance(now[i], _StridedShard)
        if isinstance(now[i], Shard) and not moves:  # what an earlier cut along the same dimension holds goes with it
            earlier = [(before[j], after[j]) for j in order[:place] if before[j] != after[j]]
            moves = any(isinstance(each, Shard) and each.dim == now[i].dim for pair in earlier for each in pair)
        if moves and not isinstance(now[i], Replicate):
            direct = mesh.ndim == 1 or not isinstance(now[i], Shard) and not isinstance(after[i], Shard)
            target = after[i] if direct else Replicate()
            local = _one(local, mesh, i, now, target, shape)
            now[i] = target
    for i in cutting(after):
        if now[i] != after[i]:
            local = _one(local, mesh, i, now, after[i], shape)
            now[i] = after[i]
    return local


def _one(local: Tensor, mesh: Any, i: int, now: list, target: Any, shape: tuple) -> Tensor:
    size = 0
    if isinstance(now[i], Shard):
        size = shape[now[i].dim]
        coordinate, order = mesh.get_coordinate(), cutting(now)
        for j in order[: order.index(i)]:
            if isinstance(now[j], Shard) and now[j].dim == now[i].dim:
                low, high = share(size, mesh.size(j), coordinate[j])
                size = high - low
    return Redistribute.apply(local, mesh.get_group(i), now[i], target, size)  # type: ignore[attr-defined]
