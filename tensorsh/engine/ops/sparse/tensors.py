"""Sparse tensors from their parts: ``sparse_coo_tensor``, ``sparse_csr_tensor`` and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import layout as layouts
from ...arrays.device import device as device_type
from ...graph.fields import wrap
from ...operators.declare import Array, composite
from ...sparse.arrays import CPU_ONLY, Compressed, Coo, int64, on_cpu
from ...sparse.conversion import BLOCKS, ROWS, TITLES
from ...sparse.invariants import check_compressed, check_coo, checking
from ...sparse.rules import sparse_operator
from ...tensors.tensor import Tensor
from ..creation.factories import tensor


@sparse_operator("_sparse_coo_tensor", node="SparseCooTensorWithDimsAndTensorsBackward0")
def coo(xp, indices: Array, values: Array, size, coalesced):
    """An array of the elements that have these coordinates."""
    return Coo(indices, values, size, coalesced)


coo.gradient(values=lambda t, g, indices: t._at_coordinates(g, indices))


@sparse_operator("_at_coordinates", node="IndexBackward0")
def at_coordinates(xp, input: Array, indices: Array):
    """The elements at some coordinates, one slice for each column of `indices`."""
    if isinstance(input, Coo):
        from ...sparse.masks import looked_up

        return looked_up(input, indices)
    return input[tuple(indices)] if indices.shape[0] else input[None]


at_coordinates.gradient(
    input=lambda t, g, indices, input_shape: t._to_dense(t._sparse_coo_tensor(g, indices, input_shape, False))
)


@sparse_operator("_sparse_compressed_tensor", node="SparseCompressedTensorBackward0")
def compressed(xp, starts: Array, others: Array, values: Array, size, layout):
    """A compressed matrix of these elements."""
    return Compressed(layout, starts, others, values, size)


compressed.gradient(values=lambda t, g, result: t._values(t._sparse_mask(g, t.detach(result))))


def part(data: Any, dtype: Any = None) -> Tensor:
    """Indices or values, as a tensor."""
    if isinstance(data, Tensor):
        on_cpu(data._array)
        return data if dtype is None or data.dtype is dtype else data.to(dtype)
    return tensor(data, dtype=dtype)


def finished(made: Tensor, device: Any, requires_grad: bool) -> Tensor:
    if device is not None and device_type(device).type != "cpu":
        raise NotImplementedError(CPU_ONLY)
    return made.requires_grad_() if requires_grad else made


def sizes(size: Any) -> tuple:
    return tuple(int(n) for n in size)


@composite(method=False)
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None, is_coalesced: bool | None = None,
) -> Tensor:  # fmt: skip
    """A sparse tensor in coordinate format: `values` at `indices`, one column for each value; what comes twice is summed."""
    if values is None:
        size = sizes(indices if size is None else size)
        kind = tensor([], dtype=dtype)._array.dtype
        made = wrap(Coo(np.zeros((len(size), 0), int64), np.zeros(0, kind), size, True))
        return finished(made, device, requires_grad)
    places = part(indices).detach()._array
    places = places if places.dtype == int64 else places.astype(int64)
    kept = part(values, dtype)
    if not isinstance(values, Tensor) and not kept._array.ndim:
        kept = kept.reshape(1)
    if places.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    count = kept._array.shape[0] if kept._array.ndim else 1
    if places.shape[1] != count:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {places.shape[1]}, nnz from values: {count}"
        )
    if not kept._array.ndim:
        kept = kept.reshape(1)
    dense = kept._array.shape[1:]
    if size is None:
        if places.size and (low := places.min(1)).min() < 0:
            at = int((low < 0).argmax())
            raise RuntimeError(f"found negative index {low[at]} for dim {at}")
        size = (*((places.max(1) + 1).tolist() if places.shape[1] else [0] * places.shape[0]), *dense)
    size = sizes(size)
    if len(size) != places.shape[0] + len(dense):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {places.shape[0]}, "
            f"dense_dim = {len(dense)}"
        )
    if min(size, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if checking(check_invariants):
        check_coo(places, kept._array, size, is_coalesced)
    if requires_grad:
        kept = kept.detach()
    made = coo.function(wrap(places), kept, size, bool(is_coalesced) or not count)
    return finished(made, device, requires_grad)


def build(
    name: str, layout: Any, starts: Any, others: Any, values: Any, size: Any, dtype: Any, device: Any, requires_grad: bool,
    check_invariants: bool | None,
) -> Tensor:  # fmt: skip
    first, second, kept = part(starts).detach(), part(others).detach(), part(values, dtype)
    if size is None:
        size = inferred(layout, first._array, second._array, kept._array)
    size = sizes(size)
    if checking(check_invariants):
        check_compressed(layout, first._array, second._array, kept._array, size)
    if requires_grad:
        kept = kept.detach()
    return finished(compressed.function(first, second, kept, size, layout), device, requires_grad)


def inferred(layout: Any, starts: Any, others: Any, values: Any) -> tuple:
    """The smallest size that holds the elements."""
    batch = starts.ndim - 1
    block = values.shape[batch + 1 : batch + 3] if layout in BLOCKS else (1, 1)
    lines, width = starts.shape[-1] - 1, int(others.max()) + 1 if others.size else 0
    n, m = (lines, width) if layout in ROWS else (width, lines)
    dense = values.shape[batch + (3 if layout in BLOCKS else 1) :]
    return (*starts.shape[:-1], n * block[0], m * block[1], *dense)


@composite(method=False)
def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
) -> Tensor:  # fmt: skip
    """A sparse tensor in one of the compressed formats, CSR, CSC, BSR or BSC, as `layout` says."""
    if layout is None or layout in (layouts.strided, layouts.sparse_coo):
        raise RuntimeError(
            f"sparse_compressed_tensor expected sparse compressed tensor layout but got {TITLES.get(layout, 'none')}"
        )
    return build(
        "sparse_compressed_tensor", layout, compressed_indices, plain_indices, values, size, dtype, device, requires_grad,
        check_invariants,
    )  # fmt: skip


def own_layout(name: str, own: Any, layout: Any) -> Any:
    """The layout of a function's tensors, which it may also be given."""
    if layout not in (None, own):
        raise RuntimeError(f"torch.{name}: expected layout {TITLES[own]} but got {TITLES[layout]}")
    return own


def _enter(function: Any, own: Any, line: str, across: str) -> None:
    """Enter the function that makes tensors of one layout: `line`: row or column; `across`: what the others are."""
    what = "blocks" if own in BLOCKS else "elements"
    function.__doc__ = f"A sparse tensor in {TITLES[own][6:].upper()} format: where each {line}'s {what} begin, their {across}, their values."
    function.__name__ = function.__qualname__ = name_of(own)
    composite(name_of(own), method=False)(function)


def name_of(own: Any) -> str:
    return f"{str(own)[6:]}_tensor"


def _by_rows(own: Any) -> None:
    def function(
        crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: Any = None, layout: Any = None,
        device: Any = None, pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
    ) -> Tensor:  # fmt: skip
        name, options = name_of(own), (dtype, device, requires_grad, check_invariants)
        return build(name, own_layout(name, own, layout), crow_indices, col_indices, values, size, *options)

    _enter(function, own, "row", "columns")


def _by_columns(own: Any) -> None:
    def function(
        ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: Any = None, layout: Any = None,
        device: Any = None, pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
    ) -> Tensor:  # fmt: skip
        name, options = name_of(own), (dtype, device, requires_grad, check_invariants)
        return build(name, own_layout(name, own, layout), ccol_indices, row_indices, values, size, *options)

    _enter(function, own, "column", "rows")


for _layout in (layouts.sparse_csr, layouts.sparse_bsr):
    _by_rows(_layout)
for _layout in (layouts.sparse_csc, layouts.sparse_bsc):
    _by_columns(_layout)
