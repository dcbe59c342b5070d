"""The rules of operators that arrange, take or join elements; see rules.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.errors import wrap_dim
from ..operators.declare import Array
from .arrays import Compressed, Coo, Sparse, int64, lines
from .folding import stretches
from .missing import Missing, refused
from .rules import rule, sized, sparse_operator


@rule("_permuted")
def permuted(xp: Any, x: Any, axes: tuple, swapped: bool = False) -> Any:
    """With the dimensions in another order; sparse ones stay sparse. Without elements two that are swapped stay coalesced."""
    if type(x) is Compressed:
        raise Missing(x, "permute")
    sparse = x.sparse_dim
    if any(d >= sparse for d in axes[:sparse]):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only transpositions within "
            "sparse and dense dimensions are supported."
        )
    values = x.values.transpose(0, *(d - sparse + 1 for d in axes[sparse:]))
    same = tuple(axes[:sparse]) == tuple(range(sparse))
    return Coo(
        lines(x, axes[:sparse]), values, [x.shape[d] for d in axes], x.coalesced and same or swapped and not x.nnz
    )


@rule("_part")
def part(xp: Any, x: Any, at: Any) -> Any:
    """What ``array[..., number, ...]`` is; no other index is for a sparse array."""
    at = at if type(at) is tuple else (at,)
    dim, whole = 0, slice(None)
    numbers = []
    for each in at:
        if each is Ellipsis:
            dim = x.ndim - (len(at) - at.index(Ellipsis) - 1)
        elif isinstance(each, slice) and each == whole:
            dim += 1
        elif isinstance(each, (int, np.integer)):
            numbers.append((dim, int(each)))
            dim += 1
        else:
            raise Missing(x)
    if not numbers:
        raise Missing(x)
    for taken, (dim, index) in enumerate(numbers):
        n = x.shape[dim - taken]
        if not -n <= index < n:
            raise IndexError
        x = selected(x, dim - taken, index % n) if isinstance(x, Sparse) else x[(whole,) * (dim - taken) + (index,)]
    return x if isinstance(x, Sparse) else xp.asarray(x)


def selected(x: Any, dim: int, index: int) -> Any:
    shape = x.shape[:dim] + x.shape[dim + 1 :]
    if type(x) is Compressed:
        if dim < x.batch:
            at = (slice(None),) * dim + (index,)
            return Compressed(x.layout, x.starts[at], x.others[at], x.values[at], shape)
        if dim > x.batch + 1:
            at = (slice(None),) * (dim + 1 if x.blocked else dim - 1) + (index,)
            return Compressed(x.layout, x.starts, x.others, x.values[at], shape)
        return line_of_matrix(x, dim, index, True)
    if dim >= x.sparse_dim:
        return Coo(x.indices, x.values[(slice(None),) * (dim - x.sparse_dim + 1) + (index,)], shape, x.nnz < 2)
    there = x.indices[dim] == index
    values = x.values[there]
    if x.sparse_dim == 1:
        return values[0] if values.shape[0] == 1 else x.xp.asarray(values.sum(0, dtype=values.dtype))
    return Coo(lines(x, [d for d in range(x.sparse_dim) if d != dim])[:, there], values, shape)


def line_of_matrix(x: Any, dim: int, index: int, view: bool) -> Coo:
    """A row or column of a compressed matrix. RuntimeError: its values are no view of the matrix' values, where they are to be."""
    name = "select" if view else "select_copy"
    if x.batch:
        raise RuntimeError(
            f"{name}(): selecting sparse dimensions is not supported for batched sparse compressed tensors."
        )
    xp, line = x.xp, index // x.block[dim]
    at: Any
    if dim == (0 if x.by_rows else 1):
        at = slice(int(x.starts[line].item()), int(x.starts[line + 1].item()))
        indices, values = x.others[at], x.values[at]
    else:
        at = even_steps((x.others == line).nonzero()[0])
        indices, values = x.rows()[at], x.values[at]
    seen = type(at) is slice
    if x.blocked:
        other = x.block[1 - dim]
        indices = (indices[:, None] * other + xp.arange(other)).reshape(-1)
        values = values[:, index % x.block[0]] if dim == 0 else values[:, :, index % x.block[1]]
        seen = seen and (len(values) < 2 or other == 1 or values.strides[0] == other * values.strides[1])
        values = values.reshape(-1, *values.shape[2:])
    if view and not seen:
        raise RuntimeError("select(): no view exists for the given input, consider using torch.select_copy.")
    shape = x.shape[:dim] + x.shape[dim + 1 :]
    return Coo(indices[None].astype(int64), values if view else values.copy(), shape, True)


def even_steps(at: Any) -> Any:
    """Places as a slice, where they are one."""
    if at.size < 2:
        return slice(*([int(at[0].item()), int(at[0].item()) + 1] if at.size else [0, 0]))
    steps = at[1:] - at[:-1]
    if not (steps == steps[0]).all().item():
        return at
    return slice(int(at[0].item()), int(at[-1].item()) + 1, int(steps[0].item()))


@sparse_operator("_line_copy", node="SelectCopyBackward0")
def line_copy(xp: Any, input: Array, dim: int, index: int) -> Any:
    """A row or column of a compressed matrix, as memory of its own."""
    return line_of_matrix(input, dim, index, False)


line_copy.gradient(input=refused("select_backward"))


@rule("unbind")
def unbind(xp: Any, x: Any, dim: int = 0) -> list:
    whole = (slice(None),) * (dim % x.ndim)
    return [part(xp, x, (*whole, i)) for i in range(x.shape[dim])]


@rule("unsqueeze")
def unsqueeze(xp: Any, x: Any, dim: int) -> Any:
    dim = wrap_dim(dim, x.ndim + 1)
    shape = (*x.shape[:dim], 1, *x.shape[dim:])
    if type(x) is Compressed:
        raise Missing(x)
    if dim > x.sparse_dim:
        return Coo(x.indices, xp.expand_dims(x.values, dim - x.sparse_dim + 1), shape, x.coalesced)
    return Coo(xp.concatenate([x.indices[:dim], xp.zeros((1, x.nnz), int64), x.indices[dim:]]), x.values, shape)


@rule("index_select")
def index_select(xp: Any, x: Any, dim: int, index: Any) -> Any:
    if type(x) is Compressed:
        raise Missing(x)
    dim, index = wrap_dim(dim, x.ndim), index.reshape(-1)
    n = x.shape[dim]
    if ((index < -n) | (index >= n)).any().item():
        raise IndexError(
            f"index_select(): index contains {int(index[(index < -n) | (index >= n)][0])} that is out of range for tensor of "
            f"size {sized(x)} at dimension {dim}"
        )
    index = index % n if n else index
    shape = (*x.shape[:dim], index.size, *x.shape[dim + 1 :])
    if dim >= x.sparse_dim:
        return Coo(x.indices, x.values.take(index, dim - x.sparse_dim + 1), shape, x.coalesced)
    # The elements of each index, one index after the other: those whose sorted coordinate is it.
    along = xp.argsort(x.indices[dim], kind="stable")
    there = x.indices[dim][along]
    first, last = xp.searchsorted(there, index), xp.searchsorted(there, index, side="right")
    taken, within = stretches(last - first)
    order = along[first[taken] + within]
    indices = x.indices[:, order]
    indices[dim] = taken
    return Coo(indices, x.values[order], shape, x.coalesced and dim == 0)


@rule("expand _expand")
def expand(xp: Any, x: Any, *_: Any) -> Any:
    raise RuntimeError(f"expand is unsupported for {x.title} tensors")


def narrowed(x: Any, dim: int, start: int, length: int) -> Coo:
    shape = (*x.shape[:dim], length, *x.shape[dim + 1 :])
    if dim >= x.sparse_dim:
        at = (slice(None),) * (dim - x.sparse_dim + 1) + (slice(start, start + length),)
        return Coo(x.indices, x.values[at].copy(), shape, x.coalesced)
    there = (x.indices[dim] >= start) & (x.indices[dim] < start + length)
    indices = x.indices[:, there]
    indices[dim] -= start
    return Coo(indices, x.values[there], shape, x.coalesced)


@rule("cat")
def cat(xp: Any, arrays: list, dim: int = 0) -> Any:
    for at, x in enumerate(arrays):
        if type(x) is Compressed:
            raise Missing(x, "is_contiguous").worded([])
        if type(x) is not Coo:
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {at}.")
    first = arrays[0]
    dim = wrap_dim(dim, first.ndim)
    for at, x in enumerate(arrays):
        if x.shape[:dim] + x.shape[dim + 1 :] != first.shape[:dim] + first.shape[dim + 1 :]:
            raise RuntimeError(
                f"All tensors must have the same shape: {sized(first)} (except in the concatenating dimension), but found shape: "
                f"{sized(x)} at position {at}."
            )
        if x.sparse_dim != first.sparse_dim:
            raise RuntimeError(
                f"All tensors must have the same sparse_dim and dense_dim: {first.sparse_dim}, {first.dense_dim}, but tensor at "
                f"position {at} has {x.sparse_dim}, {x.dense_dim}."
            )
    xp, kind = first.xp, np.result_type(*[x.dtype for x in arrays])
    ends = np.cumsum([0, *(x.shape[dim] for x in arrays)])
    shape = (*first.shape[:dim], int(ends[-1]), *first.shape[dim + 1 :])
    indices = xp.concatenate([x.indices for x in arrays], 1)
    if dim < first.sparse_dim:
        indices[dim] += xp.asarray(np.repeat(ends[:-1], [x.nnz for x in arrays]))
        return Coo(indices, xp.concatenate([x.values for x in arrays]).astype(kind), shape)
    values = xp.zeros((indices.shape[1], *shape[first.sparse_dim :]), kind)
    at = 0
    axis = dim - first.sparse_dim
    for x, start, end in zip(arrays, ends[:-1], ends[1:], strict=True):
        values[(slice(at, at + x.nnz), *(slice(None),) * axis, slice(start, end))] = x.values
        at += x.nnz
    return Coo(indices, values, shape)


@rule("stack")
def stack(xp: Any, arrays: list, dim: int = 0) -> Any:
    return cat(xp, [unsqueeze(xp, x, dim) for x in arrays], dim if dim >= 0 else dim + arrays[0].ndim + 1)
