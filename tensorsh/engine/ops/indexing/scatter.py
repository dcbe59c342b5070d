"""Elements along one dimension chosen, written or added up by an index of the result's own shape: gather and scatter."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays.backend import fold_at, module_of
from ...arrays.bounds import check_slices
from ...arrays.errors import broadcast_error, not_implemented, wrap_dim
from ...arrays.numbers import converted
from ...arrays.warning import warn_of_old, warn_once
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...numerics.extremes import bounded, within
from ...numerics.halves import in_rows, in_singles
from ...operators.declare import Array, Unlinked, Written, composite, operator
from ...operators.pointwise import no_derivative
from ...operators.results import writes_out
from ...tensors.inplace import write
from ...tensors.tensor import Tensor

taken_along, put_along, added_along, reduced_along, reduced_rows = [
    kernel(name, unsuited) for name in ("taken_along", "put_along", "added_along", "reduced_along", "reduced_rows")
]
"""Compiled, for contiguous arrays of int64 as index; not true for what is not for them, an index out of bounds, too."""


def done(kernel: Any, input: Any, axis: int, index: Any, src: Any, *how: int) -> Any:
    """Whether a kernel has seen to all places: of a source whose elements lie in equal steps, or of a copy in rows."""
    if found := kernel(input, axis, index, src, *how):
        return found
    return not src.flags.c_contiguous and kernel(input, axis, index, in_rows(src), *how)


def from_front(dim: Any, ndim: int) -> Any:
    """A dimension as kernels take it."""
    return dim + ndim if type(dim) is int and dim < 0 else dim


def grid(xp: Any, index: Any, dim: int) -> tuple:
    """Indices that take, at every place of `index`, the element there along `dim`."""
    shape = index.shape
    ndim = len(shape)
    place = 0 if xp is np else index.device.id
    return tuple([index if d == dim else counting(xp, place, n, d, ndim) for d, n in enumerate(shape)])


@lru_cache(128)
def counting(xp: Any, place: int, n: int, d: int, ndim: int) -> Any:
    """0, 1, ... n - 1 along dimension d of `ndim`, on a device of `xp`'s; the arrays are only read."""
    return xp.arange(n).reshape((1,) * d + (n,) + (1,) * (ndim - 1 - d))


def gather_check(input: Any, dim: int, index: Any) -> int:
    dim = wrap_dim(dim, input.ndim)
    if index.size == 0:
        return dim
    if index.dtype != np.int64 and index.dtype != np.int32:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if (index.ndim or 1) != (input.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, (n, m) in enumerate(zip(index.shape, input.shape, strict=False)):
        if d != dim and n > m:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
                f"{list(input.shape)} apart from dimension {dim}"
            )
    within(index, input, dim)
    return dim


@operator()
def gather(xp, input: Array, dim, index: Array, *, sparse_grad=False):
    """The elements at `index` along `dim`, in the shape of `index`.
    RuntimeError: an index out of bounds or no integer, another number of dimensions, `index` longer than `input` off
    `dim`."""
    if xp is np:
        near = in_rows(input) if input.size <= 4 * index.size else input
        if (found := taken_along(near, from_front(dim, input.ndim), index)) is not None:
            return found
    dim = gather_check(input, dim, index)
    if index.size == 0:
        return xp.empty(index.shape, input.dtype)
    if not input.ndim or not index.ndim:
        return input.reshape(-1)[index]
    return input[grid(xp, index, dim)]


gather.fast = lambda input, dim, index, sparse_grad: taken_along(input, dim if dim >= 0 else dim + input.ndim, index)
gather.gradient(
    input=lambda t, g, input_shape, dim, index, sparse_grad: (
        t._gather_sparsely if sparse_grad else t._gather_backward
    )(g, dim, index, input_shape)
)


@operator("_gather_backward", method=False, node="ScatterAddBackward0")
def gather_backward(xp, grad: Array, dim, index: Array, shape):
    whole = xp.zeros(shape, grad.dtype)
    add_elements(xp, whole, dim, index, grad)
    return whole


gather_backward.gradient(grad=lambda t, g, dim, index: t.gather(g, dim, index))


def flat_places(xp: Any, shape: tuple, dim: int, index: Any) -> Any:
    """Numbers, in row order, of the elements that an index along a dimension points to."""
    if not shape or not index.ndim:
        return index.reshape(-1)
    dim %= len(shape)
    places: Any = 0
    step, place = 1, 0 if xp is np else index.device.id
    for d in range(len(shape) - 1, -1, -1):
        n = index.shape[d]
        part = index if d == dim else counting(xp, place, n, d, index.ndim)
        places = part * step + places
        step *= shape[d]
    return xp.ascontiguousarray(places).reshape(-1)


def add_elements(xp: Any, target: Any, dim: int, index: Any, source: Any) -> None:
    """``target[index along dim] += source`` for a target in row order."""
    if xp is np:
        axis = from_front(dim, target.ndim)
        if added_along(target, axis, index, source) or in_singles(added_along, target, source, axis, index):
            return
    if index.size:
        fold_at(xp, "add", target.reshape(-1), flat_places(xp, target.shape, dim, index), source.reshape(-1))


def scatter_check(input: Any, dim: int, index: Any, src: Any = None) -> int:
    dim = wrap_dim(dim, input.ndim)
    if index.dtype != np.int64 and index.dtype != np.int32:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if src is not None and input.dtype != src.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.size == 0:
        return dim
    if (index.ndim or 1) != (input.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src is not None and (src.ndim or 1) != (index.ndim or 1):
        for d, n in enumerate(index.shape):
            if n > (src.shape[wrap_dim(d, src.ndim)] if src.ndim else 1):
                break
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    wrong = any(n > m and d != dim for d, (n, m) in enumerate(zip(index.shape, input.shape, strict=False)))
    if src is not None and any(n > m for n, m in zip(index.shape or (1,), src.shape or (1,), strict=False)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {dim} and "
            f"to be no larger size than src {list(src.shape)}"
        )
    if wrong:
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {dim}"
            + (f" and to be no larger size than src {list(src.shape)}" if src is not None else "")
        )
    within(index, input, dim)
    return dim


def covered(src: Any, index: Any) -> Any:
    """The part of a source that an index covers."""
    if src.shape == index.shape:
        return src
    if not index.ndim:
        return src.reshape(-1)[0:1].reshape(())
    part = src[tuple([slice(n) for n in index.shape])] if src.ndim == index.ndim else src
    return part.reshape(index.shape)


def placed(xp: Any, input: Any, dim: int, index: Any, values: Any) -> Any:
    if index.size:
        if not input.ndim or not index.ndim:
            input.reshape(-1)[index] = values
        else:
            input[grid(xp, index, dim)] = values
    return input


@operator("_scatter", method=False, node="ScatterBackward0")
def scatter_src(xp, input: Written, src: Array, dim, index: Array):
    if xp is np and src.ndim and done(put_along, input, from_front(dim, input.ndim), index, src):
        return input
    dim = scatter_check(input, dim, index, src)
    return placed(xp, input, dim, index, covered(src, index) if index.size else src)


def gathered(t, g, dim, index, shape):
    """A source's gradient: what was gathered, zero where the index does not reach."""
    found = t.gather(g, dim, index)
    return found if tuple(found.shape) == tuple(shape) else t._pad_to(found, shape)


@operator("_pad_to", method=False)
def pad_to(xp, input: Array, shape):
    """Zeros behind an array's elements, up to a shape."""
    whole = xp.zeros(shape, input.dtype)
    if input.size:
        whole[tuple([slice(n) for n in input.shape])] = input
    return whole


pad_to.gradient(input=lambda t, g, input_shape: t._part(g, tuple([slice(n) for n in input_shape])))
scatter_src.gradient(
    input=lambda t, g, dim, index: t._scatter_number(g, dim, index, 0),
    src=lambda t, g, src_shape, dim, index: gathered(t, g, dim, index, src_shape),
)


@operator("_scatter_number", method=False, node="ScatterBackward1")
def scatter_number(xp, input: Written, dim, index: Array, value):
    dim = scatter_check(input, dim, index)
    value = converted(value, input.dtype)
    if xp is np and put_along(input, dim, index, np.asarray(value, input.dtype)):
        return input
    return placed(xp, input, dim, index, value)


scatter_number.gradient(input=lambda t, g, dim, index: t._scatter_number(g, dim, index, 0))


@operator("_scatter_reduced", method=False, node="NotImplemented")
def scatter_reduced(xp, input: Array, src: Array, dim, index: Array, reduce):
    """The old reductions of scatter, "add" and "multiply"; not differentiable."""
    dim = scatter_check(input, dim, index, src if src.ndim or not index.ndim else None)
    whole = input.copy("C")
    if index.size:
        values = xp.broadcast_to(src, index.shape) if not src.ndim else covered(src, index)
        if input.dtype.kind == "b":
            reduce = {"add": "logical_or", "multiply": "logical_and"}[reduce]
        fold_at(xp, reduce, whole.reshape(-1), flat_places(xp, whole.shape, dim, index), values.reshape(-1))
    return whole


scatter_reduced.gradient(input=no_derivative("scatter"), src=no_derivative("scatter"))


def primitive_of(input: Tensor, dim: int, index: Tensor, src: Any, value: Any, reduce: str | None) -> tuple[Any, list]:
    """Which primitive a call of scatter stands for, with its arguments."""
    src = value if src is None else src
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        if isinstance(src, Tensor):
            warn_of_old("scatter")
        else:
            src = wrap(np.asarray(converted(src, input._array.dtype), input._array.dtype))
        return scatter_reduced, [input, src, dim, index, reduce]
    if isinstance(src, Tensor):
        return scatter_src, [input, src, dim, index]
    return scatter_number, [input, dim, index, src]


def scatter_(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None):
    """Write `src` (a tensor or a number) to the places `index` along `dim`."""
    return write(*primitive_of(input, dim, index, src, value, reduce))


@composite(inplace=scatter_)
@writes_out
def scatter(input: Tensor, dim, index, src=None, *, value=None, reduce=None) -> Tensor:
    """A copy of `input` with `src` (a tensor or a number) written to the places `index` along `dim`.
    RuntimeError: an index out of bounds, a `src` of another dtype."""
    op, values = primitive_of(input, dim, index, src, value, reduce)
    return op.function(*values)


@operator(inplace=True, long="once")
def scatter_add(xp, input: Written, dim, index: Array, src: Array):
    """A copy of `input` with `src` added at the places `index` along `dim`."""
    if xp is np and src.ndim:
        axis = from_front(dim, input.ndim)
        if done(added_along, input, axis, index, src) or in_singles(added_along, input, src, axis, index):
            return input
    dim = scatter_check(input, dim, index, src)
    if index.size:
        if input.dtype.kind == "b":
            places = flat_places(xp, input.shape, dim, index)
            fold_at(xp, "logical_or", input.reshape(-1), places, covered(src, index).reshape(-1))
        else:
            add_elements(xp, input, dim, index, covered(src, index))
    return input


scatter_add.gradient(
    input=lambda t, g: g, src=lambda t, g, src_shape, dim, index: gathered(t, g, dim, index, src_shape)
)


HOW, ALIASES = {"prod": 0, "amax": 1, "amin": -1}, {"max": "amax", "min": "amin"}


def reduced(
    xp: Any, input: Any, places: Any, values: Any, reduce: str, include_self: bool, stepwise: bool = False
) -> Any:
    """An array in row order, with values reduced into the places given by numbers; `stepwise` as for `fold_at`."""
    whole = input.copy("C")
    if not values.size:
        return whole
    flat = whole.reshape(-1)
    kind = input.dtype.kind
    if not include_self:
        flat[places] = start_of(reduce, input.dtype)
    if reduce in ("sum", "mean"):
        if xp is not np or not (
            added_along(flat, 0, places, values) or not stepwise and in_singles(added_along, flat, values, 0, places)
        ):
            fold_at(xp, "logical_or" if kind == "b" else "add", flat, places, values, stepwise)
        if reduce == "mean":
            counts = xp.full(flat.size, int(include_self))
            if xp is not np or not added_along(counts, 0, places, np.ones(places.size, counts.dtype)):
                fold_at(xp, "add", counts, places, 1)
            counts[counts == 0] = 1
            if kind in "iu":
                flat //= counts.astype(input.dtype)
            else:
                flat /= counts.astype(input.real.dtype)
    elif xp is np and (
        reduced_along(flat, 0, places, values, HOW[reduce])
        or not (stepwise and reduce == "prod")
        and in_singles(reduced_along, flat, values, 0, places, how=(HOW[reduce],))
    ):
        pass
    elif reduce == "prod":
        fold_at(xp, "logical_and" if kind == "b" else "multiply", flat, places, values, stepwise)
    else:
        fold_at(xp, "maximum" if reduce == "amax" else "minimum", flat, places, values)
        if xp is np and kind == "f":
            first_zeros(flat, input.reshape(-1) if include_self else None, places, values)
    return whole


def first_zeros(flat: Any, before: Any, places: Any, values: Any) -> None:
    """Of zeros of both signs that are the extreme of a place, the first counts."""
    zeros = np.flatnonzero((values == 0) & (flat[places] == 0))
    if zeros.size:
        flat[places[zeros[::-1]]] = values[zeros[::-1]]
        if before is not None:
            np.copyto(flat, before, where=(before == 0) & (flat == 0))


def start_of(reduce: str, dtype: np.dtype) -> Any:
    """The neutral element of a reduction."""
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    if dtype.kind == "b":
        return reduce == "amin"
    if dtype.kind in "iu":
        return getattr(np.iinfo(dtype), "min" if reduce == "amax" else "max")
    return -np.inf if reduce == "amax" else np.inf


@operator(inplace=True, long=True)
def scatter_reduce(xp, input: Array, dim, index: Unlinked, src: Array, reduce, *, include_self=True):
    """A copy of `input` with `src` reduced ("sum", "prod", "mean", "amax", "amin") into the places `index`."""
    reduce = ALIASES.get(reduce, reduce)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if reduce[0] == "a" and input.dtype.kind == "c":
        raise not_implemented("scatter_gather_tensor_cpu_reduce_" + reduce, input)
    dim = scatter_check(input, dim, index, src)
    if not index.size:
        return input.copy()
    if xp is np and include_self and reduce in HOW:
        whole = input.copy("C")
        if done(reduced_along, whole, dim, index, src, HOW[reduce]):
            return whole
    return reduced(
        xp, input, flat_places(xp, input.shape, dim, index), covered(src, index).reshape(-1), reduce, include_self
    )


@scatter_reduce.joint_gradient
def scatter_reduce_gradient(t, g, needs, input, dim, index, src, reduce, include_self, result):
    if reduce in ALIASES:
        raise RuntimeError(f"Expected 'reduce' to be one of 'sum', 'prod', 'mean', 'amax', 'amin' but got {reduce}.")
    if (full := tuple(src.shape)) != tuple(index.shape):
        src = t._part(src, tuple([slice(n) for n in index.shape]))
    to_input, to_src = reduction_gradient(t, g, needs, input, dim, index, src, reduce, include_self, result)
    padded = to_src is not None and tuple(to_src.shape) != full
    return to_input, None, t._pad_to(to_src, full) if padded else to_src


TWICE = "{0}(): Double backward is unsupported for {1} when >1 zeros in {1} are scattered to the same position in self"


def reduction_gradient(t, g, needs, input, dim, index, src, reduce, include_self, result, by=None, whole=False):
    """The gradients of a reduction into places, for the tensor that has the places and for what went there; `by`: how to work there."""
    take, add, erase = by or (t.gather, t.scatter_add, t._scatter_number)
    ones = t.ones_like(src)
    to_input = to_src = None
    if reduce == "sum":
        to_input, to_src = g, take(g, dim, index)
    elif reduce == "mean":
        counts = add(t.zeros_like(g) + (1 if include_self else 0), dim, index, ones)
        to_input = g / t.where(counts == 0, t.ones_like(counts), counts)
        to_src = take(to_input, dim, index)
    elif reduce == "prod":
        nonzero = t.where(input == 0, t.ones_like(input), input)
        to_input = g * t.scatter_reduce(nonzero, dim, index, src, "prod", include_self=include_self) / nonzero
        zero = src == 0
        # A single zero among the factors of a place: its gradient is the product of the others.
        many = t.gather(
            t.scatter_add(t.zeros_like(input), dim, index, t.where(zero, ones, t.zeros_like(ones))), dim, index
        )
        single = t.where(zero, many, t.zeros_like(many)) == 1
        others = t.scatter_reduce(input, dim, index, t.where(single, ones, src), "prod", include_self=include_self)
        usual = t.gather(g * result, dim, index) / t.where(zero, ones, src)
        to_src = t.where(single, t.gather(g * others, dim, index), usual)
        name, source = ("index_reduce", "source") if by is None and whole else ("scatter_reduce", "src")
        to_src = t.refusing(to_src, t.where(zero, many, t.zeros_like(many)), TWICE.format(name, source))
    else:
        # Equal extremes share the gradient.
        here = t.where(input == result, t.ones_like(g), t.zeros_like(g))
        there = t.where(src == take(result, dim, index), ones, t.zeros_like(ones))
        share = g / add(here, dim, index, there)
        to_input, to_src = here * share, there * take(share, dim, index)
    if not include_self:
        to_input = erase(to_input, dim, index, 0)
    return to_input if needs[0] else None, to_src if needs[-1] else None


@operator(inplace=True, long=True)
def index_reduce(xp, input: Array, dim, index: Unlinked, source: Array, reduce, *, include_self=True):
    """A copy of `input` with the slices of `source` reduced ("prod", "mean", "amax", "amin") into those at `index`."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    warn_once("index_reduce() is in beta and the API may change at any time.")
    dim = wrap_dim(dim, input.ndim)
    check_slices("index_reduce_", input, dim, index, source)
    if xp is np and include_self and reduce in HOW and input.ndim:
        whole, rows, flat, how = input.copy("C"), in_rows(source), index.reshape(-1), HOW[reduce]
        if reduced_rows(whole, flat, rows, how, dim):
            return whole
        if not dim and reduce != "prod" and in_singles(reduced_rows, whole, rows, flat, how=(how,)):
            return whole
    wide = spread_index(xp, index, dim, source.shape)
    bounded(wide, input.shape[dim] if input.ndim else 1, lambda i: IndexError("index out of range in self"))
    return reduced(xp, input, flat_places(xp, input.shape, dim, wide), source.reshape(-1), reduce, include_self, True)


def spread_index(xp: Any, index: Any, dim: int, shape: tuple) -> Any:
    """A vector of places along a dimension as an index of the source's shape."""
    if not shape:
        return index.reshape(())
    return xp.broadcast_to(index.reshape((1,) * dim + (-1,) + (1,) * (len(shape) - 1 - dim)), shape)


@index_reduce.joint_gradient
def index_reduce_gradient(t, g, needs, input, dim, index, source, reduce, include_self, result):
    raw, by = t.array(index), None
    xp = module_of(raw)
    if reduce == "prod" or not len(source.shape):
        raw = spread_index(xp, raw, dim % max(len(source.shape), 1), tuple(source.shape))
    else:  # slice by slice
        raw, by = raw.reshape(-1), (t.index_select, t.index_add, t._index_fill)
    places = t.constant(xp.ascontiguousarray(raw))
    to_input, to_src = reduction_gradient(
        t, g, needs, input, dim, places, source, reduce, include_self, result, by, True
    )
    return to_input, None, to_src if to_src is None else t.reshape(to_src, source.shape)


@composite()
@writes_out
def take_along_dim(input: Tensor, indices, dim=None) -> Tensor:
    """The elements at `indices` along `dim`, both broadcast in the other dimensions; of all in a row when dim is None."""
    if dim is None:
        return input.view(-1).gather(0, indices.view(-1))
    if indices._array.dtype != np.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.short}")
    a, b = input._array.shape, indices._array.shape
    if len(a) != len(b):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{len(a)} dimensions for input, and {len(b)} dimensions for indices"
        )
    dim = wrap_dim(dim, len(a))
    try:
        wide = np.broadcast_shapes(a[:dim] + a[dim + 1 :], b[:dim] + b[dim + 1 :])
    except ValueError:
        raise broadcast_error(a, b) from None
    sized = lambda n: (*wide[:dim], n, *wide[dim:])
    return input.expand(sized(a[dim])).gather(dim, wrap(indices._array % max(1, a[dim])).expand(sized(b[dim])))
