"""``torch.masked._where``: a choice by a mask that may be sparse."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.layout import sparse_coo, sparse_csr, strided
from ...engine.ops.reductions.masked import expanded_mask
from ...engine.tensors.tensor import Tensor
from ..nn.reach import T


def _input_mask(input: Any, *args: Any, mask: Any = None, **kwargs: Any) -> Tensor:  # noqa: A002
    """A mask as masked functions read it: of bools, in the shape and the layout of the input."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    mask = expanded_mask(mask, input)
    if mask.layout is not input.layout:
        to = {strided: "to_dense", sparse_coo: "to_sparse", sparse_csr: "to_sparse_csr"}[input.layout]
        mask = getattr(mask, to)(*[input.sparse_dim()] if input.layout is sparse_coo and mask.layout is strided else [])
    return mask.coalesce() if mask.layout is sparse_coo else mask


def _where(mask: Any, input: Any, fill_value: Tensor) -> Any:
    """`input` where the mask is true. Of a sparse mask the result is sparse, and has the elements that the mask lets in;
    in a dense part of these, what is masked out is `fill_value`."""
    if mask.layout == strided:
        return T.where(mask, input, fill_value)
    if mask.layout == sparse_coo:
        given = mask.coalesce()
        inside = (
            given.values().reshape(given.values().shape[0], -1).any(1) if given.values().dim() > 1 else given.values()
        )
        places = given.indices()[:, inside]
        values = input.to_dense()[tuple(places)]
        return T.sparse_coo_tensor(
            places, T.where(given.values()[inside], values, fill_value), input.shape, is_coalesced=True
        )
    if mask.layout == sparse_csr:
        plain = _where(mask.to_sparse_coo(), input, fill_value)
        rows, columns = plain.indices()
        starts = T.cat([rows.new_zeros(1), T.bincount(rows, minlength=input.shape[0]).cumsum(0)])
        return T.sparse_csr_tensor(starts, columns, plain.values(), input.shape)
    raise ValueError(f"_where expects strided or sparse COO or sparse CSR tensor but got {mask.layout}")
