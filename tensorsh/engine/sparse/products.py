"""Products of which a factor is sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.long_calls import endable
from ..arrays.dtype import is_half, of
from ..arrays.errors import check_factors, length
from ..arrays.layout import BLOCKS, TITLES, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr
from ..arrays.layout import strided as STRIDED
from ..arrays.views import expanded
from .arrays import Compressed, Coo, Sparse, int64, tell_of
from .conversion import converted, coo_from_compressed
from .folding import stretches, weighed_lines, weighed_rows
from .missing import Missing, kernels
from .rules import add, rule, scaled

ndarray = np.ndarray


def elements(x: Any) -> tuple:
    """Rows, columns and values of a matrix, in the order in which it keeps them."""
    if type(x) is Coo:
        if x.sparse_dim != 2 or x.dense_dim:
            raise RuntimeError(f"addmm: matrices expected, got {x.sparse_dim}D tensor")
        return x.indices[0], x.indices[1], x.values
    if x.batch or x.dense_dim:
        raise Missing(x)
    if x.blocked:
        if x.block[0] != x.block[1] and x.xp is np:
            raise RuntimeError("MKL Sparse doesn't support matrices with non-square blocks.")
        x = coo_from_compressed(x)
        return x.indices[0], x.indices[1], x.values
    rows, columns = x.coordinates()
    return rows, columns, x.values


def by_dense(x: Any, y: Any) -> Any:
    """A sparse matrix times a dense one: for each element its column's row is added, in the order of the elements."""
    if x.ndim != 2 or y.ndim != 2:
        short = y if y.ndim < 2 else x
        if short.ndim >= 2:
            raise RuntimeError(f"addmm: matrices expected, got {max(x.ndim, y.ndim)}D tensor")
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-short.ndim}, {short.ndim - 1}], but got 1)"
        )
    if x.shape[1] != y.shape[0]:
        if type(x) is Compressed:
            check_matrices(x, y)
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {x.shape[1]}, got {y.shape[0]}")
    if x.dtype != y.dtype:
        raise RuntimeError(f"expected scalar type {of(x).short} but found {of(y).short}")
    kind = np.dtype(np.float32) if is_half(x.dtype) else x.dtype
    y = y.astype(kind, copy=False)
    if x.xp is not np and x.layout is sparse_csr and not (x.batch or x.dense_dim):
        made = weighed_lines(x.values.astype(kind, copy=False), y, x.others, x.starts)
    else:
        rows, columns, values = elements(x)
        made = weighed_rows(
            values.astype(kind, copy=False), y, columns, rows, x.shape[0], type(x) is Coo and x.coalesced
        )
    return made.astype(x.dtype, copy=False)


def by_sparse(x: Any, y: Any) -> Coo:
    """The product of two sparse matrices, coalesced."""
    check_factors(x, y)
    if x.dtype != y.dtype:
        raise RuntimeError(f"mat1 dtype {of(x).short} does not match mat2 dtype {of(y).short}")
    tell_of(sparse_csr)  # which PyTorch makes of them
    x, y = (each.coalesce() if type(each) is Coo else each for each in (x, y))
    rows, inner, left = elements(x)
    lines, columns, right = elements(y)
    xp = x.xp
    order = endable(xp.argsort)(lines, kind="stable")
    lines, columns, right = lines[order], columns[order], right[order]
    first, last = xp.searchsorted(lines, inner, side="left"), xp.searchsorted(lines, inner, side="right")
    mine, within = stretches(last - first)
    other = first[mine] + within
    indices = xp.stack([rows[mine], columns[other]]).astype(int64)
    return Coo(indices, left[mine] * right[other], (x.shape[0], y.shape[1])).coalesce()


def check_matrices(x: Any, y: Any) -> None:
    """RuntimeError: factors, of which one is compressed, that are no matrices of fitting shapes."""
    for name, each in (("mat1", x), ("mat2", y)):
        if each.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor")
    check_factors(x, y)


@rule("mm")
def mm(xp: Any, x: Any, y: Any) -> Any:
    """The product of two matrices: dense where one of them is."""
    if Compressed in (type(x), type(y)):
        length(x.shape, 0)
        length(y.shape, 1)
        check_matrices(x, y)
    if not isinstance(x, Sparse):
        if x.ndim == 2 and y.ndim == 2 and x.shape[1] != y.shape[0]:
            raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {y.shape[0]}, got {x.shape[1]}")
        check_layouts(STRIDED, x, y)
        return xp.ascontiguousarray(by_dense(y.T, x.T).T)
    if not isinstance(y, Sparse):
        check_layouts(STRIDED, x, y)
        return by_dense(x, y)
    if type(x) is not type(y) or type(x) is Compressed:
        result = layout_of(x)
        check_blocks(result, "zeros")
        check_layouts(result if type(x) is Coo or (sparse_csr, x.layout, y.layout) not in SUMMED else sparse_csr, x, y)
    found = by_sparse(x, y)
    return found if type(x) is Coo else converted(found, sparse_csr)


@rule("mv")
def mv(xp: Any, x: Any, y: Any) -> Any:
    if Coo in (type(x), type(y)) and (x.ndim != 2 or y.ndim != 1):
        raise RuntimeError(
            f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {x.ndim}Tensor Dim: {y.ndim}"
        )
    if not isinstance(x, Sparse) and type(y) is Coo:
        return x @ y.dense()
    if x.ndim != 2 or y.ndim != 1 or isinstance(y, Sparse):
        raise Missing(y if isinstance(y, Sparse) else x)
    if x.layout is sparse_bsc and xp is np:
        raise RuntimeError("torch.addmv: operation not supported for mat with SparseBsc layout")
    if x.shape[1] != y.shape[0] and type(x) is Compressed:
        raise RuntimeError(
            f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({y.shape[0]})"
        )
    if x.shape[1] != y.shape[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    return by_dense(x, y[:, None])[:, 0]


@rule("addmv")
def addmv(xp: Any, input: Any, x: Any, y: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    if type(x) is not Compressed:
        raise Missing(x)
    if not input.dtype == x.dtype == y.dtype:
        given: list = [input, x, y]
        first, second, third = (of(each).short for each in given)
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {first}, {second}, and {third}")
    return weighed(input, mv(xp, x, y), beta, alpha)


def weighed(input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    if alpha != 1:
        product = product * product.dtype.type(alpha)
    if beta == 0:
        return product
    return (input if beta == 1 else input * input.dtype.type(beta)) + product


@rule("addmm")
def addmm(xp: Any, input: Any, x: Any, y: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (x @ y)``."""
    if Compressed in (type(input), type(x), type(y)):
        return summed_rows(xp, input, x, y, beta, alpha)
    if type(input) is Coo:
        if (x.shape[0], y.shape[1]) != input.shape:
            raise RuntimeError("expand is unsupported for Sparse tensors")
        raise RuntimeError("addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse")
    if not isinstance(x, Sparse) or isinstance(y, Sparse):
        raise RuntimeError(
            "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have strided layout, got 'mat1' with "
            f"layout {TITLES[getattr(x, 'layout', STRIDED)]} and 'mat2' with layout {TITLES[getattr(y, 'layout', STRIDED)]}"
        )
    if x.ndim != 2 or y.ndim != 2:
        return by_dense(x, y)
    shape = (x.shape[0], y.shape[1])
    return weighed(expanded(input, shape), mm(xp, x, y), beta, alpha)


def summed_rows(xp: Any, input: Any, x: Any, y: Any, beta: Any, alpha: Any) -> Any:
    """The same where an operand is compressed."""
    check_matrices(x, y)
    result = layout_of(input)
    check_blocks(result, "empty")
    if any(isinstance(each, Sparse) and not each.nnz for each in (x, y)):
        if result is not STRIDED:
            return kept(input, beta)
        whole = expanded(input, (x.shape[0], y.shape[1]))
        return whole * whole.dtype.type(beta) if beta else xp.zeros(whole.shape, whole.dtype)
    check_layouts(result, x, y)
    if result is not STRIDED:
        return add(xp, kept(input, beta), scaled(converted(by_sparse(x, y), result), alpha))
    both = isinstance(x, Sparse) and isinstance(y, Sparse)
    product = by_sparse(x, y).dense() if both else mm(xp, x, y)
    return weighed(expanded(input, (x.shape[0], y.shape[1])), product, beta, alpha)


def kept(x: Any, beta: Any) -> Any:
    """What of a sparse matrix stays in a sum: nothing for a weight of zero, of NaN neither."""
    return scaled(x, beta) if beta != 0 else x.with_values(x.xp.zeros(x.values.shape, x.values.dtype))


def layout_of(x: Any) -> Any:
    return getattr(x, "layout", STRIDED)


def check_blocks(layout: Any, what: str) -> None:
    """RuntimeError: a result in blocks."""
    if layout in BLOCKS:
        raise RuntimeError(
            f"{what}_sparse_compressed expected sparse compressed (non-block) tensor layout but got {TITLES[layout]}"
        )


def check_layouts(result: Any, x: Any, y: Any) -> None:
    """RuntimeError: a product of compressed matrices that PyTorch does not add to a result in such a layout."""
    layouts = (result, layout_of(x), layout_of(y))
    rows = Compressed in (type(x), type(y)) or result not in (STRIDED, sparse_coo)
    if rows and layouts not in SUMMED and kernels(x) == "CPU":
        first, second, third = (TITLES[each] for each in layouts)
        raise RuntimeError(f"addmm: computation on CPU is not implemented for {first} + {second} @ {third}")


PAIRS = tuple((one, other) for one in (sparse_csr, sparse_csc) for other in (sparse_csr, sparse_csc))
SUMMED = {
    *((STRIDED, STRIDED, other) for other in (sparse_csr, sparse_csc, sparse_bsc)),
    *((STRIDED, one, STRIDED) for one in (sparse_csr, sparse_csc, sparse_bsr)),
    *((STRIDED, *pair) for pair in PAIRS if pair != (sparse_csc, sparse_csr)),
    *((sparse_csr, *pair) for pair in PAIRS),
    (sparse_csc, sparse_csc, sparse_csc),
}
"""The layouts of a result and of two factors, of which one at least is compressed, that a processor adds."""


@rule("bmm")
def bmm(xp: Any, x: Any, y: Any) -> Any:
    """The products of the matrices of a sparse batch and a dense one."""
    if type(x) is not Coo:
        raise Missing(x if isinstance(x, Sparse) else y)
    if isinstance(y, Sparse):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if x.sparse_dim != 3 or y.ndim != 3 or x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise RuntimeError(f"bmm_sparse: Argument #2: Expected dim 1 size {x.shape[2]}, got {y.shape[1]}")
    batch, rows, columns = x.coalesce().indices
    flat = y.reshape(y.shape[0] * y.shape[1], y.shape[2])
    made = weighed_rows(
        x.coalesce().values, flat, batch * y.shape[1] + columns, batch * x.shape[1] + rows, x.shape[0] * x.shape[1]
    )
    return made.reshape(x.shape[0], x.shape[1], y.shape[2])


def spread_rows(x: Coo, y: Any) -> tuple:
    """The rows that a sparse matrix has elements in, and their products with a dense matrix."""
    rows, where = x.xp.unique(x.indices[0], return_inverse=True)
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(f"hspmm: Argument #3: Expected dim 0 size {x.shape[1]}, got {y.shape[0]}")
    return rows, weighed_rows(x.values, y, x.indices[1], where, rows.size)


def hybrid(x: Any, y: Any) -> Coo:
    for each, kept in ((x, True), (y, False)):
        if isinstance(each, Sparse) is not kept:
            raise Missing(each, "hspmm")
    rows, made = spread_rows(x, y)
    return Coo(rows[None], made, (x.shape[0], y.shape[1]))


def added_sparsely(input: Coo, x: Coo, y: Any, beta: Any, alpha: Any) -> Coo:
    """``beta * input + alpha * (x @ y)`` with all elements of the rows that `x` has any in."""
    if type(input) is not Coo:
        raise Missing(input, "sspaddmm")
    for name, each, kind, layout in (("mat1", x, "sparse", sparse_coo), ("mat2", y, "strided", STRIDED)):
        found = getattr(each, "layout", STRIDED)
        if found is not layout:
            raise RuntimeError(
                f"sspaddmm: expected '{name}' to have {kind} layout, got '{name}' with layout {TITLES[found]}"
            )
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(f"sspaddmm: Argument #3: Expected dim 0 size {x.shape[1]}, got {y.shape[0]}")
    for dim, n in enumerate((x.shape[0], y.shape[1])):
        if input.shape[dim] != n:
            raise RuntimeError(f"sspaddmm: Argument #1: Expected dim {dim} size {n}, got {input.shape[dim]}")
    rows, made = spread_rows(x, y)
    width = y.shape[1]
    xp = x.xp
    new = xp.stack([xp.repeat(rows, width), xp.tile(xp.arange(width), rows.size)]).astype(int64)
    values = made.reshape(-1) if alpha == 1 else (made * made.dtype.type(alpha)).reshape(-1)
    old = input.values if beta == 1 else input.values * input.dtype.type(beta)
    return Coo(xp.concatenate([input.indices, new], 1), xp.concatenate([old, values]), input.shape)


def reduced_product(x: Any, y: Any, reduce: str) -> tuple:
    """For each row the sum, mean, largest or smallest of the products of its elements; and which elements gave the extremes."""
    if type(x) is not Compressed or isinstance(y, Sparse) or x.xp is not np:
        raise Missing(x if isinstance(x, Sparse) else y)
    if reduce in ("sum", "mean"):
        made = by_dense(x, y)
        if reduce == "mean":
            made = made / np.maximum(np.diff(x.starts), 1)[:, None].astype(made.dtype)
        return made, np.zeros(0, int64)
    terms = x.values[:, None] * y[x.others]
    rows = x.rows()
    made = np.full((x.shape[0], y.shape[1]), -np.inf if reduce == "amax" else np.inf, x.dtype)
    (np.maximum if reduce == "amax" else np.minimum).at(made, rows, terms)
    at = np.full(made.shape, x.nnz, int64)
    numbers = np.where(terms == made[rows], np.arange(x.nnz)[:, None], x.nnz)
    np.minimum.at(at, rows, numbers)
    made[np.diff(x.starts) == 0] = 0
    return made, at


def check_sampled(input: Any, x: Any, y: Any) -> None:
    """RuntimeError unless matrices can be multiplied where compressed ones have elements."""
    name, said = "sampled_addmm", "Expected"
    for title, each in (("mat1", x), ("mat2", y)):
        if isinstance(each, Sparse):
            raise RuntimeError(f"{name}: {said} {title} to have strided layout, but got {TITLES[each.layout]}")
    if input.dense_dim:
        raise RuntimeError(f"{name}: {said} non-hybrid self tensor")
    for title, each in (("mat2", y), ("self", input)):
        if each.dtype != x.dtype:
            raise RuntimeError(
                f"{name}: {said} mat1 and {title} to have the same dtype, but got {of(x).short} and {of(each).short}"
            )
    for title, each in (("mat1", x), ("mat2", y)):
        if each.ndim < 2:
            raise RuntimeError(f"{name}: {said} {title} to be a matrix, got {each.ndim}-D tensor")
    if x.shape[:-2] != y.shape[:-2]:
        raise RuntimeError(
            f"{name}: {said} mat1 and mat2 to have the same batch size, but got {list(x.shape[:-2])} and {list(y.shape[:-2])}"
        )
    if input.batch and input.shape[:-2] != x.shape[:-2]:
        raise RuntimeError(
            f"{name}: {said} self and mat1 to have the same batch size, but got {list(input.shape[:-2])} and {list(x.shape[:-2])}"
        )
    if x.shape[-1] != y.shape[-2]:
        raise RuntimeError(
            f"{name}: mat1 and mat2 shapes cannot be multiplied ({x.shape[-2]}x{x.shape[-1]} and {y.shape[-2]}x{y.shape[-1]})"
        )
    for side, title, each in ((-2, "mat1", x), (-1, "mat2", y)):
        if input.shape[side] != each.shape[side]:
            raise RuntimeError(f"{name}: self.shape[{side}] must match {title}.shape[{side}]")


def for_each(x: Compressed, head: tuple) -> Compressed:
    """A compressed matrix once for each place of a batch."""
    xp = x.xp
    starts, others, values = (
        xp.broadcast_to(part, (*head, *part.shape)).copy() for part in (x.starts, x.others, x.values)
    )
    return Compressed(x.layout, starts, others, values, (*head, *x.shape))
