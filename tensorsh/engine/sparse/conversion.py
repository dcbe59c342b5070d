"""From one layout to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import endable
from ..arrays import layout as layouts
from ..arrays.backend import device_of, module_of
from ..arrays.errors import broadcast_error
from ..arrays.layout import BLOCKS, ROWS, TITLES, type_of
from .arrays import Compressed, Coo, int64, prod, with_elements
from .folding import starts_of
from .missing import Missing


def coo_of(array: Any, sparse_dim: int) -> Coo:
    """The elements of a dense array that are not zero: where its first dimensions have one anywhere in the others."""
    shape, xp = array.shape, module_of(array)
    if not shape:
        values = array[array != 0]
        return Coo(xp.zeros((0, values.size), int64), values, shape, True)
    present = array != 0
    if sparse_dim < len(shape):
        present = present.any(tuple(range(sparse_dim, len(shape))))
    found = present.nonzero()
    return Coo(xp.stack(found).astype(int64), array[found], shape, True)


def assign(target: Any, source: Any) -> None:
    """Write a sparse array into another."""
    if type(target) is Compressed or type(source) is Compressed:
        return assign_rows(target, source)
    if type(source) is not type(target):
        raise RuntimeError(
            f"copy_() between dense and sparse Tensors is not implemented! Found self type = {type_of(target)} and src type = "
            f"{type_of(source)}"
        )
    target[...] = source.moved(device_of(target))


def assign_rows(target: Any, source: Any) -> None:
    """Write compressed matrices into others, which have as many elements."""
    if type(target) is not Compressed:
        raise RuntimeError(
            f"copy_sparse_compressed_ expected sparse compressed tensor layout but got {title_of(target)}"
        )
    if getattr(source, "layout", None) is not target.layout:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. self layout is "
            f"{title_of(target)} and src layout is {title_of(source)}"
        )
    if source.nnz != target.nnz:
        raise RuntimeError(
            "torch.copy_: only sparse compressed tensors with the same number of specified elements are supported."
        )
    dim, other = (len(x.shape) - (2 if x.by_rows else 1) for x in (target, source))
    if target.shape[dim] != source.shape[other]:
        place = f" {dim} for" if dim == other else f"s {dim} and {other}, respectively, for"
        raise RuntimeError(
            f"torch.copy_: expected shapes of self and src to match along dimension{place} {title_of(target)} layout but the "
            f"corresponding dimensions of self and src are {target.shape[dim]} and {source.shape[other]}, respectively."
        )
    if target.block != source.block:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different block sizes is not supported. self and src block "
            f"sizes are {list(target.block)} and {list(source.block)}, respectively."
        )
    if source.values.shape != target.values.shape:
        raise broadcast_error(target.values.shape, source.values.shape)
    target[...] = source.moved(device_of(target))


def title_of(x: Any) -> str:
    """What error texts call an array's layout."""
    return TITLES[getattr(x, "layout", layouts.strided)]


def nothing(shape: tuple, kind: Any, layout: Any) -> Any:
    """An array without elements."""
    if layout is layouts.sparse_coo:
        return Coo(np.zeros((len(shape), 0), int64), np.zeros(0, kind), shape, True)
    if len(shape) < 2:
        raise RuntimeError(
            f"torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size {list(shape)}"
        )
    if layout in BLOCKS:
        raise RuntimeError(
            f"empty_sparse_compressed expected sparse compressed (non-block) tensor layout but got {TITLES[layout]}"
        )
    lines = shape[-2] if layout in ROWS else shape[-1]
    head = shape[:-2]
    return Compressed(
        layout, np.zeros((*head, lines + 1), int64), np.zeros((*head, 0), int64), np.zeros((*head, 0), kind), shape
    )


def relaid(x: Any, layout: Any, name: str) -> Any:
    """Zeros of an array's size and dtype in another layout, for a function of a name."""
    if name == "empty_like" and not hasattr(x, "layout"):
        raise Missing(layout, "empty_strided")
    if type(x) is Compressed and (name == "empty_like" or layout is layouts.strided):
        raise RuntimeError(
            f"empty_like with different sparse layout is not supported (self is {TITLES[x.layout]} but you requested "
            f"{TITLES[layout]})"
        )
    if layout is layouts.strided:
        return x.xp.zeros(x.shape, x.dtype)
    return nothing(x.shape, x.dtype, layout)


def element_list(at: Any, n: int) -> tuple:
    """Lines and places within them, of places in row order."""
    return (at // n, at % n) if n else (at, at)


def compressed(layout: Any, at: tuple, values: Any, shape: Any, kind: Any = int64) -> Compressed:
    """A compressed matrix of elements (or blocks), sorted by their lines; `at`: those, and the places in them."""
    lines, others = at
    height, width = values.shape[1:3] if layout in BLOCKS else (1, 1)
    count = shape[0] // height if layout in ROWS else shape[1] // width
    return Compressed(layout, starts_of(lines, count).astype(kind), others.astype(kind), values, shape)


def compressed_of(array: Any, layout: Any, block: tuple = (1, 1), dense_dim: int = 0, name: str = "") -> Compressed:
    """The elements of a dense array, or the blocks of it, that are not zero."""
    batch = array.ndim - 2 - dense_dim
    check_block(block, name)
    height, width = block
    n, m = array.shape[batch : batch + 2]
    if n % height or m % width:
        raise RuntimeError(
            f"{name}: tensor sparse size ({n},{m}) must be divisible by given blocksize ({height},{width})"
        )
    rest = array.shape[batch + 2 :]
    grid = array.reshape(prod(array.shape[:batch]), n // height, height, m // width, width, *rest).swapaxes(2, 3)
    present = (grid != 0).any(tuple(range(3, grid.ndim)))
    if not batch:
        return line_list(layout, grid[0], present[0], array.shape)
    if not grid.shape[0]:
        raise RuntimeError(f"to_{str(layout)[6:]}: Expected product of batch dimensions to be non-zero.")
    made = [line_list(layout, g, p, array.shape[batch:]) for g, p in zip(grid, present, strict=True)]
    if any(each.nnz != made[0].nnz for each in made):
        raise RuntimeError("Expect the same number of specified elements per batch.")
    return stacked(made, array.shape[:batch], array.shape)


def check_block(block: tuple, name: str) -> None:
    """RuntimeError: no size of blocks."""
    if len(block) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(block)}")
    if min(block) <= 0:
        raise RuntimeError(f"{name}: blocksize needs to be positive, but got {list(block)}")


def line_list(layout: Any, grid: Any, present: Any, shape: tuple) -> Compressed:
    """One matrix of a batch, as a grid of blocks."""
    rows = layout in ROWS
    lines, others = (present if rows else present.T).nonzero()
    values = grid[lines, others] if rows else grid[others, lines]
    if layout not in BLOCKS:
        values = values.reshape(values.shape[0], *values.shape[3:])
    return compressed(layout, (lines, others), values, shape)


def compressed_from_coo(x: Coo, layout: Any, kind: Any = int64) -> Compressed:
    if x.sparse_dim != 2:
        title = TITLES[layout]
        raise RuntimeError(f"conversion from Sparse to {title} for input tensors with sparse_dim()!=2 is not supported")
    x = x.coalesce()
    rows, columns = x.indices
    values = x.values
    if layout in ROWS:
        return compressed(layout, (rows, columns), values, x.shape, kind)
    order = endable(x.xp.argsort)(columns, kind="stable")
    return compressed(layout, (columns[order], rows[order]), values[order], x.shape, kind)


def coo_from_compressed(x: Compressed) -> Coo:
    rows, columns = x.coordinates()
    height, width = x.block
    if x.batch:
        return coo_of(x.dense(), x.batch + 2)
    values = x.values
    if x.blocked:
        inner = x.xp.indices((height, width)).reshape(2, -1)
        rows = (rows[:, None] * height + inner[0]).reshape(-1)
        columns = (columns[:, None] * width + inner[1]).reshape(-1)
        values = values.reshape(-1, *values.shape[3:])
    indices = x.xp.stack([rows, columns]).astype(int64)
    return Coo(indices, values.copy(), x.shape, x.layout is layouts.sparse_csr)


TURNED = {
    layouts.sparse_csr: layouts.sparse_csc, layouts.sparse_csc: layouts.sparse_csr,
    layouts.sparse_bsr: layouts.sparse_bsc, layouts.sparse_bsc: layouts.sparse_bsr,
}  # fmt: skip


def turned(x: Compressed, a: int, b: int) -> Compressed:
    """Compressed matrices with two dimensions swapped: of the batch, or rows and columns, and the layout its counterpart."""
    batch = x.batch
    if x.dense_dim:
        raise RuntimeError("transpose(): hybrid sparse compressed tensors with dense dimensions are not supported")
    if a == b:
        return x.with_values(x.values)
    kinds = ["Batch" if d < batch else "Sparse" for d in (a, b)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
            f"{a}({kinds[0]}) and {b}({kinds[1]})"
        )
    shape = list(x.shape)
    shape[a], shape[b] = shape[b], shape[a]
    if a < batch:
        starts, others, values = (part.swapaxes(a, b) for part in (x.starts, x.others, x.values))
        return Compressed(x.layout, starts, others, values, shape)
    values = x.values.swapaxes(batch + 1, batch + 2) if x.blocked else x.values
    return Compressed(TURNED[x.layout], x.starts, x.others, values, shape)


def converted(
    x: Any, layout: Any, block: tuple | None = None, dense_dim: int | None = None, general: bool = False
) -> Any:  # fmt: skip
    """An array in another layout; `general`: what was called is no function of this layout."""
    if layout is layouts.strided:
        return x.dense() if hasattr(x, "layout") else x
    if not hasattr(x, "layout"):
        with_elements(x)
        if layout is layouts.sparse_coo:
            return coo_of(x, x.ndim - (dense_dim or 0))
        name = "dense_to_sparse" if general else f"dense_to_{str(layout)[6:]}"
        return compressed_of(x, layout, block or (1, 1), dense_dim or 0, name)
    if x.layout is layout and (block is None or x.block == tuple(block)):
        return x
    if layout is layouts.sparse_coo:
        return coo_from_compressed(x)
    kind = x.starts.dtype if type(x) is Compressed else int64
    if layout in BLOCKS:
        check_blocks(x, layout, block)
        if type(x) is Compressed and x.batch:
            made = [blocks_of(part, layout, block, kind) for part in matrices(x)]
            return stacked(made, x.shape[: x.batch], x.shape)
        return blocks_of(x, layout, block, kind, general)
    if type(x) is Compressed:
        if x.blocked:
            raise RuntimeError(
                f"sparse_compressed_to_{str(layout)[6:]}: expected SparseCsr or SparseCsc layout but got {TITLES[x.layout]}"
            )
        if x.batch:
            each = [converted(part, layout) for part in matrices(x)]
            return stacked(each, x.shape[: x.batch], x.shape)
        x = coo_from_compressed(x)
    return compressed_from_coo(x, layout, kind)


def matrices(x: Compressed) -> list:
    """The matrices of a batch."""
    many = prod(x.shape[: x.batch])
    starts, others, values = (part.reshape(many, *part.shape[x.batch :]) for part in (x.starts, x.others, x.values))
    shape = x.shape[x.batch :]
    return [Compressed(x.layout, *each, shape) for each in zip(starts, others, values, strict=True)]


def stacked(made: list, head: tuple, shape: tuple) -> Compressed:
    """Matrices with the same number of elements as a batch."""
    starts, others, values = (
        (x := made[0].xp.stack([getattr(each, name) for each in made])).reshape(*head, *x.shape[1:])
        for name in ("starts", "others", "values")
    )
    return Compressed(made[0].layout, starts, others, values, shape)


def check_blocks(x: Any, layout: Any, block: Any) -> None:
    """RuntimeError: blocks of another size than a matrix has, or blocks of a batch of elements."""
    if type(x) is not Compressed:
        return
    name, source = str(layout)[6:], TITLES[x.layout]
    if x.blocked and block is not None and tuple(block) != tuple(x.block):
        called = f"to_{name}" if x.layout is layout else f"sparse_compressed_to_{name}"
        raise RuntimeError(
            f"{called}: conversion from {source} to {TITLES[layout]} with blocksize changed from {list(x.block)} to {list(block)} is "
            "not supported"
        )
    if not x.blocked and x.batch:
        raise RuntimeError(
            f"sparse_compressed_to_{name}: conversion from {source} to {TITLES[layout]} for batched inputs is not supported"
        )


def blocks_of(x: Any, layout: Any, block: Any, kind: Any = int64, general: bool = False) -> Compressed:
    """A sparse matrix in blocks: those that have an element."""
    if block is None:
        block = x.block
    height, width = block
    source = "compressed" if type(x) is Compressed else "coo"
    name = f"sparse_{source}_to_{str(layout)[6:]}"
    n, m = x.shape[-2:] if x.ndim == 2 else x.shape[:2]
    if n % height or m % width:
        raise RuntimeError(
            f"{name}: tensor sparse size ({n},{m}) must be divisible by given blocksize ({height},{width})"
        )
    coo = coo_from_compressed(x) if type(x) is Compressed else x.coalesce()
    if coo.sparse_dim != 2:
        called = "sparse_coo_to_sparse" if general else f"coo_to_{str(layout)[6:]}"
        raise RuntimeError(
            f"{called}: conversion from Sparse to {TITLES[layout]} for input tensors with sparse_dim()!=2 is not "
            "supported"
        )
    rows, columns = coo.indices
    wide = m // width
    tall = n // height
    if layout in ROWS:
        at = rows // height * wide + columns // width
        lines = wide
    else:
        at = columns // width * tall + rows // height
        lines = tall
    xp = coo.xp
    found, where = endable(xp.unique)(at, return_inverse=True)
    values = xp.zeros((found.size, height, width, *coo.values.shape[1:]), coo.dtype)
    values[where, rows % height, columns % width] = coo.values
    return compressed(layout, element_list(found, lines), values, x.shape, kind)
