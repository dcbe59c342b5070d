"""Sparse tensors from their parts: ``sparse_coo_tensor``, ``sparse_csr_tensor`` and its kin."""

from __future__ import annotations

from typing import Any

from ...arrays import layout as layouts
from ...arrays.backend import check_device, device_of, module_of
from ...arrays.device import device as device_type
from ...arrays.device_guard import index_of, on
from ...arrays.extents import count as numel
from ...arrays.layout import BLOCKS, ROWS, TITLES
from ...arrays.state import here
from ...graph.fields import wrap
from ...operators.declare import Array, composite
from ...sparse.arrays import Compressed, Coo, int64, with_elements
from ...sparse.invariants import check_compressed, check_coo, check_dims, checking
from ...sparse.rules import sparse_operator
from ...tensors.tensor import Tensor, wanting
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


def part(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Indices or values, as a tensor, on a device; without one a tensor is where it is."""
    if isinstance(data, Tensor):
        with_elements(data._array)
        if dtype is None and device is None:
            return data
        return data.to(device=device, dtype=dtype)
    return tensor(data, dtype=dtype, device=device)


def finished(made: Tensor, requires_grad: bool) -> Tensor:
    return wanting(made) if requires_grad else made


def wanted(device: Any) -> Any:
    """The device that is asked for, or that is the default; None where neither is."""
    device = here.default_device if device is None else device
    if device is None or (device := device_type(device)).type == "cpu":
        return device
    return check_device(device)


def together(indices: Any, values: Any) -> None:
    """RuntimeError, PyTorch's, unless coordinates lie where the values do."""
    own, there = device_of(indices), device_of(values)
    if own.type != there.type:
        raise RuntimeError(
            f"backend of indices ({own.type.upper()}) must match backend of values ({there.type.upper()})"
        )
    if own != there:
        raise RuntimeError(f"device of indices ({own.index}) must match device of values ({there.index})")


def sizes(size: Any) -> tuple:
    return tuple(int(n) for n in size)


@composite(method=False)
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None, is_coalesced: bool | None = None,
) -> Tensor:  # fmt: skip
    """A sparse tensor in coordinate format: `values` at `indices`, one column for each value; what comes twice is summed."""
    device = wanted(device)
    if values is None:
        size = sizes(indices if size is None else size)
        kept = part([], dtype, device)
        places = module_of(kept._array).zeros((len(size), 0), int64)
        checking(check_invariants)
        return finished(wrap(Coo(places, kept._array, size, True)), requires_grad)
    kept = part(values, dtype, device)
    # Lists of coordinates go where the values are.
    places = part(indices, None, device if isinstance(indices, Tensor) else kept.device).detach()._array
    places = places if places.dtype == int64 else places.astype(int64)
    together(places, kept._array)
    if not isinstance(values, Tensor) and not kept._array.ndim:
        kept = kept.reshape(1)
    with on(index_of([places])):
        return of_coordinates(places, kept, size, requires_grad, check_invariants, is_coalesced)


def check_sizes(size: Any, sparse_dim: int, dense_dim: int) -> None:
    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {sparse_dim}, "
            f"dense_dim = {dense_dim}"
        )


def of_coordinates(
    places: Any, kept: Tensor, size: Any, requires_grad: bool, check_invariants: bool | None, is_coalesced: bool | None
) -> Tensor:
    """A tensor of coordinates, as an array, and values, which are held against each other."""
    if places.ndim != 2:
        if size is not None:
            check_sizes(sizes(size), places.shape[0] if places.ndim else 1, max(kept.ndim - 1, 0))
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
        for at, low in enumerate(places.min(1).tolist() if places.size else ()):
            if low < 0:
                raise RuntimeError(f"found negative index {low} for dim {at}")
        size = (*((places.max(1) + 1).tolist() if places.shape[1] else [0] * places.shape[0]), *dense)
    size = sizes(size)
    check_sizes(size, places.shape[0], len(dense))
    if size[places.shape[0] :] != dense:
        expected = [count, *size[places.shape[0] :]]
        raise RuntimeError(f"values has incorrect size, expected {expected}, got {[count, *dense]}")
    if min(size, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    numel(size)
    if checking(check_invariants):
        check_coo(places, kept._array, size, is_coalesced)
    if requires_grad:
        kept = kept.detach()
    made = coo.function(wrap(places), kept, size, count < 2 if is_coalesced is None else is_coalesced or not count)
    return finished(made, requires_grad)


def build(
    name: str, layout: Any, starts: Any, others: Any, values: Any, size: Any, dtype: Any, device: Any, requires_grad: bool,
    check_invariants: bool | None,
) -> Tensor:  # fmt: skip
    device = wanted(device)
    kept = part(values, dtype, device)
    first, second = (part(x, None, device if isinstance(x, Tensor) else kept.device).detach() for x in (starts, others))
    if not device_of(first._array) == device_of(second._array) == device_of(kept._array):
        raise RuntimeError("Values and compressed tensor instance need to be on the same device.")
    parts = first._array, second._array, kept._array
    with on(index_of(parts)):
        size = sizes(inferred(layout, *parts) if size is None else size)
        if checking(check_invariants):
            check_compressed(layout, *parts, size)
        return finished(
            compressed.function(first, second, kept.detach() if requires_grad else kept, size, layout), requires_grad
        )


def inferred(layout: Any, starts: Any, others: Any, values: Any) -> tuple:
    """The smallest size that holds the elements."""
    check_dims(layout, starts, others, values)
    batch = starts.ndim - 1
    block = values.shape[batch + 1 : batch + 3] if layout in BLOCKS else (1, 1)
    lines, width = starts.shape[-1] - 1, int(others.max().item()) + 1 if others.size else 0
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
