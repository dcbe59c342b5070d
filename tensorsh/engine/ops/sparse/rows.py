"""Sparse gradients: of the rows of a table that were looked up, of the elements that were gathered."""

from __future__ import annotations

import numpy as np

from ...operators.declare import Array
from ...sparse.arrays import Coo, int64
from ...sparse.rules import sparse_operator


@sparse_operator("_embedding_rows")
def rows_kept(xp, grad: Array, indices: Array, rows, padding_idx):
    """The gradient of a table: each looked-up row's at its index; none at `padding_idx`."""
    flat = indices.reshape(-1)
    values = grad.reshape(flat.size, grad.shape[-1])
    if padding_idx >= 0:
        kept = flat != padding_idx
        flat, values = flat[kept], values[kept]
    if xp is np and values.size and (values == values.flat[0]).all():
        values = np.broadcast_to(values.flat[0], values.shape)  # as a sum's gradient is: one number in memory
    return Coo(flat[None].astype(int64), values, (rows, grad.shape[-1]), flat.size < 2)


rows_kept.gradient(grad=lambda t, g, indices, padding_idx: t._embedding(t._to_dense(g), indices, padding_idx))


@sparse_operator("_gather_sparsely")
def elements_kept(xp, grad: Array, dim, index: Array, shape):
    """The gradient of `gather`: each taken element's at its place."""
    if index.ndim and shape:
        places = xp.indices(index.shape).reshape(index.ndim, -1)
        places[dim] = index.reshape(-1)
    else:  # an element of one place, or places in the only element
        places = xp.broadcast_to(index.reshape(1, -1), (1, grad.size))[: len(shape)]
    return Coo(places.astype(int64), grad.reshape(-1), shape)


elements_kept.gradient(grad=lambda t, g, dim, index: t.gather(t._to_dense(g), dim, index))
