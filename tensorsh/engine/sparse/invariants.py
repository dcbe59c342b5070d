"""What the parts of a sparse tensor must be to one another, where that is to be checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.backend import fetched, on_device
from ..arrays.dtype import of
from ..arrays.layout import BLOCKS, ROWS
from ..arrays.state import state
from ..arrays.warning import warn_of_old
from .arrays import prod
from .folding import places


def checking(asked: bool | None) -> bool:
    """Whether invariants are checked: as a call says, else as is set for all."""
    asked = state.sparse_invariants if asked is None else asked
    if asked is None:
        warn_of_old("invariants")
    return bool(asked)


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
    rows, blocked = layout in ROWS, layout in BLOCKS
    first, second = names_of(rows)
    check_dims(layout, starts, others, values)
    for name, part in ((second, others), (first, starts)):
        if part.shape[-1] > 1 and part.size and part.strides[-1] != part.itemsize:
            raise RuntimeError(f"expected {name} to be a contiguous tensor per batch")
    check_size(starts.ndim - 1, values.ndim - starts.ndim - (2 if blocked else 0), size)
    batch = starts.ndim - 1
    block = tuple(max(n, 1) for n in values.shape[batch + 1 : batch + 3]) if blocked else (1, 1)
    sizes = [x.shape[:batch] for x in (starts, others, values)]
    if any(n != tuple(size[:batch]) for n in sizes):
        told = [f"{name} (={list(n)})" for name, n in zip((first, second, "values"), sizes, strict=True)]
        raise RuntimeError(
            f"all batch dimensions of {told[0]}, {told[1]}, and {told[2]} must be equal to tensor batch dimensions "
            f"(={list(size[:batch])})"
        )
    for side, n in enumerate(block):
        if size[batch + side] % n:
            raise RuntimeError(
                f"tensor shape[{batch + side}] (={size[batch + side]}) must be divisible with blocksize[{side}] (={n}) as defined "
                "by values shape"
            )
    counts = [n // b for n, b in zip(size[batch : batch + 2], block, strict=True)]
    count, most = counts if rows else reversed(counts)
    nnz = values.shape[batch]
    if starts.shape[-1] != count + 1:
        what = ("row blocks" if blocked else "rows") if rows else "column blocks" if blocked else "columns"
        raise RuntimeError(
            f"{first}.shape[-1] must be equal to the number of {what} + 1 (={count + 1}), but got {starts.shape[-1]}"
        )
    if others.shape[-1] != nnz:
        raise RuntimeError(
            f"{second}.shape[-1] must be equal to nnz (={nnz}) as defined by values.shape[{batch}], but got {others.shape[-1]}"
        )
    if starts.dtype != others.dtype:
        raise RuntimeError(
            f"{first} and {second} must have the same dtype, bot got {of(starts).short} and {of(others).short}, respectively"
        )
    if starts.dtype not in (np.int32, np.int64):
        raise RuntimeError(f"{first} and {second} dtype must be Int or Long, but got {of(starts).short}")
    check_indices(rows, starts, others, most, nnz)


def names_of(rows: bool) -> tuple[str, str]:
    return ("crow_indices", "col_indices") if rows else ("ccol_indices", "row_indices")


def check_size(batch: int, dense: int, size: tuple) -> None:
    if len(size) != batch + 2 + dense:
        raise RuntimeError(
            f"tensor dimensionality must be sum of batch, base, and dense dimensionalities (={batch} + 2 + {dense}) but got "
            f"{len(size)}"
        )


def check_dims(layout: Any, starts: Any, others: Any, values: Any) -> None:
    """Raise where the parts' numbers of dimensions do not fit."""
    batch, blocks = starts.ndim - 1, 2 if layout in BLOCKS else 0
    first, second = names_of(layout in ROWS)
    if batch < 0:
        raise RuntimeError(f"{first} must have dimensionality >= 1 but got 0")
    if starts.ndim != others.ndim:
        raise RuntimeError(
            f"{first} and {second} dimensionalities must be equal but got {starts.ndim} and {others.ndim}, respectively"
        )
    dense = values.ndim - batch - blocks - 1
    if dense < 0:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + {blocks}) but got {values.ndim}"
        )


def check_indices(rows: bool, starts: Any, others: Any, most: int, nnz: int) -> None:
    """Raise where the lines of compressed matrices begin nowhere, or their elements lie outside or are not in order."""
    (first, second), (lines, width) = names_of(rows), ("nrows", "ncols") if rows else ("ncols", "nrows")
    starts, others = (fetched(x) if on_device(x) else x for x in (starts, others))
    steps = np.diff(starts)
    if (starts[..., 0] != 0).any():
        broken(f"{first}[..., 0] == 0")
    if (starts[..., -1] != nnz).any():
        broken(f"{first}[..., -1] == nnz")
    if ((steps < 0) | (steps > most)).any():
        broken(f"0 <= {first}[..., 1:] - {first}[..., :-1] <= {width}")
    if ((others < 0) | (others >= most)).any():
        broken(f"0 <= {second} < {width}")
    many = prod(starts.shape[:-1])
    for begins, line in zip(starts.reshape(many, starts.shape[-1]), others.reshape(many, nnz), strict=True):
        inner = np.ones(nnz, bool)
        inner[begins[begins < nnz]] = False
        if (np.diff(line)[inner[1:]] <= 0).any():
            broken(
                f"{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {lines} are sorted and distinct along "
                "the last dimension values"
            )


def broken(invariant: str) -> None:
    raise RuntimeError(f"`{invariant}` is not satisfied.")
