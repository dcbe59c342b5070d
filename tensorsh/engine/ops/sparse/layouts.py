"""The parts of sparse tensors, and the ways from one layout to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import layout as layouts
from ...arrays.errors import wrap_dim
from ...arrays.layout import BLOCKS, ROWS, TITLES
from ...graph.fields import wrap
from ...operators.declare import Array
from ...operators.registration import add_method
from ...sparse.arrays import Compressed, Coo, Sparse, with_elements
from ...sparse.conversion import check_block, converted, coo_of
from ...sparse.masks import masked
from ...sparse.missing import Missing
from ...sparse.resized_rows import resize_as
from ...sparse.resizing import check_resize
from ...sparse.rules import sparse_operator
from ...tensors.tensor import Tensor
from .tensors import check_sizes


@sparse_operator("_to_dense", node="ToDenseBackward0")
def dense(xp, input: Array, masked_grad=True):
    """The same elements with all zeros."""
    return input.dense() if isinstance(input, Sparse) else input


@dense.gradient_of("input")
def dense_gradient(t, g, input, masked_grad):
    if masked_grad:
        input = t.detach(input)
        return t._sparse_mask(g, t._coalesce(input) if input.layout is layouts.sparse_coo else input)
    array = t.array(input)
    if array.layout is layouts.sparse_coo:
        return t._to_layout(g, array.layout, None, None, array.sparse_dim, None)
    return t._to_layout(g, array.layout, array.block if array.blocked else None, array.dense_dim, None, None)


def in_layout(t, g, layout, block=None):
    """A gradient in the layout of what it is for."""
    return t._to_dense(g) if layout is layouts.strided else t._to_layout(g, layout, block, None, None, None)


def title_of(input, layout, block, dense_dim, sparse_dim, source):
    if layout is layouts.sparse_coo or source is not None and source[1]:
        return "ToSparseBackward0" if sparse_dim is not None else "ToSparseBackward1"
    return f"ToSparse{str(layout)[-3:].title()}Backward0"


@sparse_operator("_to_layout", node=title_of)
def to_layout(xp, input: Array, layout, block, dense_dim, sparse_dim, source):
    """The same elements in another layout; `source`: the layout to which the gradient goes back, and whether `to_sparse` was
    called."""
    with_elements(input)
    if sparse_dim is not None and layout is layouts.sparse_coo:
        return coo_of(input, sparse_dim)
    return converted(input, layout, block, dense_dim, source is not None and source[1])


to_layout.gradient(input=lambda t, g, source: in_layout(t, g, source[0], source[2]))


@sparse_operator("_values", node="ValuesBackward0", view=True)
def values_of(xp, input: Array):
    """The elements that are kept."""
    return input.values


values_of.gradient(input=lambda t, g, input: t._with_values(g, input))


@sparse_operator("_with_values", node="SparseCooTensorWithDimsAndTensorsBackward0")
def with_values(xp, values: Array, like: Array):
    """Other elements at the same places."""
    return like.with_values(values)


with_values.gradient(values=lambda t, g, like: t._values(t._sparse_mask(g, t.detach(like))))


@sparse_operator("_coalesce", node="CoalesceBackward0")
def coalesced(xp, input: Array):
    """Each element once, in order."""
    return input.coalesce()


coalesced.gradient(input=lambda t, g: g)


@sparse_operator("_sparse_mask", node="SparseMaskBackward0")
def mask_by(xp, input: Array, mask: Array):
    """The elements where another array has any."""
    return masked(input, mask)


mask_by.gradient(input=lambda t, g, mask: t._sparse_mask(g, mask))


def method(function: Any) -> Any:
    add_method(function.__name__, function)
    return function


@method
def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The elements of the tensor where a sparse one has any."""
    if mask.layout is layouts.strided:
        raise Missing(self._array)
    mask = mask.detach()
    if self.layout is layouts.strided:
        return dense_masked.function(self, mask)
    return mask_by.function(self, mask)


@sparse_operator("_sparse_mask_dense", node="SparseMaskBackward0")
def dense_masked(xp, input: Array, mask: Array):
    """The elements of a dense array where another has any."""
    return masked(input, mask)


dense_masked.gradient(input=lambda t, g, mask: t._to_dense(t._sparse_mask(g, mask)))


@method
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor with all its elements; itself if it has them."""
    if not isinstance(self._array, Sparse):
        return self if dtype is None else self.to(dtype)
    if dtype is not None:
        name = "sparse" if type(self._array) is Coo else "sparse_csr"
        raise RuntimeError(f"dtype argument is not supported by {name}_to_dense")
    return dense.function(self, masked_grad is not False)


def convert(self: Tensor, layout: Any, block: Any = None, dense_dim: Any = None, general: bool = False) -> Tensor:
    given = self._array
    if isinstance(given, Sparse) and given.layout is layout and (block is None or given.block == tuple(block)):
        return self
    blocks = given.block if isinstance(given, Sparse) and given.layout in BLOCKS else None
    return to_layout.function(self, layout, block, dense_dim, None, (self.layout, general, blocks))


@method
def to_sparse(
    self: Tensor, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: Any = None
) -> Tensor:
    """A sparse tensor of the same elements: in coordinate format with so many sparse dimensions, or in a layout."""
    ndim = self.ndim
    if sparse_dim is not None:
        if isinstance(self._array, Sparse):
            if sparse_dim == self._array.sparse_dim:
                return self
            raise RuntimeError(
                f"to_sparse: conversion from {TITLES[self.layout]} to Sparse with sparse_dim argument !=self.sparse_dim() is not "
                "supported"
            )
        if ndim and sparse_dim == 0:
            raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
        if not 0 <= sparse_dim <= ndim:
            raise RuntimeError(
                f"dense_to_sparse: sparse_dim argument must be in [0,{ndim}] range, but {sparse_dim} is given"
            )
        return to_layout.function(self, layouts.sparse_coo, None, None, sparse_dim, (layouts.strided, True, None))
    layout = layouts.sparse_coo if layout is None else layout
    if layout is layouts.strided:
        return self
    if blocksize is not None and not isinstance(self._array, Sparse):
        check_block(blocksize, "dense_to_sparse")
    if blocksize is not None and layout not in BLOCKS:
        raise RuntimeError(
            f"dense_to_sparse: conversion from Strided to {TITLES[layout]} with blocksize argument given is not supported"
        )
    if isinstance(self._array, Sparse) and self.layout is layout and layout in BLOCKS and blocksize is None:
        raise RuntimeError(
            f"to_sparse: conversion from {TITLES[layout]} to {TITLES[layout]} without blocksize argument given is not supported"
        )
    if not isinstance(self._array, Sparse):
        if blocksize is None and layout in BLOCKS:
            raise RuntimeError(
                f"to_sparse: conversion from Strided to {TITLES[layout]} without blocksize argument is not supported"
            )
        check_dense_dim(self, "dense_to_sparse", layout, dense_dim)
    return convert(self, layout, blocksize, dense_dim, True)


def check_dense_dim(self: Tensor, name: str, layout: Any, dense_dim: Any) -> None:
    most = self.ndim - (0 if layout is layouts.sparse_coo else 2)
    if dense_dim is not None and not 0 <= dense_dim <= most:
        raise RuntimeError(f"{name}: dense_dim argument must be in [0,{most}] range, but {dense_dim} is given")


@method
def to_sparse_coo(self: Tensor) -> Tensor:
    """A sparse tensor of the same elements in coordinate format."""
    return to_sparse(self)


def _converting(layout: Any, blocks: bool) -> None:
    name = f"to_{str(layout)[6:]}"

    def plain(self: Tensor, dense_dim: Any = None) -> Tensor:
        return of(self, None, dense_dim)

    def blocked(self: Tensor, blocksize: Any, dense_dim: Any = None) -> Tensor:
        return of(self, blocksize, dense_dim)

    def of(self: Tensor, blocksize: Any, dense_dim: Any) -> Tensor:
        if not isinstance(self._array, Sparse):
            check_dense_dim(self, f"dense_{name}", layout, dense_dim)
            wrap_dim(-2 if blocks else 1, self.ndim)  # rows and columns
        if isinstance(blocksize, int):
            blocksize = (blocksize, blocksize)
        return convert(self, layout, blocksize, dense_dim)

    function = blocked if blocks else plain
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"A sparse tensor of the same elements in {TITLES[layout][6:].upper()} format."
    method(function)


_converting(layouts.sparse_csr, False)
_converting(layouts.sparse_csc, False)
_converting(layouts.sparse_bsr, True)
_converting(layouts.sparse_bsc, True)


def coordinates(self: Tensor, name: str) -> Coo:
    if type(self._array) is not Coo:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got {TITLES[self.layout]}")
    return self._array


def settled(self: Tensor, name: str) -> Coo:
    array = coordinates(self, name)
    if not array.coalesced:
        raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
    return array


@method
def indices(self: Tensor) -> Tensor:
    """The coordinates of the elements of a coalesced tensor."""
    return wrap(settled(self, "indices").indices)


@method
def values(self: Tensor) -> Tensor:
    """The elements that a sparse tensor keeps."""
    if not isinstance(self._array, Sparse):
        raise RuntimeError("values expected sparse tensor layout but got Strided")
    if type(self._array) is Coo:
        settled(self, "values")
    return values_of.function(self)


@method
def coalesce(self: Tensor) -> Tensor:
    """The tensor with each element once, in order; itself where it is so."""
    return self if coordinates(self, "coalesce").coalesced else coalesced.function(self)


@method
def is_coalesced(self: Tensor) -> bool:
    """Whether each element is there once, and all are in order."""
    return coordinates(self, "is_coalesced").coalesced


def kept(self: Tensor) -> Any:
    if type(self._array) is not Coo:
        raise Missing(self._array)
    return self._array


@method
def _indices(self: Tensor) -> Tensor:
    """The coordinates of the elements, coalesced or not."""
    return wrap(kept(self).indices)


@method
def _values(self: Tensor) -> Tensor:
    """The elements that are kept, without history."""
    return wrap(kept(self).values)


@method
def _nnz(self: Tensor) -> int:
    """How many elements are kept."""
    if not isinstance(self._array, Sparse):
        raise Missing(self._array)
    return self._array.nnz


@method
def _coalesced_(self: Tensor, coalesced: bool) -> Tensor:
    """Say of a tensor in coordinate format whether it is coalesced."""
    kept(self).coalesced = coalesced
    return self


@method
def sparse_resize_(self: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Give a tensor in coordinate format another size."""
    array = kept(self)
    check_sizes(size, sparse_dim, dense_dim)
    check_resize(array, tuple(size), sparse_dim)
    return resized(self, tuple(size), sparse_dim, bool(array.nnz))


def resized(self: Tensor, size: tuple, sparse_dim: int, keep: bool) -> Tensor:
    array = kept(self)
    if not keep:
        xp = array.xp
        array.indices = xp.zeros((sparse_dim, 0), np.int64)
        array.values = xp.zeros((0, *size[sparse_dim:]), array.dtype)
        array.coalesced = True
    elif array.values.shape[1:] != size[sparse_dim:]:
        values = array.xp.zeros((array.nnz, *size[sparse_dim:]), array.dtype)  # in whose memory the old ones come first
        values.reshape(-1)[: array.values.size] = array.values.reshape(-1)
        array.values = values
    array.shape = size
    self._bump()
    return self


@method
def sparse_resize_and_clear_(self: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Give a tensor in coordinate format another size, and take all its elements away."""
    return resized(self, tuple(size), sparse_dim, False)


@method
def resize_as_sparse_(self: Tensor, the_template: Tensor) -> Tensor:
    """Give a sparse tensor the size of another."""
    if Compressed in (type(self._array), type(the_template._array)):
        resize_as(self._array, the_template._array)
        self._bump()
        return self
    array, other = kept(self), kept(the_template)
    if (other.shape, other.sparse_dim) == (array.shape, array.sparse_dim):
        return self
    return sparse_resize_(self, other.shape, other.sparse_dim, other.dense_dim)


@method
def sparse_dim(self: Tensor) -> int:
    """How many dimensions are sparse."""
    return self._array.sparse_dim if isinstance(self._array, Sparse) else 0


@method
def dense_dim(self: Tensor) -> int:
    """How many dimensions are dense."""
    return self._array.dense_dim if isinstance(self._array, Sparse) else self.ndim


@method
def _dimI(self: Tensor) -> int:
    """How many dimensions are sparse."""
    return kept(self).sparse_dim


@method
def _dimV(self: Tensor) -> int:
    """How many dimensions are dense."""
    return kept(self).dense_dim


def _parts(starts: str, others: str, rows: bool) -> None:
    def part(name: str, attribute: str, doc: str) -> None:
        def function(self: Tensor) -> Tensor:
            array = self._array
            coo = not isinstance(array, Sparse) or array.layout is layouts.sparse_coo
            if coo or (array.layout in ROWS) is not rows:
                what = "row" if rows else "column"
                raise RuntimeError(
                    f"{name} expected sparse {what} compressed tensor layout but got {TITLES[self.layout]}"
                )
            return wrap(getattr(array, attribute))

        function.__name__ = function.__qualname__ = name
        function.__doc__ = doc
        method(function)

    line, other = ("row", "columns") if rows else ("column", "rows")
    part(starts, "starts", f"Where the elements of each {line} begin.")
    part(others, "others", f"The {other} of the elements.")


_parts("crow_indices", "col_indices", True)
_parts("ccol_indices", "row_indices", False)
