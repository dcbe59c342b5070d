"""What operators compute where an operand is sparse: for each by its name a kernel, which takes the place of its own.

The operators themselves (signatures, gradients, nodes, names) are those of dense tensors. One that stands in no list here
is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.backend import device_of, fold_at, module_of
from ..arrays.errors import broadcast_error, wrap_dims
from ..arrays.layout import sparse_csr
from ..numerics.arithmetic import raised, rounded_quotient
from ..numerics.halves import cast
from ..numerics.sums import sum as exact_sum
from ..operators.declare import operator
from .arrays import Compressed, Coo, Sparse, int64, is_dense, lines, with_elements
from .conversion import compressed, compressed_from_coo, converted, coo_from_compressed, element_list
from .missing import Missing, kernels

RULES: dict[str, Callable] = {}
"""An operator's first name, and its kernel on sparse arrays."""

ALONE = frozenset(
    "asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p rad2deg round sgn sign "
    "signbit sin sinh sqrt tan tanh trunc relu nan_to_num abs _round _conj_physical _conj_copy".split()
)
"""Functions of one element that give zero for zero: they are those of the elements."""


PLAIN = frozenset(("t", "transpose", "permute", "select"))
"""Operators whose own kernels ask no more of an array than sparse ones have."""


def kernel_of(op: Any, given: list) -> Callable:
    """The kernel of an operator for sparse operands; Missing where there is none."""
    name = op.names[0]
    for x in _flat([given[i] for i in op.tensors]):
        with_elements(x)
    if name in ALONE:
        return lambda xp, x, *rest: alone(x).with_values(op.kernel(xp, alone(x).values, *rest))
    if name in PLAIN:
        return op.kernel
    from . import arrangement, forms, products  # noqa: F401 (their rules)

    rule = RULES.get(name)
    if rule is None:
        error = Missing(next(x for x in _flat(given) if isinstance(x, Sparse)), name)
        error.number = sum(hasattr(given[i], "ndim") and not isinstance(given[i], np.generic) for i in op.tensors) == 1
        raise error.worded([])
    return rule


def sparse_operator(names: str, **options: Any) -> Callable:
    """Declare an operator that makes, takes or is for sparse arrays: one kernel for all layouts."""

    def declare(kernel: Callable) -> Any:
        op = operator(names, **{"method": False, "out": False} | options)(kernel)
        RULES[op.names[0]] = kernel
        return op

    return declare


def _flat(given: list) -> Any:
    for x in given:
        if isinstance(x, list):
            yield from x
        else:
            yield x


def alone(x: Any) -> Any:
    """An array each of whose elements is there once."""
    return x.coalesce() if type(x) is Coo else x


def rule(names: str) -> Callable:
    def declare(kernel: Callable) -> Callable:
        for name in names.split():
            RULES[name] = kernel
        return kernel

    return declare


def unlike(x: Any, y: Any) -> None:
    if x.shape != y.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {sized(x)} != {sized(y)}"
            if isinstance(x, Sparse)
            else f"add: expected 'self' and 'other' to have same size, but self has size {sized(x)} while other has size {sized(y)} "
            "(FYI: dense-sparse addition does not currently support broadcasting)"
        )


def sized(x: Any) -> str:
    return f"[{', '.join(map(str, x.shape))}]"


@rule("add")
def add(xp: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    if not isinstance(x, Sparse):
        if isinstance(y, Coo) and not is_dense(x):
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        unlike(x, y)
        return x + scaled(y, alpha).dense()
    if not isinstance(y, Sparse):
        if type(x) is Compressed and is_dense(y) and y.ndim:
            return scaled(x, alpha).dense() + y  # PyTorch swaps the two and multiplies the sparse one
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if type(x) is type(y) is Compressed and x.shape != y.shape:
        raise RuntimeError(
            f"torch.add: Expected input tensors to have the same shape, but got tensor `self` with shape {sized(x)} and tensor "
            f"`other` with shape {sized(y)}"
        )
    unlike(x, y)
    if type(x) is not type(y) or x.layout is not y.layout:
        raise Missing(x)
    if type(x) is Compressed:
        return added_rows(x, scaled(y, alpha))
    if not y.nnz or not x.nnz:
        return (scaled(y, alpha) if y.nnz else x).copy()
    if x.sparse_dim != y.sparse_dim:
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same sparse dim, but {x.sparse_dim} != {y.sparse_dim}"
        )
    return merged(x, scaled(y, alpha))


def times(values: Any, alpha: Any) -> Any:
    return values if alpha == 1 else values * np.asarray(alpha).astype(values.dtype)[()]


def scaled(x: Any, alpha: Any) -> Any:
    return x if alpha == 1 else x.with_values(times(x.values, alpha))


@rule("sub")
def sub(xp: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    if type(x) is Compressed or type(y) is Compressed:
        raise Missing(x if isinstance(x, Sparse) else y, "sub").worded([])
    return add(xp, x, y, -alpha)


def merged(x: Any, y: Any) -> Coo:
    """The elements of two arrays in one list, as two sorted lists are merged; what is in both is added. A GPU's are joined."""
    xp = x.xp
    if xp is not np or not (x.values.flags.c_contiguous and y.values.flags.c_contiguous):
        made = Coo(xp.concatenate([x.indices, y.indices], 1), xp.concatenate([x.values, y.values]), x.shape)
        return made if made.nnz <= made.size else made.coalesce()
    if x.coalesced and y.coalesced:
        left, right = x.places(), y.places()
        at = np.union1d(left, right)
        values = np.zeros((at.size, *x.values.shape[1:]), x.values.dtype)
        mine, other = np.searchsorted(at, left), np.searchsorted(at, right)
        values[mine] = x.values
        values[other] += y.values
        indices = np.empty((x.sparse_dim, at.size), int64)
        indices[:, mine], indices[:, other] = x.indices, y.indices
        return Coo(indices, values, x.shape, True)
    mine, other = walked(x.places().tolist(), y.places().tolist())
    total = max([*mine, *other], default=-1) + 1
    values = np.zeros((total, *x.values.shape[1:]), x.values.dtype)
    indices = np.empty((x.sparse_dim, total), int64)
    if mine:
        values[mine], indices[:, mine] = x.values, x.indices
    if other:
        values[other] += y.values
        indices[:, other] = y.indices
    return Coo(indices, values, x.shape)


def walked(left: list, right: list) -> tuple[list, list]:
    """Where the elements of two lists come in their merge, by their heads alone: the lists may be out of order."""
    mine: list = []
    other: list = []
    i = k = at = 0
    while i < len(left) or k < len(right):
        ahead = k >= len(right) or i < len(left) and left[i] <= right[k]
        behind = i >= len(left) or k < len(right) and right[k] <= left[i]
        if ahead:
            mine.append(at)
            i += 1
        if behind:
            other.append(at)
            k += 1
        at += 1
    return mine, other


def added_rows(x: Compressed, y: Compressed) -> Compressed:
    """The sum of two compressed matrices."""
    n = x.shape[1] // x.block[1] if x.by_rows else x.shape[0] // x.block[0]
    if x.batch:
        raise Missing(x)
    left, right = x.rows() * n + x.others, y.rows() * n + y.others
    xp = x.xp
    at = xp.unique(xp.concatenate([left, right]))
    values = xp.zeros((at.size, *x.values.shape[1:]), x.values.dtype)
    fold_at(xp, "add", values, xp.searchsorted(at, left), x.values)
    fold_at(xp, "add", values, xp.searchsorted(at, right), y.values)
    return compressed(x.layout, element_list(at, n), values, x.shape, x.starts.dtype)


@rule("mul")
def mul(xp: Any, x: Any, y: Any) -> Any:
    if not isinstance(x, Sparse):
        x, y = y, x
    if not isinstance(y, Sparse):
        return times_dense(x, y)
    if type(x) is Compressed:
        return times_rows(x, y)
    if not (x.ndim and y.ndim):
        x, y = (y, x) if not x.ndim and (y.ndim or x.nnz < 2) else (x, y)
        return times_dense(x, y.dense())
    if x.ndim != y.ndim or x.sparse_dim != y.sparse_dim or x.shape[: x.sparse_dim] != y.shape[: x.sparse_dim]:
        raise RuntimeError(
            f"sparse_binary_op_intersection_{kernels(x).lower()}(): expects sparse inputs with equal dimensionality, number of sparse dimensions, "
            "and shape of sparse dimensions"
        )
    if x.coalesced and not y.coalesced:
        x, y = y, x
    other = y.coalesce()
    at, places_of = other.places(), x.places()
    found = xp.searchsorted(at, places_of)
    there = at[xp.minimum(found, at.size - 1)] == places_of if at.size else xp.zeros(places_of.size, bool)
    if x.coalesced:
        return Coo(x.indices[:, there], x.values[there] * other.values[found[there]], x.shape, True)
    values = xp.zeros((x.nnz, *np.broadcast_shapes(x.values.shape[1:], other.values.shape[1:])), x.values.dtype)
    values[there] = x.values[there] * other.values[found[there]]
    return x.with_values(values)


def number(y: Any) -> Any:
    """An operand as a GPU's functions take it: an array of the CPU's without dimensions as its number."""
    return y[()] if type(y) is np.ndarray and not y.ndim else y


def times_dense(x: Any, y: Any) -> Any:
    """A sparse array times a dense one, or a number."""
    xp = x.xp
    if not is_dense(y) or not y.ndim:
        return x.with_values(xp.asarray(x.values * number(y)))
    if type(x) is Compressed:
        return picked(x, lambda values, found: values * found, y)
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise broadcast_error(y.shape, x.shape) from None
    if shape != x.shape:
        x = repeated(x if x.ndim else x.coalesce(), shape)
    wide = xp.broadcast_to(y, shape)
    return x.with_values(x.values * wide[tuple(x.indices)])


def repeated(x: Coo, shape: tuple) -> Coo:
    """A sparse array broadcast to a shape."""
    xp, extra = x.xp, len(shape) - x.ndim
    sparse = x.sparse_dim
    if shape[extra:] != x.shape:
        for d in range(sparse):
            n = shape[extra + d]
            if n != x.shape[d]:
                indices = xp.repeat(x.indices, n, 1)
                indices[d] = xp.tile(xp.arange(n), x.nnz)
                x = Coo(indices, xp.repeat(x.values, n, 0), (*x.shape[:d], n, *x.shape[d + 1 :]))
        rest = shape[extra + sparse :]
        values, shape = xp.broadcast_to(x.values, (x.nnz, *rest)).copy(), (*x.shape[:sparse], *rest)
        x = Coo(x.indices, values, shape, x.coalesced and x.sparse_dim == sparse)
    if not extra:
        return x
    grid = xp.indices(shape[:extra]).reshape(extra, -1)
    indices = xp.concatenate([xp.repeat(grid, x.nnz, 1), xp.tile(x.indices, (1, grid.shape[1]))])
    return Coo(indices, xp.concatenate([x.values] * grid.shape[1]), shape, x.coalesced)


def picked(x: Compressed, combine: Callable, y: Any) -> Compressed:
    """A compressed matrix combined with the elements of a dense one at its places."""
    if y.shape != x.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {sized(y)} but mask has size {sized(x)}"
        )
    if x.batch or x.blocked or x.dense_dim:
        raise Missing(x)
    return x.with_values(combine(x.values, y[x.coordinates()]))


def times_rows(x: Compressed, y: Any) -> Any:
    if x.shape != y.shape or x.batch or x.blocked:
        raise Missing(x)
    y = converted(y, x.layout)
    n = x.shape[1] if x.by_rows else x.shape[0]
    left, right = x.rows() * n + x.others, y.rows() * n + y.others
    at, mine, other = x.xp.intersect1d(left, right, return_indices=True)
    return compressed(x.layout, element_list(at, n), x.values[mine] * y.values[other], x.shape, x.starts.dtype)


NO_DIVISION = "Sparse {}division requires a scalar or zero-dim dense tensor divisor (got shape {} for divisor)"


def divided(x: Any, y: Any, quotient: Callable, kind: str = "") -> Any:
    if not isinstance(x, Sparse):
        raise Missing(y, "div")
    if type(x) is Compressed:
        raise Missing(x, "div").worded([])
    if isinstance(y, Sparse) or is_dense(y) and y.ndim:
        raise RuntimeError(NO_DIVISION.format(kind, sized(y)))
    return x.with_values(x.xp.asarray(quotient(x.values, number(y))))


@rule("true_divide div")
def true_divide(xp: Any, x: Any, y: Any) -> Any:
    return divided(x, y, lambda values, y: values / y)


@rule("_div_rounded")
def div_rounded(xp: Any, x: Any, y: Any, mode: str) -> Any:
    return divided(alone(x), y, lambda values, y: rounded_quotient(xp, values, y, mode))


@rule("_floor_divide _floor_divide_number")
def floor_divide(xp: Any, x: Any, y: Any) -> Any:
    return divided(alone(x), y, lambda values, y: rounded_quotient(xp, values, y, "floor"), "floor ")


@rule("neg")
def neg(xp: Any, x: Any) -> Any:
    return x.with_values(-x.values)


@rule("_pow_number")
def power(xp: Any, x: Any, exponent: Any) -> Any:
    if type(x) is not Coo:
        raise Missing(x)
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    x = x.coalesce()
    return x.with_values(raised(xp, x.values, x.dtype.type(exponent)))


@rule("_to_copy")
def to_copy(xp: Any, x: Any, dtype: Any = None, device: Any = None, source: Any = None) -> Any:
    x = x.copy() if device is None or device == device_of(x) else x.moved(device)
    return x if dtype is None else x.with_values(cast(x.values, dtype.numpy))


@rule("clone")
def clone(xp: Any, x: Any, memory_format: Any = None) -> Any:
    if memory_format is not None and str(memory_format) != "torch.preserve_format":
        name = {"contiguous_format": "Contiguous", "channels_last": "ChannelsLast"}.get(str(memory_format)[6:], "")
        raise RuntimeError(f"unsupported memory format option {name}")
    return x.copy()


@rule("zeros_like _zero_")
def zeros(xp: Any, x: Any, dtype: Any = None) -> Any:
    kind = x.dtype if dtype is None else dtype
    if type(x) is Compressed:
        values = xp.zeros((*x.values.shape[: x.batch], 0, *x.values.shape[x.batch + 1 :]), kind)
        return Compressed(x.layout, x.starts * 0, x.others[..., :0], values, x.shape)
    return Coo(xp.zeros((x.sparse_dim, 0), int64), xp.zeros((0, *x.values.shape[1:]), kind), x.shape, True)


@rule("where")
def unless(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """`y` but zero where a condition holds that a sparse array has the elements of: what gradient formulas ask."""
    if not isinstance(condition, Sparse) or not isinstance(x, Sparse) or x.nnz or not isinstance(y, Sparse):
        raise Missing(next(each for each in (condition, x, y) if isinstance(each, Sparse)), "where")
    return mul(xp, y, condition.with_values(~condition.values).astype(y.dtype))


@rule("_stepped_backward")
def stepped(xp: Any, grad: Any, input: Any, condition: Any, slope: float, name: str) -> Any:
    """The gradient, but zero where a condition holds that a sparse array has the elements of."""
    if slope or not isinstance(condition, Sparse) or not isinstance(grad, Sparse):
        raise Missing(next(each for each in (grad, input, condition) if isinstance(each, Sparse)), name.lower())
    return mul(xp, grad, condition.with_values(~condition.values).astype(grad.dtype))


def summed(values: Any, axes: Any) -> Any:
    """Values added up along axes (None: all)."""
    xp = module_of(values)
    if xp is np and values.dtype.kind in "fc":
        return np.asarray(exact_sum(values, axes, False))
    return xp.asarray(values.sum(axes))


@rule("sum")
def total(xp: Any, x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """All elements added, or those along some dimensions (then what is left is sparse)."""
    values = x.values
    if dtype is not None:
        values = values.astype(dtype.numpy)
    elif values.dtype.kind in "biu":
        values = values.astype(int64)
    if dim is None or dim == () or dim == []:
        return summed(values, None)
    dims = wrap_dims(dim, x.ndim)
    if type(x) is Compressed:
        return summed_lines(x.with_values(values), dims, keepdim)
    made = reduced(x.with_values(values).coalesce(), dims)
    if keepdim:
        for d in sorted(dims):
            made = xp.expand_dims(made, d) if is_dense(made) else RULES["unsqueeze"](xp, made, d)
    return made


def summed_lines(x: Compressed, dims: tuple, keepdim: bool) -> Any:
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    coo = coo_from_compressed(x)
    indices = coo.indices.copy()
    for d in dims:
        indices[d] = 0
    shape = [1 if d in dims else n for d, n in enumerate(x.shape)]
    return compressed_from_coo(Coo(indices, coo.values, shape), sparse_csr)


def reduced(x: Coo, dims: tuple) -> Any:
    """A coalesced array summed over some dimensions."""
    sparse = x.sparse_dim
    dense = tuple(d - sparse + 1 for d in dims if d >= sparse)
    values = x.values
    if dense:
        values = summed(values, dense)
    shape = tuple(n for d, n in enumerate(x.shape) if d not in dims)
    kept = [d for d in range(sparse) if d not in dims]
    if not kept:
        return summed(values, (0,))
    if len(kept) == sparse:
        return Coo(x.indices, values, shape, x.coalesced)
    return Coo(lines(x, kept), values, shape).coalesce()


@rule("any")
def anything(xp: Any, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None or type(x) is Compressed:
        raise Missing(x, "any")
    return xp.asarray(alone(x).values.any())
