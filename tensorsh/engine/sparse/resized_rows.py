"""Compressed matrices of another size, in place."""

from __future__ import annotations

from typing import Any

from ..arrays.layout import TITLES, strided
from .arrays import Compressed, Sparse
from .missing import Missing


def laid(xp: Any, array: Any, shape: tuple) -> Any:
    """The elements of an array in another shape: cut off, or with zeros behind them."""
    made = xp.zeros(shape, array.dtype)
    kept = min(made.size, array.size)
    made.reshape(-1)[:kept] = array.reshape(-1)[:kept]
    return made


def resize_rows(x: Any, shape: tuple) -> None:
    """Give compressed matrices another size: new rows are empty, elements that are too many are cut off."""
    if type(x) is not Compressed or x.blocked:
        raise Missing(x, "resize_").worded([])
    if len(shape) < 2:
        raise RuntimeError(f"torch.resize_: Only batched sparse CSR matrices are supported, but got size {list(shape)}")
    if shape[-1] < x.shape[-1]:
        raise RuntimeError(
            "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not supported. The original number of "
            f"columns is {x.shape[-1]} while the requested new number of columns is {shape[-1]}."
        )
    xp, nnz, before = x.xp, x.nnz, x.starts.shape[-1]
    *head, rows, columns = shape
    kept = min(nnz, rows * columns)
    x.starts = laid(xp, x.starts, (*head, rows + 1))
    x.starts[..., before if rows + 1 >= before else rows :] = nnz if rows + 1 >= before else kept
    x.others, x.values = (laid(xp, part, (*head, kept)) for part in (x.others, x.values))
    x.shape = tuple(shape)


def resize_as(x: Any, other: Any) -> None:
    """Give compressed matrices the size of others, and as many elements."""
    for what, each in (("src ", other), ("self ", x)):
        if type(each) is not Compressed:
            layout = each.layout if isinstance(each, Sparse) else strided
            raise RuntimeError(
                f"resize_as_sparse_compressed_: {what} expected sparse compressed tensor layout but got {TITLES[layout]}"
            )
    if x.layout is not other.layout:
        raise RuntimeError(
            f"resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: self ({TITLES[x.layout]}) and "
            f"source ({TITLES[other.layout]})"
        )
    same = x.shape == other.shape and x.dense_dim == other.dense_dim
    for name in ("starts", "others", "values"):
        part, wanted = getattr(x, name), getattr(other, name)
        if not same and name != "values":
            setattr(x, name, wanted.astype(part.dtype))
        elif part.shape != wanted.shape:
            setattr(x, name, laid(x.xp, part, wanted.shape))
    x.shape = other.shape
