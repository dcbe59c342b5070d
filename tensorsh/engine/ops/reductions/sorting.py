"""Sorting, picking by rank, and distinct elements. NaN is larger than every number; equal elements keep their order."""

from __future__ import annotations

import numpy as np

from ...arrays.backend import module_of
from ...arrays.errors import combination_error, own_dim
from ...arrays.type_names import type_name
from ...numerics import orders
from ...operators.declare import Array, composite, operator
from ...operators.pointwise import no_derivative
from ...operators.reduction import pick
from .extrema import give_back, no_elements, not_implemented
from .sums import one_axis


def order(xp, a, axis, descending=False):
    """The stable order of an array along an axis; equal elements keep theirs, descending too."""
    by_kernel = orders.ordered(a, axis, descending, True)
    if by_kernel is not None:
        return by_kernel[1]
    n = a.shape[axis]
    if a.dtype.kind == "V":
        a = a.astype(np.float32)  # NaN comes last there
    if not descending:
        return a.argsort(axis, "stable") if xp is np else xp.argsort(a, axis=axis, kind="stable")
    if a.dtype.kind == "f" and xp is np:
        places = (-a).argsort(axis, "stable")
        last = pick(a, places[(slice(None),) * axis + (slice(n - 1, n),)], axis) if n else a
        if not np.isnan(last).any():
            return places
    elif a.dtype.kind in "iu" and xp is np:
        return (~a).argsort(axis, "stable")
    # The stable ascending order of the reversed array, reversed.
    return n - 1 - xp.flip(xp.argsort(xp.flip(a, axis), axis=axis, kind="stable"), axis)


def in_order(xp, a, axis, descending, stable):
    """The elements in order along an axis, and their places; if not `stable`, kernels let equals come in PyTorch's order."""
    if (by_kernel := orders.ordered(a, axis, descending, stable)) is not None:
        return by_kernel
    places = order(xp, a, axis, descending)
    return pick(a, places, axis), places


@operator(
    outputs="values (indices)",
    node=lambda input, dim=-1, descending=False, stable=None: f"SortBackward{int(stable is not None)}",
    long=True,
)
def sort(xp, input: Array, dim=-1, descending=False, *, stable=None):
    """The elements in order along `dim`, and where each came from.
    The shape stays; `stable` keeps the order of equals. RuntimeError: complex numbers."""
    if isinstance(dim, bool) or not isinstance(descending, (bool, np.bool_)):
        raise combination_error("sort", dim, *([] if isinstance(dim, bool) else [descending]))
    axis = one_axis("sort", dim, input.ndim)
    if input.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    if not input.ndim:
        return input.copy(), xp.zeros((), np.int64)
    return in_order(xp, input, axis, descending, stable)


def sorted_along(a, dim, descending, stable):
    """As sort, of an array of floats."""
    if stable is not None or type(dim) is not int or not -a.ndim <= dim < a.ndim or type(descending) is not bool:
        return None
    return in_order(np, a, dim % a.ndim, descending, False)


sort.fast = sorted_along
sort.gradient(
    input=lambda t, g, indices, input_shape, dim, descending: give_back(t, g[0], indices, input_shape, dim, True)
)


@operator(long=True)
def argsort(xp, input: Array, dim=-1, descending=False, *, stable=False):
    """The places of the elements in order along `dim`.
    int64 of the same shape: ``x.gather(dim, x.argsort(dim))`` is sorted. `dim` is the last one when left out;
    `descending` puts the largest first, `stable` keeps the order of equal elements. IndexError: no such dimension."""
    axis = one_axis("argsort", dim, input.ndim)
    if input.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    if not input.ndim:
        return xp.zeros((), np.int64)
    return in_order(xp, input, axis, descending, stable)[1]


@composite()
def msort(input):
    """The tensor sorted along its first dimension."""
    return sort.function(input, 0)[0]


def chosen_first(a, axis, k, largest, in_order):
    """The `k` first elements in order along an axis, and their places."""
    if (by_kernel := orders.leading(a, axis, k, largest, in_order)) is not None:
        return by_kernel
    places = np.ascontiguousarray(order(np, a, axis, largest)[(slice(None),) * axis + (slice(k),)])
    return np.take_along_axis(a, places, axis), places


@operator(outputs="values (indices)", long="hosted")
def topk(xp, input: Array, k, dim=-1, largest=True, sorted=True):
    """The `k` largest (or smallest) elements along `dim`, in order, and where they stand.
    The size along `dim` is `k`. RuntimeError: `k` larger than the dimension."""
    axis = one_axis("topk", dim, input.ndim)
    kind = input.dtype.kind
    if kind == "c":
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    n = input.shape[axis] if input.ndim else 1
    if not isinstance(k, (int, np.integer)):
        raise TypeError(f"topk(): argument 'k' (position 1) must be int, not {type_name(k)}")
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    if not input.ndim:
        return input.copy(), xp.zeros((), np.int64)
    return chosen_first(input, axis, int(k), largest, sorted)


def topk_along(a, k, dim, largest, sorted):
    """As topk, of an array of floats."""
    if type(k) is not int or type(dim) is not int or not -a.ndim <= dim < a.ndim or not 0 <= k <= a.shape[dim]:
        return None
    return chosen_first(a, dim % a.ndim, k, largest, sorted)


topk.fast = topk_along
topk.gradient(
    input=lambda t, g, indices, input_shape, dim, k, largest, sorted: give_back(
        t, g[0], indices, input_shape, dim, True
    )
)


@operator(outputs="values (indices)", long="hosted")
def kthvalue(xp, input: Array, k, dim=-1, keepdim=False):
    """The `k`-th smallest element along `dim`, and where it stands."""
    axis = one_axis("kthvalue", dim, input.ndim)
    n = input.shape[axis] if input.ndim else 1
    problem = no_elements("kthvalue", input.shape, axis)
    if problem:
        raise problem
    if not 1 <= k <= n:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    if input.dtype.kind in "cb":
        raise not_implemented("kthvalue_cpu", input)
    by_kernel = orders.ranked(input, axis, int(k) - 1)
    if by_kernel is not None:
        return kept(by_kernel, axis) if keepdim else by_kernel
    return ranked(xp, input, axis, k - 1, keepdim)


def kept(pair, axis):
    """Values and places with the dimension that is gone."""
    return tuple(np.expand_dims(each, axis) for each in pair)


def ranked(xp, a, axis, rank, keepdim):
    """The element of a rank (one number, or one for each slice) along an axis, and its place in the stable order."""
    if not a.ndim:
        return a.copy(), xp.zeros((), np.int64)
    places = order(xp, a, axis)
    if isinstance(rank, int):
        places = places[(slice(None),) * axis + (slice(rank, rank + 1),)]
    else:
        places = xp.take_along_axis(places, rank, axis)
    places = xp.ascontiguousarray(places)
    values = xp.take_along_axis(a, places, axis)
    if keepdim:
        return values, places
    shape = a.shape[:axis] + a.shape[axis + 1 :]
    return values.reshape(shape), places.reshape(shape)


@kthvalue.gradient_of("input")
def picked_gradient(t, g, indices, input_shape, dim, keepdim):
    return give_back(t, g[0], indices, input_shape, dim, keepdim)


@operator("_unique2", method=False, outputs="_ (_) (_)", long=True)
def unique2(xp, input: Array, sorted=True, return_inverse=False, return_counts=False):
    """The distinct elements in order, the place of each element among them, and their counts."""
    if input.dtype.kind == "c":
        raise not_implemented("unique", input)
    flat = input.reshape(-1)
    by_kernel = orders.ordered(flat, 0, False, True)
    if by_kernel is not None:
        return runs(by_kernel[0], by_kernel[1], input.shape, return_inverse, return_counts)
    values, inverse, counts = xp.unique(flat, return_inverse=True, return_counts=True, equal_nan=False)
    return values, inverse.reshape(input.shape).astype(np.int64), counts.astype(np.int64)


def runs(values, places, shape, return_inverse, return_counts):
    """The first of each run of equal elements of a vector; where asked for, the run of each place (where they came from, if
    they were sorted) and the lengths."""
    fresh = np.empty(len(values), bool)
    fresh[0] = True
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    inverse, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    if return_inverse:
        inverse = np.empty(len(values), np.int64)
        inverse[slice(None) if places is None else places] = np.cumsum(fresh) - 1
        inverse = inverse.reshape(shape)
    if return_counts:
        counts = np.diff(np.flatnonzero(fresh), append=len(values))
    return values[fresh], inverse, counts


unique2.gradient(input=no_derivative("_unique2", True))


def slices(a, axis):
    """The slices along an axis as rows."""
    if not a.size and any(n == 0 and i != axis for i, n in enumerate(a.shape)):
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    n = a.shape[axis]
    return module_of(a).moveaxis(a, axis, 0).reshape(n, a.size // n if n else 1)


@operator("_unique_dim", method=False, outputs="_ (_) (_)", node="UniqueDimBackward0", long=True)
def unique_dim(xp, input: Array, dim, return_inverse=False, return_counts=False):
    """The distinct slices along `dim` in lexical order."""
    axis = own_dim(dim, input.ndim)
    rows = slices(input, axis)
    if not len(rows):
        return input.copy(), xp.zeros(0, np.int64), xp.zeros(0, np.int64)
    keys = rows.astype(np.float32) if rows.dtype.kind == "V" and xp is not np else rows
    in_order = xp.lexsort(keys.T[::-1])
    return groups(xp, input, axis, rows[in_order], in_order)


def groups(xp, a, axis, rows, in_order):
    """Runs of equal rows: the first slice of each, the run of each slice, their lengths."""
    fresh = xp.concatenate([xp.ones(1, bool), (rows[1:] != rows[:-1]).any(1)])
    number = xp.cumsum(fresh) - 1
    inverse = xp.empty(len(rows), np.int64)
    inverse[in_order] = number
    return xp.take(a, in_order[fresh], axis), inverse, xp.bincount(number).astype(np.int64)


unique_dim.gradient(input=no_derivative("unique_dim", True))


@operator(
    "_unique_consecutive", method=False, outputs="_ (_) (_)", node="UniqueConsecutiveBackward0", long=True
)  # fmt: skip
def unique_runs(xp, input: Array, return_inverse=False, return_counts=False, dim=None):
    """The first of each run of equal elements (or slices along `dim`), the run of each, their lengths."""
    if input.dtype.kind == "c":
        raise not_implemented("unique", input)
    if dim is None:
        if not input.size:
            return input.reshape(-1).copy(), xp.zeros(input.shape, np.int64), xp.zeros(0, np.int64)
        if xp is np:
            return runs(input.reshape(-1), None, input.shape, return_inverse, return_counts)
        rows, axis, flat = input.reshape(-1, 1), 0, input.reshape(-1)
    else:
        axis, flat = own_dim(dim, input.ndim), input
        rows = slices(input, axis)
        if not len(rows):
            return input.copy(), xp.zeros(0, np.int64), xp.zeros(0, np.int64)
    values, inverse, counts = groups(xp, flat, axis, rows, xp.arange(len(rows)))
    return values, inverse.reshape(input.shape) if dim is None else inverse, counts


unique_runs.gradient(input=no_derivative("unique_consecutive", True))


def wanted_of(results, return_inverse, return_counts):
    """Of values, inverse and counts, those asked for."""
    values, inverse, counts = results
    if not return_inverse and not return_counts:
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


@composite()
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements, or slices along `dim`, in order; with the place of each among them, and counts.
    A vector, or a tuple with `return_inverse` (places, of the shape of `input`) and `return_counts`; the dtype stays. `dim`
    compares whole slices along it."""
    if dim is None:
        return wanted_of(unique2.function(input, sorted, return_inverse, return_counts), return_inverse, return_counts)
    return wanted_of(unique_dim.function(input, dim, True, True), return_inverse, return_counts)


@composite()
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The first of each run of equal elements, or of equal slices along `dim`; with the run of each, and lengths."""
    return wanted_of(unique_runs.function(input, return_inverse, return_counts, dim), return_inverse, return_counts)
