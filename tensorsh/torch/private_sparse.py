"""Names of ``torch`` that make and check sparse tensors of their parts. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import layout as layouts
from ..engine.arrays.dtype import dtype as Kind
from ..engine.arrays.dtype import int32, int64
from ..engine.arrays.layout import BLOCKS, ROWS, TITLES
from ..engine.graph.fields import wrap
from ..engine.sparse.invariants import check_compressed, check_coo, check_indices
from ..engine.sparse.rules import repeated
from ..engine.tensors.tensor import Tensor
from .root import torch as T  # noqa: N812

COMPRESSED = (layouts.sparse_csr, layouts.sparse_csc, layouts.sparse_bsr, layouts.sparse_bsc)


def _validate_sparse_compressed_tensor_args(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, layout: Any
) -> None:
    """RuntimeError unless the parts make a tensor of a compressed layout."""
    if layout not in COMPRESSED:
        raise RuntimeError(
            f"validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but got {TITLES[layout]}"
        )
    check_compressed(layout, *[part._array for part in (compressed_indices, plain_indices, values)], tuple(size))


def _validate_sparse_coo_tensor_args(
    indices: Tensor, values: Tensor, size: Any, is_coalesced: bool | None = None
) -> None:
    """RuntimeError unless the parts make a tensor in coordinate format."""
    check_coo(indices._array, values._array, tuple(size), is_coalesced)


def _validate_compressed_sparse_indices(
    is_crow: bool, compressed_idx: Tensor, plain_idx: Tensor, cdim: int, dim: int, nnz: int
) -> None:
    """RuntimeError unless indices are those of `cdim` rows (or columns) of `dim` elements each."""
    check_indices(is_crow, compressed_idx._array, plain_idx._array, dim, nnz)


def _sparse_coo_tensor_unsafe(
    indices: Tensor, values: Tensor, size: Any, *, is_coalesced: bool | None = None, **options: Any
) -> Tensor:
    """`sparse_coo_tensor` whose parts are not checked."""
    return T.sparse_coo_tensor(indices, values, size, is_coalesced=is_coalesced, check_invariants=False, **options)


def _sparse_compressed_tensor_unsafe(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, **options: Any
) -> Tensor:
    """`sparse_compressed_tensor` whose parts are not checked."""
    return T.sparse_compressed_tensor(
        compressed_indices, plain_indices, values, size, check_invariants=False, **options
    )


def _sparse_compressed_tensor_with_dims(
    nnz: int, dense_dim: int, size: Any, blocksize: Any, index_dtype: Kind, *, layout: Any, **options: Any
) -> Tensor:
    """A compressed tensor with room for so many elements, or blocks of them, which are yet to be written."""
    name, batch, size = "sparse_compressed_tensor_with_dims", len(size) - dense_dim - 2, tuple(size)
    if layout not in COMPRESSED:
        raise RuntimeError(f"{name} expected sparse compressed tensor layout but got {TITLES[layout]}")
    if batch < 0:
        raise RuntimeError(
            f"{name}: dimensionality must be at least dense_dim(={dense_dim}) + sparse_dim(=2), but got {len(size)}"
        )
    if nnz < 0:
        raise RuntimeError(f"{name}: nnz must be non-negative, got {nnz}")
    if layout in BLOCKS and len(blocksize) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(blocksize)}")
    if layout not in BLOCKS and len(blocksize):
        raise RuntimeError(f"{name}: blocksize cannot be specified for non-block layout {TITLES[layout]}")
    if index_dtype not in (int32, int64):
        raise RuntimeError(f"indices dtype must be Int or Long, but got {index_dtype.short}")
    side, block = 0 if layout in ROWS else 1, tuple(blocksize) or (1, 1)
    head = size[:batch]
    starts = T.zeros((*head, size[batch + side] // block[side] + 1), dtype=index_dtype)
    others = T.zeros((*head, nnz), dtype=index_dtype)
    values = T.empty((*head, nnz, *blocksize, *size[batch + 2 :]), dtype=options.get("dtype"))
    return _sparse_compressed_tensor_unsafe(starts, others, values, size, layout=layout, **options)


def _sparse_broadcast_to(self: Tensor, size: Any) -> Tensor:
    """A tensor in coordinate format, broadcast to a size."""
    array, size = self._array, tuple(size)
    extra = len(size) - array.ndim
    if extra < 0:
        raise RuntimeError(
            f"input not broadcastable to size with smaller dimensionality (input {array.ndim}, size {len(size)})"
        )
    for dim, n in enumerate(array.shape):
        if n not in (1, size[extra + dim]):
            raise RuntimeError(
                f"The input's length {n} at dimension {dim} does not broadcast over the requested shape of length "
                f"{size[extra + dim]} at dimension {extra + dim}"
            )
    return wrap(repeated(array, size))


def _of_layout(layout: Any) -> None:
    """Enter what checks, and what makes without checks, tensors of one layout."""
    name = str(layout)[6:]
    first, second = ("crow_indices", "col_indices") if layout in ROWS else ("ccol_indices", "row_indices")

    def check(a: Tensor, b: Tensor, values: Tensor, size: Any) -> None:
        _validate_sparse_compressed_tensor_args(a, b, values, size, layout)

    def make(a: Tensor, b: Tensor, values: Tensor, size: Any, **options: Any) -> Tensor:
        return _sparse_compressed_tensor_unsafe(a, b, values, size, **{"layout": layout} | options)

    check.__doc__ = f"RuntimeError unless {first}, {second} and values make a tensor in {name[7:].upper()} format."
    make.__doc__ = f"`{name}_tensor` whose parts are not checked."
    for function, title in ((check, f"_validate_{name}_tensor_args"), (make, f"_{name}_tensor_unsafe")):
        function.__name__ = function.__qualname__ = title
        globals()[title] = function


for _layout in COMPRESSED:
    _of_layout(_layout)
SPARSE = {name: value for name, value in globals().items() if name.startswith(("_validate", "_sparse"))}
PUBLIC = {name for name in SPARSE if name.startswith("_validate")} | {"_sparse_broadcast_to"}
"""Those that are names of torch; the others stand below ``torch.ops.aten``."""
