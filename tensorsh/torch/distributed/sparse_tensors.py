"""Sparse tensors of several processes, summed: each gives the elements that it keeps, however many they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays import layout as layouts
from ...engine.ops.sparse.tensors import sparse_coo_tensor
from ...engine.tensors.tensor import Tensor
from .groups import Call, ProcessGroup
from .held import Held, gather_bytes
from .reduce_ops import ReduceOp, kind_of
from .work import Work

SUM = kind_of(ReduceOp.SUM)


def is_sparse(t: Tensor) -> bool:
    """Whether a tensor keeps only some of its elements."""
    return hasattr(t._array, "layout")


def sum_sparse(tensor: Tensor, op: Any, group: ProcessGroup, async_op: bool) -> Work | None:
    """Sum the sparse tensors of all processes into each of them."""
    if tensor.layout != layouts.sparse_coo:
        raise NotImplementedError(f"all_reduce takes dense tensors and sparse ones of coordinates, not {tensor.layout}")
    if kind_of(op) != SUM:
        raise RuntimeError(
            "ProcessGroupGloo::allreduce: unsupported reduction operation (allreduce of sparse tensors only works with ReduceOp.SUM)"
        )
    mine = tensor.detach().coalesce()
    dimensions = mine.sparse_dim()

    def begin() -> Any:
        indices, values = mine._indices(), mine._values()
        counts = yield from gather_bytes(group, np.array([indices.shape[1]], np.int64).view(np.uint8))
        kept = counts.copy().view(np.int64)[:, 0].tolist()
        places = yield from gather_bytes(group, padded(indices.t().contiguous(), max(kept)))
        rows = yield from gather_bytes(group, padded(values, max(kept)))
        total = None
        for count, place, row in zip(kept, places, rows, strict=True):
            each = sparse_coo_tensor(
                filled(indices.new_empty((count, dimensions)), place).t(),
                filled(values.new_empty((count, *values.shape[1:])), row),
                tuple(mine.shape),
            )
            total = each if total is None else total + each
        tensor.detach().copy_(total.coalesce())
        tensor._bump()

    call = Call("all_reduce", tensor.shape, f"{tensor.dtype.name}, TensorLayout=Sparse({dimensions})", str(kind_of(op)))
    return group._run(call, begin, [tensor], async_op)


def padded(t: Tensor, rows: int) -> np.ndarray:
    """The bytes of a tensor, and zeros for the rows that others have more."""
    octets = Held(t).octets()
    width = octets.size // len(t) if len(t) else t[0:0].new_empty((1, *t.shape[1:])).numel() * t.element_size()
    whole = np.zeros(rows * width, np.uint8)
    whole[: octets.size] = octets
    return whole


def filled(t: Tensor, octets: np.ndarray) -> Tensor:
    """A tensor with elements from the first of these bytes."""
    held = Held(t)
    held.put(octets[: held.size * held.dtype.itemsize].copy())
    return t
