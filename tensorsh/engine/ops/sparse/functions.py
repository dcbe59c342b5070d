"""The functions of ``torch.sparse``: products, sums and softmax of sparse tensors; matrices from their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import layout as layouts
from ...arrays.backend import module_of
from ...arrays.dtype import of
from ...arrays.errors import check_factors, not_implemented, wrap_dim, wrap_dims
from ...arrays.layout import TITLES
from ...graph.fields import wrap
from ...operators.declare import Array, composite
from ...operators.pointwise import no_derivative
from ...sparse import products
from ...sparse.arrays import Compressed, Coo, Sparse, int64
from ...sparse.conversion import converted
from ...sparse.masks import at_places, looked_up
from ...sparse.missing import Missing, kernels
from ...sparse.rules import RULES, reduced, sparse_operator
from ...sparse.softmax import softmax as softmax_of
from ...sparse.softmax import softmax_backward
from ...tensors.tensor import Tensor
from ...wording.overloads import refuse
from ..creation.factories import zeros
from .layouts import coalesce, values


@sparse_operator("_sparse_addmm", node="SparseAddmmBackward0")
def sparse_addmm(xp, input: Array, mat1: Array, mat2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat1 @ mat2)``."""
    if not isinstance(mat1, Sparse) and not isinstance(mat2, Sparse) and not isinstance(input, Sparse):
        return products.weighed(input, mat1 @ mat2, beta, alpha)
    if beta == 0 and input.ndim == 0 and mat1.ndim == mat2.ndim == 2:
        input = xp.zeros((mat1.shape[0], mat2.shape[1]), mat2.dtype)
    if isinstance(mat2, Sparse) and beta == 0:
        found = products.mm(xp, mat1, mat2)
        return found if not isinstance(found, Compressed) else converted(found, mat2.layout)
    return RULES["addmm"](xp, input, mat1, mat2, beta, alpha)


def times(t, g, alpha):
    return g if alpha == 1 else g * alpha


def first_gradient(t, g, mat1, mat2, alpha):
    found = times(t, t.mm(g, turned(t, mat2)), alpha)
    if not isinstance(t_array(mat1), Sparse):
        return found
    array = t_array(mat1)
    if type(array) is Compressed and array.layout is not layouts.sparse_csr:
        kinds = [TITLES[products.layout_of(t_array(x))] for x in (g, mat1, mat2)]
        raise RuntimeError(
            f"sparse_addmm_sparse_backward: unsupported combination of layouts, grad: {kinds[0]}, mat1: {kinds[1]}, mat2: "
            f"{kinds[2]}"
        )
    mat1 = t.detach(mat1)
    return t._sparse_mask(found, t._coalesce(mat1) if type(t_array(mat1)) is Coo else mat1)


def t_array(x):
    return x._array if isinstance(x, Tensor) else x


def turned(t, x):
    return t.conj(t.t(x))


sparse_addmm.gradient(
    input=lambda t, g, beta: times(t, g, beta),
    mat1=first_gradient,
    mat2=lambda t, g, mat1, alpha: times(t, t.mm(turned(t, mat1), g), alpha),
)


@sparse_operator("_sparse_sparse_matmul", node="SparseSparseMatmulBackward0")
def sparse_matmul(xp, input: Array, other: Array):
    """The product of two sparse matrices."""
    return products.by_sparse(input, other)


sparse_matmul.gradient(
    input=lambda t, g, input, other: t._sparse_mask(
        t._sparse_sparse_matmul(g, turned(t, other)), t._coalesce(t.detach(input))
    ),
    other=lambda t, g, input, other: t._sparse_mask(
        t._sparse_sparse_matmul(turned(t, input), g), t._coalesce(t.detach(other))
    ),
)


@sparse_operator("_sparse_mm_reduce_impl", node="SparseMmReduceImplBackward0", outputs=1)
def mm_reduce(xp, input: Array, other: Array, reduce):
    """The rows' products folded into their sum, mean, largest or smallest."""
    return products.reduced_product(input, other, reduce)


def reduce_gradients(t, g, needs, input, other, reduce, result1):
    matrix, y, at = (t_array(v) for v in (input, other, result1))
    given = t_array(g)
    rows = matrix.rows()
    if reduce in ("sum", "mean"):
        weights = np.ones(rows.size, y.dtype)
        if reduce == "mean":
            weights = (1 / np.maximum(np.diff(matrix.starts), 1)).astype(y.dtype)[rows]
        spread = given[rows] * weights[:, None]
    else:
        spread = np.where(at[rows] == np.arange(rows.size)[:, None], given[rows], 0)
    first = matrix.with_values((spread * y[matrix.others]).sum(1))
    second = np.zeros_like(y)
    np.add.at(second, matrix.others, spread * matrix.values[:, None])
    return [t.constant(first), t.constant(second)]


mm_reduce.joint_gradient(reduce_gradients)


def multipliable(first: Any, second: Any) -> None:
    """Refuse dense matrices that do not fit."""
    if isinstance(first, Sparse) or isinstance(second, Sparse):
        return
    if first.ndim == second.ndim == 2:
        check_factors(first, second)


@composite("sparse.mm", method=False)
def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices of which one is sparse; the gradient of a sparse one is as sparse as it is."""
    if reduce is not None:
        reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
        if reduce not in ("sum", "mean", "amax", "amin"):
            raise RuntimeError(f"sparse_mm_reduce: reduce type of {reduce} has not been enabled.")
        return mm_reduce.function(mat1, mat2, reduce)
    first, second = mat1._array, mat2._array
    if type(first) is Coo and type(second) is Coo:
        return sparse_matmul.function(mat1, mat2)
    if isinstance(first, Sparse):
        if isinstance(second, Sparse) and kernels(second) == "CPU":
            products.check_blocks(second.layout, "zeros")
            products.check_layouts(second.layout, first, second)
        return sparse_addmm.function(zeros((), dtype=mat2.dtype, device=mat2.device), mat1, mat2, beta=0, alpha=1)
    multipliable(second.T, first.T)
    turned_over = sparse_addmm.function(
        zeros((), dtype=mat1.dtype, device=mat1.device), mat2.transpose(-2, -1), mat1.transpose(-2, -1), beta=0, alpha=1
    )
    return turned_over.transpose(-2, -1)


@composite("sparse.addmm", method=False)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``, where the gradient of a sparse `mat1` is as sparse as it is."""
    multipliable(mat1._array, mat2._array)
    return sparse_addmm.function(input, mat1, mat2, beta=beta, alpha=alpha)


@sparse_operator("sparse.sampled_addmm", node="SparseSampledAddmmBackward0", out=True)
def sampled_addmm(xp, input: Array, mat1: Array, mat2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat1 @ mat2)``, only where `input`, in CSR format, has elements."""
    if type(input) is not Compressed:
        raise Missing(input)
    products.check_sampled(input, mat1, mat2)
    if mat1.ndim > 2 and not input.batch:
        input = products.for_each(input, mat1.shape[:-2])
    sampled = at_places(mat1 @ mat2, input)
    return input.with_values(products.weighed(input.values, sampled, beta, alpha))


sampled_addmm.gradient(
    input=lambda t, g, beta: times(t, g, beta),
    mat1=lambda t, g, mat2, alpha: times(t, t.mm(g, turned(t, mat2)), alpha),
    mat2=lambda t, g, mat1, alpha: times(t, t.mm(turned(t, mat1), g), alpha),
)


@sparse_operator("_sparse_sum", node="SparseSumBackward0")
def sum_along(xp, input: Array, dim):
    """The sum over some dimensions; sparse while a sparse dimension is left."""
    if type(input) is not Coo:
        raise Missing(input)
    input = input.coalesce()
    return reduced(input, dim) if dim else input


@sum_along.gradient_of("input")
def sum_gradient(t, g, input, dim):
    array, given = t_array(input).coalesce(), t_array(g)
    xp, sparse = array.xp, array.sparse_dim
    left = [d for d in range(sparse) if d not in dim]
    dense = tuple(d - sparse + 1 for d in dim if d >= sparse)
    if not left:
        rows = xp.broadcast_to(xp.expand_dims(given, tuple(d - 1 for d in dense)), array.values.shape[1:])
        found = xp.broadcast_to(rows, array.values.shape).copy()
    else:
        rows = looked_up(given, array.indices[left]) if isinstance(given, Coo) else given[tuple(array.indices[left])]
        found = xp.broadcast_to(xp.expand_dims(rows, dense), array.values.shape).copy()
    made = array.with_values(found)
    return t.constant(made)


@composite("sparse.sum", method=False)
def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of a sparse tensor's elements, or over some dimensions; its gradient is as sparse as the tensor."""
    refuse("_nn._sparse_sum", (input,) if dim is None else (input, dim), {} if dtype is None else {"dtype": dtype})
    if dim is None:
        return values(coalesce(input)).sum(dtype=dtype) if dtype is not None else values(coalesce(input)).sum()
    if dtype is not None:
        input = input.to(dtype)
    return sum_along.function(input, () if isinstance(dim, (list, tuple)) and not dim else wrap_dims(dim, input.ndim))


def _softmax(name: str, logarithm: bool, what: str) -> None:
    title = "".join(part.title() for part in name.split("_"))

    @sparse_operator(f"_sparse_{name}", node=f"Sparse{title}Backward0")
    def op(xp, input: Array, dim):
        if type(input) is not Coo:
            raise Missing(input)
        if input.dtype.kind not in "fV":
            raise not_implemented(name, input.values)
        return softmax_of(input, wrap_dim(dim, input.ndim), logarithm)

    def gradient(t, g, dim, result):
        result = t_array(result)
        made = softmax_backward(t_array(g), result, wrap_dim(dim, result.ndim), logarithm)
        return t.constant(made)

    op.gradient(input=gradient)

    def function(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        return op.function(input if dtype is None else input.to(dtype), dim)

    function.__doc__ = f"{what} over the elements along `dim` that a sparse tensor keeps."
    composite(f"sparse.{name}", method=False)(function)


_softmax("softmax", False, "Softmax")
_softmax("log_softmax", True, "The logarithm of softmax")


@sparse_operator("sspaddmm", node="NotImplemented", method=True)
def sspaddmm(xp, input: Array, mat1: Array, mat2: Array, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat1 @ mat2)`` of a sparse tensor, a sparse matrix and a dense one, as a sparse tensor."""
    return products.added_sparsely(input, mat1, mat2, beta, alpha)


sspaddmm.gradient(**dict.fromkeys(("input", "mat1", "mat2"), no_derivative("sspaddmm")))


@composite(method=False)
def saddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``, as `sspaddmm` gives it."""
    return sspaddmm.function(input, mat1, mat2, beta=beta, alpha=alpha)


@composite()
def smm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix, as a sparse tensor."""
    if not isinstance(input._array, Sparse):
        raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")
    xp = module_of(mat2._array)
    nothing = Coo(xp.zeros((2, 0), int64), xp.zeros(0, input._array.dtype), (input.shape[0], mat2.shape[1]), True)
    return sspaddmm.function(wrap(nothing), input, mat2, beta=0, alpha=1)


@sparse_operator("hspmm")
def hspmm(xp, mat1: Array, mat2: Array):
    """The product of a sparse and a dense matrix, sparse by rows."""
    return products.hybrid(mat1, mat2)


@composite("sparse.spdiags", method=False)
def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> Tensor:
    """A sparse matrix with the rows of `diagonals` on its diagonals at `offsets`."""
    lines, at = diagonals._array, offsets._array
    if lines.ndim not in (1, 2):
        raise RuntimeError("Diagonals must be vector or matrix")
    if at.ndim > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    lines, at = lines.reshape(1, -1) if lines.ndim == 1 else lines, at.reshape(-1)
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if lines.shape[0] != at.size:
        raise RuntimeError(f"Number of diagonals ({lines.shape[0]}) does not match the number of offsets ({at.size})")
    xp = module_of([lines, at])
    if xp.unique(at).size != at.size:
        raise RuntimeError("Offset tensor contains duplicate values")
    if at.dtype != int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {of(at).short}")
    if layout not in (None, layouts.sparse_coo, layouts.sparse_csr, layouts.sparse_csc):
        raise RuntimeError(f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {TITLES[layout]}")
    rows, columns, found = [xp.zeros(0, int64)], [xp.zeros(0, int64)], [lines[:0].reshape(-1)]
    for line, offset in zip(lines, at.tolist(), strict=True):
        start = max(offset, 0)
        count = max(min(shape[0] + offset, line.size) if offset <= 0 else min(shape[1], line.size) - offset, 0)
        rows.append(xp.arange(count) + max(-offset, 0))
        columns.append(xp.arange(count) + start)
        found.append(line[start : start + count])
    made = Coo(xp.stack([xp.concatenate(rows), xp.concatenate(columns)]), xp.concatenate(found), tuple(shape))
    result = wrap(made)
    return result if layout in (None, layouts.sparse_coo) else result.to_sparse(layout=layout)
