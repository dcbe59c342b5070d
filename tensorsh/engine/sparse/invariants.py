"""What the parts of a sparse tensor must be to one another, where that is to be checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.backend import fetched, on_device
from ..arrays.dtype import of
from ..arrays.layout import BLOCKS, ROWS
from ..arrays.state import state
from .arrays import places, prod


def checking(asked: bool | None) -> bool:
    """Whether invariants are checked: as a call says, else as is set for all."""
    return state.sparse_invariants if asked is None else asked


def check_coo(indices: Any, values: Any, size: tuple, coalesced: bool | None) -> None:
    """Raise PyTorch's error where coordinates lie outside, or are not as those of a coalesced tensor."""
    if indices.shape[1]:
        for dim, (least, most) in enumerate(zip(indices.min(1).tolist(), indices.max(1).tolist(), strict=True)):
            if least < 0:
                raise RuntimeError(f"found negative index {least} for dim {dim}")
            if most >= size[dim]:
                raise RuntimeError(
                    f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found index {most}"
                )
    if coalesced and (np.diff(places(indices, size[: indices.shape[0]])) <= 0).any().item():
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


def check_compressed(layout: Any, starts: Any, others: Any, values: Any, size: tuple) -> None:
    """Raise PyTorch's error for the first invariant that the parts of a compressed tensor break."""
    rows = layout in ROWS
    first, second = ("crow", "col") if rows else ("ccol", "row")
    lines, width = ("nrows", "ncols") if rows else ("ncols", "nrows")
    batch = starts.ndim - 1
    block = values.shape[batch + 1 : batch + 3] if layout in BLOCKS else (1, 1)
    counts = [n // b for n, b in zip(size[batch : batch + 2], block, strict=True)]
    count, most = counts if rows else reversed(counts)
    if starts.dtype != others.dtype:
        raise RuntimeError(
            f"{first}_indices and {second}_indices must have the same dtype, bot got {of(starts).short} and {of(others).short}, "
            "respectively"
        )
    nnz = values.shape[batch]
    if starts.shape[-1] != count + 1:
        what = "rows" if rows else "columns"
        raise RuntimeError(
            f"{first}_indices.shape[-1] must be equal to the number of {what} + 1 (={count + 1}), but got {starts.shape[-1]}"
        )
    if others.shape[-1] != nnz:
        raise RuntimeError(
            f"{second}_indices.shape[-1] must be equal to nnz (={nnz}) as defined by values.shape[{batch}], but got "
            f"{others.shape[-1]}"
        )
    starts, others = (fetched(x) if on_device(x) else x for x in (starts, others))
    steps = np.diff(starts)
    if (starts[..., 0] != 0).any():
        broken(f"{first}_indices[..., 0] == 0")
    if (starts[..., -1] != nnz).any():
        broken(f"{first}_indices[..., -1] == nnz")
    if ((steps < 0) | (steps > most)).any():
        broken(f"0 <= {first}_indices[..., 1:] - {first}_indices[..., :-1] <= {width}")
    if ((others < 0) | (others >= most)).any():
        broken(f"0 <= {second}_indices < {width}")
    many = prod(starts.shape[:-1])
    for begins, line in zip(starts.reshape(many, starts.shape[-1]), others.reshape(many, nnz), strict=True):
        inner = np.ones(nnz, bool)
        inner[begins[begins < nnz]] = False
        if (np.diff(line)[inner[1:]] <= 0).any():
            broken(
                f"{second}_indices[..., {first}_indices[..., i - 1]:{first}_indices[..., i]] for all i = 1, ..., {lines} are "
                "sorted and distinct along the last dimension values"
            )


def broken(invariant: str) -> None:
    raise RuntimeError(f"`{invariant}` is not satisfied.")
