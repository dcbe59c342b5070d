"""Norms of vectors and matrices, distances, and rows brought down to a norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.dtype import COMPLEX, FLOAT, of
from ...arrays.errors import wrap_dim
from ...arrays.layout import along_in_memory, laid_in_rows, row_order
from ...arrays.type_names import type_name
from ...kernels import kernel, unsuited
from ...loading.table import find_function
from ...numerics.arithmetic import multiplied
from ...numerics.products import vectors
from ...numerics.sums import left
from ...operators.composite import not_tensor
from ...operators.declare import Array, composite, operator
from ...operators.reduction import constant, reduced_shape
from ...operators.results import delivered
from ...tensors.tensor import Tensor
from .sums import axes_of

INFINITY = float("inf")


def shown(ord) -> str:
    """A number as C++ prints it."""
    return f"{ord:g}" if isinstance(ord, (int, float)) else str(ord)


EXACT_SIZE = 100_000
"""Up to this many elements norms of all of them are added up in PyTorch's order, as those along a dimension are."""


compiled_squares = kernel("square_sums", unsuited)
sum_in_sequence = kernel("sum_in_sequence", unsuited)


def along_rows(a, axes):
    """The reduced elements as rows that lie one behind the other in memory, if they do so."""
    ndim = a.ndim
    if len(axes) == ndim:
        found = laid_in_rows(a)
        return None if found is None else found[0].reshape(1, -1)
    if len(axes) == 1 and axes[0] == ndim - 1 and a.strides[-1] == a.itemsize:
        return a.reshape(math.prod(a.shape[:-1]), a.shape[-1])
    return None


def in_sequence(a, axes, squared=False):
    """The sums over axes of the elements, or of their squares, each from its first element to its last; flat."""
    if a.size and axes == tuple(range(a.ndim)):
        columns = a.reshape(-1, 1)
    else:
        rest = [i for i in range(a.ndim) if i not in axes]
        shape = [math.prod([a.shape[i] for i in each]) for each in (axes, rest)]
        if 0 in shape:
            return np.zeros(shape[1], a.dtype)
        columns = a.transpose(*axes, *rest).reshape(shape)
    found = compiled_squares(columns.T, True) if squared else None
    if found is not None:
        return found
    if squared:
        columns = columns * columns
    if columns.shape[1] > 1:
        return np.add.reduce(np.ascontiguousarray(columns), 0)
    total = sum_in_sequence(np.ascontiguousarray(columns))
    return np.add.accumulate(columns, 0)[-1] if total is None else total


def square_sums(rows):
    """The sums of squares of rows: eight lanes, the lanes in order, then the rest, the last three rounded once each."""
    if (found := compiled_squares(rows, False)) is not None:
        return found
    lanes = 8 if rows.dtype == np.float32 else 4
    n = rows.shape[1]
    full = n // lanes * lanes
    squares = rows * rows
    if full:
        parts = squares[:, :full].reshape(len(rows), -1, lanes)
        total = np.add.reduce(parts, 1) if full > lanes else parts[:, 0]
        total = np.add.accumulate(total, 1)[:, -1]
    else:
        total = np.zeros(len(rows), rows.dtype)
    fused = full + (n - full) // 4 * 4
    for i in range(full, fused):
        total = total + squares[:, i]
    for i in range(fused, n):
        x = rows[:, i].astype(np.float64)
        total = (x * x + total).astype(rows.dtype)
    return total


def fold(xp, a, ord, axes, keepdims):
    """The norm of an array's elements over some axes, counted from the front."""
    axes = tuple(axes)
    if a.dtype.kind == "c" or ord not in (1, 2):
        a = xp.abs(a)
    kind = a.dtype
    few = a.size <= EXACT_SIZE or len(axes) < a.ndim
    if ord == 2 and type(a) is np.ndarray and few and (len(axes) == 1 or len(axes) == a.ndim):
        found = roots_of_squares(a, axes[0] if len(axes) < a.ndim else None, bool(keepdims))
        if found is not None:
            return found
    if ord == INFINITY:
        return xp.max(a, axis=axes, keepdims=keepdims)
    if ord == -INFINITY:
        return xp.min(a, axis=axes, keepdims=keepdims)
    if ord == 0:
        return xp.add.reduce(a != 0, axis=axes, keepdims=keepdims, dtype=kind)
    if a.size and math.prod([a.shape[d] for d in axes]) == 1:
        return xp.abs(a).reshape(left(a.shape, axes, keepdims))
    turned = type(a) is np.ndarray and len(axes) == 1 and not a.flags.c_contiguous
    if a.size > EXACT_SIZE and turned and laid_in_rows(a):
        total = along_in_memory(lambda b, axis: fold(xp, b, ord, (axis,), False), a, axes[0])
        return row_order(total).reshape(left(a.shape, axes, keepdims))
    if xp is not np or a.size > EXACT_SIZE or not a.size:
        rows = along_rows(a, axes) if ord == 2 and xp is np else None
        if rows is not None:
            total = vectors(rows[0], rows[0]) if len(rows) == 1 else np.einsum("ij,ij->i", rows, rows)
            return np.sqrt(total).reshape(left(a.shape, axes, keepdims))
        powers = xp.abs(a) if ord == 1 else a * a if ord == 2 else xp.power(a, kind.type(ord))
        total = xp.add.reduce(powers, axis=axes, keepdims=keepdims)
    else:
        rows = along_rows(a, axes) if ord == 2 else None
        if rows is not None:
            total = square_sums(rows)
        else:
            total = in_sequence(
                np.abs(a) if ord == 1 else a if ord == 2 else np.power(a, kind.type(ord)), axes, ord == 2
            )
        total = total.reshape(left(a.shape, axes, keepdims))
    if ord == 1:
        return total
    return xp.sqrt(total) if ord == 2 else xp.power(total, kind.type(1.0 / ord))


def plain_norm(x, ord, dim, keepdim, dtype):
    """The 2-norm of an array of floats, of all elements or along a dimension."""
    if ord != 2 or dtype is not None or x.size < 2:
        return None
    if not x.flags.c_contiguous:
        if dim is not None or keepdim or x.size > EXACT_SIZE or laid_in_rows(x) is not None:
            return None
        squares = compiled_squares(x.reshape(1, -1), True)
        return None if squares is None else np.sqrt(squares[0])
    if type(dim) is tuple and len(dim) > 1:
        n = x.ndim
        if len(dim) != n or len({d % n for d in dim if -n <= d < n}) != n:
            return None
        dim = None
    elif type(dim) is tuple and dim:
        dim = dim[0]
    if x.size <= EXACT_SIZE or dim is not None and x.ndim > 1:
        if (found := roots_of_squares(x, dim, bool(keepdim))) is not None:
            return found
    if dim is not None or keepdim:
        return None
    if x.size > EXACT_SIZE:
        x = x.reshape(-1)
        return np.sqrt(vectors(x, x))
    return np.sqrt(square_sums(x.reshape(1, -1))[0])


roots_of_squares = kernel("roots_of_squares", unsuited)


def refuse_complex(name, ord):
    if isinstance(ord, complex):
        raise RuntimeError(f"{name}: Expected a non-complex scalar as the order of norm.")


def require_float(name, kind):
    if kind.category < FLOAT:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {kind.short}")


@operator("linalg.vector_norm", method=False, node="LinalgVectorNormBackward0", wide=True)
def vector_norm(xp, x: Array, ord=2, dim=None, keepdim=False, *, dtype=None):
    """``sum(abs(x) ** ord) ** (1 / ord)`` over `dim` (one, several, or all when None); the limit for 0 and infinities."""
    kind = of(x)
    require_float("linalg.vector_norm", kind)
    refuse_complex("linalg.vector_norm", ord)
    if not isinstance(ord, (int, float, np.number)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(ord)}")
    if dtype is not None:
        if dtype.category < FLOAT or (kind.category == COMPLEX) != (dtype.category == COMPLEX):
            raise RuntimeError(
                "linalg.vector_norm: dtype should be floating point or complex, but got " + dtype.short
                if dtype.category < FLOAT
                else f"linalg.vector_norm: dtype should be {'complex' if kind.category == COMPLEX else 'real'} for "
                f"{'complex' if kind.category == COMPLEX else 'real'} inputs, but got {dtype.short}"
            )
        if dtype.itemsize < kind.itemsize:
            raise RuntimeError(
                f"linalg.vector_norm: the dtype of the input ({kind.short}) should be convertible without narrowing to the "
                f"specified dtype ({dtype.short})"
            )
        x = x.astype(dtype.numpy)
    if (ord < 0 or ord == INFINITY) and 0 in x.shape:
        given = (dim,) if isinstance(dim, (int, np.integer)) else dim
        if given is None or not len(given):
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {shown(ord)} norm on an empty tensor because the operation does not "
                "have an identity"
            )
        for axis in given:
            if not x.shape[wrap_dim(axis, x.ndim)]:
                raise RuntimeError(
                    f"linalg.vector_norm cannot compute the {shown(ord)} norm on the dimension {axis}because this dimension "
                    "is empty and the operation does not have an identity"
                )
    axes = axes_of("linalg.vector_norm", dim, x.ndim)
    return fold(xp, x, ord, tuple(range(x.ndim)) if axes is None else axes, keepdim)


def towards(g, x, length):
    """``g * (x / length)`` of arrays in row order, where no length is zero; None elsewhere."""
    for a in (g, x, length):
        if type(a) is not np.ndarray or a.dtype is not x.dtype or not a.flags.c_contiguous:
            return None
    if not x.ndim or x.dtype.itemsize < 4 or x.dtype.kind != "f" or not length.all():
        return None
    found = np.divide(x, length)
    return np.multiply(g, found, found)


def norm_gradient(t, g, x, ord, result, dim, keepdim):
    """The gradient of a norm; zero where the norm is zero, shared among the largest elements for infinity."""
    if x.shape and not keepdim:
        kept = reduced_shape(x.shape, dim)
        g, result = g.reshape(kept), result.reshape(kept)
    if ord == 0:
        return None
    if ord == 1:
        return t.sgn(x) * g
    if ord == 2 and t.raw and (found := towards(g, x, result)) is not None:
        return found
    zero = constant(t, lambda r: r == 0, result)
    if ord == 2:
        return g * t.masked_fill(x / result, zero, 0)
    if ord in (INFINITY, -INFINITY):
        share = constant(t, lambda a, r: even(np.abs(a), r, dim), x, result)
        return t.sgn(x) * (g * share)
    size = t.abs(x)
    if ord < 1:
        at_zero = constant(t, lambda a: a == 0, x)
        scaled = t.sgn(x) * t.masked_fill(t.pow(size, ord - 1), at_zero, 0)
        return scaled * g * t.pow(result, 1 - ord)
    scaled = t.sgn(x) * t.pow(size, ord - 1) if ord < 2 else x * t.pow(size, ord - 2)
    return scaled * t.masked_fill(g / t.pow(result, ord - 1), zero, 0)


def even(size, extreme, dim):
    mask = (size == extreme) | np.isnan(size)
    axes = axes_of("norm", dim, mask.ndim)
    return mask / mask.sum(axis=axes, keepdims=True, dtype=size.dtype)


vector_norm.gradient(x=lambda t, g, x, ord, result, dim, keepdim: norm_gradient(t, g, x, ord, result, dim, keepdim))

vector_norm.fast = plain_norm


def singular_values(a: Tensor, rows: int, columns: int) -> Tensor:
    """The singular values of the matrices in two dimensions, along the last."""
    others = [i for i in range(a.ndim) if i not in (rows, columns)]
    return find_function("linalg.svdvals")(a.permute((*others, rows, columns)))


@composite("linalg.matrix_norm", method=False)
def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """The norm of matrices in two dimensions: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    name = "linalg.matrix_norm"
    if not isinstance(A, Tensor):
        raise not_tensor("linalg_matrix_norm", A=A)
    n = A._array.ndim
    if ord not in ("fro", "nuc"):
        refuse_complex(name, ord)
        if isinstance(ord, str) or abs(ord) not in (1, 2, INFINITY):
            raise RuntimeError(f"{name}: Order {ord if isinstance(ord, str) else shown(ord)} not supported.")
    if n < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if isinstance(dim, (int, np.integer)) or len(dim) != 2:
        listed = str(dim) if isinstance(dim, (int, np.integer)) else " ".join(map(str, dim))
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {listed}")
    require_float(name, A.dtype)
    rows, columns = wrap_dim(int(dim[0]), n), wrap_dim(int(dim[1]), n)
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return delivered(vector_norm.function(A, 2, None if n == 2 else (rows, columns), keepdim, dtype=dtype), out)
    if ord == "nuc" or abs(ord) == 2:
        values = singular_values(A if dtype is None else A.to(dtype), rows, columns)
        if ord == "nuc":
            result = values.sum(-1, keepdim)
        else:
            result = largest(values, -1, keepdim) if ord > 0 else values.amin(-1, keepdim)
        if keepdim:
            back = [*range(A.ndim - 2)]
            for d, at in sorted([(rows, A.ndim - 2), (columns, A.ndim - 1)]):
                back.insert(d, at)
            result = result.unsqueeze(-1).permute(back)
        return delivered(result, out)
    if abs(ord) == INFINITY:
        rows, columns = columns, rows
    if columns > rows and not keepdim:
        columns -= 1
    sums = vector_norm.function(A, 1, rows, keepdim, dtype=dtype)
    return delivered(largest(sums, columns, keepdim) if ord > 0 else sums.amin(columns, keepdim), out)


def largest(values, dim, keepdim):
    """The largest of norms; 0 where there is none."""
    return values.amax(dim, keepdim) if values.shape[dim] else values.sum(dim, keepdim)


@composite("linalg.norm", method=False)
def linalg_norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    """A vector norm, or a matrix norm where `ord` and two dimensions are given."""
    if isinstance(dim, (int, np.integer)):
        dim = (dim,)
    if isinstance(ord, str):
        if dim is None and A.ndim != 2:
            if A.ndim > 2:
                raise RuntimeError(
                    f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
                )
            dim = (-2, -1)
        if dim is not None and len(dim) == 1:
            dim = dim[0]
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)
    if dim is not None:
        if len(dim) not in (1, 2):
            raise RuntimeError(
                f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got [{', '.join(map(str, dim))}]"
            )
    elif ord is not None and A.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
        )
    if ord is not None and (A.ndim == 2 if dim is None else len(dim) == 2):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)
    keywords = {"out": out} if out is not None else {}
    return vector_norm.function(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype, **keywords)


@composite("norm functional.norm")
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The vector norm over `dim` (all when None); "fro" is 2, "nuc" the nuclear norm of a matrix."""
    keywords = {"out": out} if out is not None else {}
    axes = (dim,) if isinstance(dim, (int, np.integer)) else dim
    if isinstance(p, str):
        if p == "fro" and (axes is None or len(axes) <= 2):
            return vector_norm.function(input, 2, axes, keepdim, dtype=dtype, **keywords)
        return matrix_norm(input, p, tuple(range(input.ndim)) if axes is None else axes, keepdim, dtype=dtype, out=out)
    return vector_norm.function(input, 2.0 if p is None else p, axes, keepdim, dtype=dtype, **keywords)


def check_difference(input: Any, other: Any, p: Any) -> None:
    """RuntimeError where one operand alone is boolean."""
    if (input.dtype.kind == "b") != (getattr(other, "dtype", None) is not None and other.dtype.kind == "b"):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
            "or `logical_not()` operator instead."
        )


@operator(promote="same", out=False, check=check_difference)
def dist(xp, input: Array, other: Array, p=2):
    """The p-norm of ``input - other``."""
    kind = of(input)
    if kind.category < FLOAT:
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind.short} instead.")
    difference = input - other
    return fold(xp, difference, p, tuple(range(difference.ndim)), False)


def dist_gradient(t, g, x, p, result, like):
    return t.sum_to_size(norm_gradient(t, g, x, p, result, None, False), tuple(like.shape))


def negative_dist_gradient(t, g, x, p, result, like):
    if p == 0:
        raise RuntimeError(
            "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'"
        )
    return t.sum_to_size(-norm_gradient(t, g, x, p, result, None, False), tuple(like.shape))


dist.gradient(
    input=lambda t, g, input, other, p, result: (
        dist_gradient(t, g, input - other, p, result, input) if p != 0 else None
    ),
    other=lambda t, g, input, other, p, result: negative_dist_gradient(t, g, input - other, p, result, other),
)


def others(dim, ndim):
    """All dimensions but one."""
    return (*range(dim), *range(dim + 1, ndim))


@operator(inplace=True, wide=True)
def renorm(xp, input: Array, p, dim, maxnorm):
    """The tensor with each slice along `dim` whose p-norm exceeds `maxnorm` scaled down to it."""
    for name, value in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(value, complex):
            raise RuntimeError(f"renorm: {name} must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {shown(maxnorm)}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    require_float("linalg.vector_norm", of(input))
    size = fold(xp, input, p, others(wrap_dim(dim, input.ndim), input.ndim), True)
    factor = xp.where(size > maxnorm, size.dtype.type(maxnorm) / (size + 1e-7), size.dtype.type(1))
    return multiplied(input, factor) if xp is np else input * factor


@renorm.gradient_of("input")
def renorm_gradient(t, g, input, p, dim, maxnorm):
    rest = others(dim % input.ndim, input.ndim)
    size = fold(module_of(input), input, p, rest, True) if t.raw else vector_norm.function(input, p, rest, True)
    inner = t.sum(t.conj(input) * g, rest, True)
    if t.array(inner).dtype.kind == "c":
        inner = t.real(inner)
    inverse = 1 / (size + 1e-7)
    scaled = maxnorm * inverse * (g - inverse * norm_gradient(t, inner, input, p, size, rest, True))
    return t.where(constant(t, lambda s: s > maxnorm, size), scaled, g)
