"""Products of whole tensors: tensordot, inner, outer, kron, chains and powers of matrices.

All are made of permutations, reshapes and the products of matmul.py, in the steps PyTorch takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.errors import cpp_name, length, wrap_dim
from ...arrays.state import here
from ...arrays.type_names import type_name
from ...arrays.warning import warn_of_old
from ...graph.fields import wrap
from ...operators.declare import composite
from ...tensors.sizes import ints
from ...tensors.tensor import Tensor
from .inverse import inv
from .matmul import dot, matmul, mm, out_of, unsafe_view


def listed(name: str, at: int, dims: Any) -> tuple:
    """The dimensions of one operand of `tensordot`."""
    if not isinstance(dims, (list, tuple)):
        raise TypeError(f"tensordot(): argument '{name}' (position {at}) must be tuple of ints, not {type_name(dims)}")
    return ints("tensordot", name, dims, at)


@composite(method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products over the last `dims` dimensions of `a` and the first of `b`, or over the pairs listed."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (int, np.integer)):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._array.ndim, b._array.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    else:
        if isinstance(dims, str) or not hasattr(dims, "__len__") or len(dims) != 2:
            raise RuntimeError(
                "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but "
                f"got dims={dims}"
            )
        first, second = (listed(*each) for each in zip(("dims_self", "dims_other"), (3, 4), dims, strict=True))
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a._array.dtype != b._array.dtype:
        raise RuntimeError("both inputs should have same dtype")
    n, m = a._array.ndim, b._array.ndim
    for i, j in zip(first, second, strict=True):
        p, q = wrap_dim(i, n), wrap_dim(j, m)
        size, other = length(a._array.shape, p), length(b._array.shape, q)
        if other == 1:
            a = a.sum([p], True, dtype=a.dtype)
        elif size == 1:
            b = b.sum([q], True, dtype=b.dtype)
        elif size != other:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {size} in dim {i} and second has size {other} in "
                f"dim {j}"
            )
    first, second = [wrap_dim(d, n) for d in first], [wrap_dim(d, m) for d in second]
    kept, others = [d for d in range(n) if d not in first], [d for d in range(m) if d not in second]
    rows, columns = [a._array.shape[d] for d in kept], [b._array.shape[d] for d in others]
    inner = math.prod(a._array.shape[d] for d in first)
    x, y = a.permute([*kept, *first]), b.permute([*second, *others])
    if math.prod(rows) == math.prod(columns) == 1:
        if x.is_contiguous() and y.is_contiguous():
            x, y = (v if v._array.ndim == 1 else v.reshape((inner,)) for v in (x, y))
            result = dot.function(x, y).view((*rows, *columns))
        else:
            result = (x.squeeze() * y.squeeze()).sum(dtype=x.dtype).view((*rows, *columns))
    else:
        x, y = x.reshape((math.prod(rows), inner)), y.reshape((inner, math.prod(columns)))
        result = mm.function(x, y).reshape((*rows, *columns))
    return out_of(result, out)


@composite()
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of products over the last dimension of both."""
    a, b = input._array, other._array
    if a.ndim == 0 or b.ndim == 0:
        return out_of(input * other, out)
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(a.shape)} and {list(b.shape)}"
        )
    tracked = here.grad_enabled and (input._node is not None or other._node is not None)
    ours = a.dtype == b.dtype and type(a) is type(b) is np.ndarray
    if out is None and a.ndim == b.ndim == 2 and ours and not tracked:
        if a.shape[1] > 1 and len(a) * len(b) > 1:  # otherwise one is summed first, or the product is of two vectors
            return mm.function(input, wrap(b.T))
    return tensordot(input, other, ([-1], [-1]), out)


@composite("outer ger")
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix of all products of two vectors' elements."""
    for name, x in (("self", input), ("vec2", vec2)):
        if x._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x._array.ndim}-D")
    return out_of(input.view((-1 if input._array.size else 0, 1)) * vec2, out)


@composite()
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: every element of `input` times the whole of `other`, laid out in blocks."""
    n = max(input._array.ndim, other._array.ndim)
    a = [1] * (n - input._array.ndim) + list(input._array.shape)
    b = [1] * (n - other._array.ndim) + list(other._array.shape)
    x = unsafe_view.function(input, tuple(s for size in a for s in (size, 1)))
    y = unsafe_view.function(other, tuple(s for size in b for s in (1, size)))
    return out_of(unsafe_view.function(x * y, tuple(p * q for p, q in zip(a, b, strict=True))), out)


@composite("linalg.multi_dot", method=False)
def multi_dot(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """The product of several matrices in the cheapest order; first and last may be vectors."""
    given, tensors = list(tensors), list(tensors)
    n = len(tensors)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    shape: list[int] = []
    for which, place in ((0, "first"), (-1, "last")):
        x = tensors[which]
        if x._array.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {place} tensor must be 1D or 2D but got {x._array.ndim}D")
    for i, x in enumerate(tensors[1:-1], 1):
        if x._array.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {x._array.ndim}D")
    for i, x in enumerate(tensors[1:], 1):
        if x._array.dtype != tensors[0]._array.dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {cpp_name(tensors[0]._array)} and "
                f"tensor {i} {cpp_name(x._array)}"
            )
    if tensors[0]._array.ndim == 2:
        shape.append(tensors[0]._array.shape[0])
    else:
        tensors[0] = tensors[0].unsqueeze(0)
    if tensors[-1]._array.ndim == 2:
        shape.append(tensors[-1]._array.shape[1])
    else:
        tensors[-1] = tensors[-1].unsqueeze(-1)
    for i, (x, y) in enumerate(zip(tensors, tensors[1:], strict=False)):
        if x._array.shape[1] != y._array.shape[0]:
            shapes = " and ".join(str(list(each.shape)) for each in given[i : i + 2])
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes {shapes} cannot be multiplied")
    return out_of(chained(tensors).view(tuple(shape)), out)


def chained(tensors: list[Tensor]) -> Tensor:
    """The product in the order that needs the fewest multiplications."""
    n = len(tensors)
    if n == 2:
        return mm.function(*tensors)
    if n == 3:
        a, b, c = tensors
        left = a._array.shape[0] * c._array.shape[1] * b._array.shape[1] + a._array.size * b._array.shape[1]
        right = a._array.shape[1] * b._array.shape[1] * c._array.shape[1] + a._array.size * c._array.shape[1]
        return mm.function(mm.function(a, b), c) if left <= right else mm.function(a, mm.function(b, c))
    p = [x._array.shape[0] for x in tensors] + [tensors[-1]._array.shape[1]]
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            options = [cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1] for k in range(i, j)]
            cost[i][j] = min(options)
            cut[i][j] = i + options.index(cost[i][j])

    def build(i: int, j: int) -> Tensor:
        if i == j:
            return tensors[i]
        k = cut[i][j]
        return mm.function(build(i, k), build(k + 1, j))

    return build(0, n - 1)


@composite(method=False)
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of several matrices in the cheapest order."""
    warn_of_old("chain_matmul")
    if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)):
        matrices = tuple(matrices[0])
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for x in matrices:
        if x._array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {x._array.ndim}, expected 2 instead.")
    return out_of(matrices[0] if len(matrices) == 1 else multi_dot(matrices), out)


@composite("linalg.matrix_power matrix_power", method="matrix_power")
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """The n-th power of square matrices; a negative one is that of the inverse."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type_name(n)}")
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices"
        )
    if n == 0:
        identity = np.broadcast_to(np.eye(shape[-1], dtype=input._array.dtype), shape)
        return out_of(input.clone().copy_(wrap(identity)), out)
    if n == 1:
        return out_of(input.clone(), out)
    if n < 0:
        input, n = inv(input), -n
        if n == 1:
            return out_of(input, out)
    if n == 2:
        return out_of(matmul(input, input), out)
    if n == 3:
        return out_of(matmul(matmul(input, input), input), out)
    result: Any = None
    square: Any = None
    while n:
        square = input if square is None else matmul(square, square)
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
    return out_of(result, out)
