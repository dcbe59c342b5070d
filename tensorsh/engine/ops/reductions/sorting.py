"""Sorting, picking by rank, and distinct elements. NaN is larger than every number; equal elements keep their order."""

from __future__ import annotations

import numpy as np

from ...arrays.backend import module_of
from ...arrays.errors import combination_error, type_name, wrap_dim
from ...arrays.parallel import BLOCK
from ...numerics import ties
from ...operators.declare import Array, composite, operator
from ...operators.reduction import offsets_of, pick
from .extrema import give_back, no_elements, not_implemented
from .sums import one_axis

PACKED = 2000
"""From this many elements float32 and int32 are sorted as numbers of 64 bits, the value above its place."""


def order(xp, a, axis, descending=False):
    """The stable order of an array along an axis; equal elements keep theirs, descending too."""
    n = a.shape[axis]
    if a.dtype.kind == "V":
        a = a.astype(np.float32)  # NaN comes last there
    if xp is np and a.size >= PACKED and a.dtype.itemsize == 4 and n < 1 << 32:
        return packed_order(a, axis, descending)
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


def packed_order(a, axis, descending):
    """The same by one unstable sort: the place in the low half settles what the value leaves open."""
    a = np.moveaxis(a, axis, -1)
    if a.dtype.kind == "f":
        keys = np.where(np.isnan(a), a.dtype.type(np.nan), a + a.dtype.type(0)).view(np.uint32)
        keys = np.where(keys >> 31, ~keys, keys | np.uint32(1 << 31))
    else:
        keys = a.astype(np.uint32) ^ np.uint32(1 << 31 if a.dtype.kind == "i" else 0)
    if descending:
        keys = ~keys
    both = keys.astype(np.uint64) << np.uint64(32)
    both |= np.arange(a.shape[-1], dtype=np.uint64)
    both.sort(axis=-1)
    both &= np.uint64(0xFFFFFFFF)
    places = both.view(np.int64)
    return np.ascontiguousarray(np.moveaxis(places, -1, axis))


def tied_rows(values):
    """The numbers of the rows of a matrix in which neighbours are equal (or both NaN)."""
    same = values[:, 1:] == values[:, :-1]
    if values.dtype.kind == "f":
        same |= np.isnan(values[:, 1:])
    return np.nonzero(same.any(1))[0]


def settled(a, places, axis, choose, width=None):
    """Stable places along an axis, changed to PyTorch's in slices with equal elements: `choose(ranks)` gives them.

    `width`: how many of the first in order matter.
    """
    if type(a) is not np.ndarray or a.size > ties.LIMIT or not a.size:
        return places[(slice(None),) * axis + (slice(0, width),)] if width is not None else places
    rows = np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis])
    stable = np.moveaxis(places, axis, -1).reshape(rows.shape)
    seen = stable if width is None else stable[:, : width + 1]
    found = tied_rows(np.take_along_axis(rows, seen, -1))
    chosen = stable if width is None else stable[:, :width]
    if len(found):
        chosen = chosen.copy()
        for row in found.tolist():
            chosen[row] = choose(ties.ranks_of(rows[row], stable[row]))
    shape = (*a.shape[:axis], *a.shape[axis + 1 :], chosen.shape[1])
    return np.ascontiguousarray(np.moveaxis(chosen.reshape(shape), -1, axis))


def unstable_order(xp, a, axis, descending):
    """The order that an unstable sort gives: above 16 elements equals are out of order."""
    places = order(xp, a, axis, descending)
    if a.shape[axis] <= 16:
        return places
    return settled(a, places, axis, ties.sort)


def stable_node(input, dim=-1, descending=False, stable=None):
    return "SortBackward0" if stable is None else "SortBackward1"


@operator(outputs="values (indices)", node=stable_node, long=True)
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
    places = (order if stable else unstable_order)(xp, input, axis, descending)
    return pick(input, places, axis), places


def sorted_along(a, dim, descending, stable):
    """As sort, of an array of floats."""
    if stable is not None or type(dim) is not int or not -a.ndim <= dim < a.ndim or type(descending) is not bool:
        return None
    places = unstable_order(np, a, dim % a.ndim, descending)
    return pick(a, places, dim % a.ndim), places


sort.fast = sorted_along
sort.gradient(
    input=lambda t, g, indices, input_shape, dim, descending: give_back(t, g[0], indices, input_shape, dim, True)
)


@operator(long=True)
def argsort(xp, input: Array, dim=-1, descending=False, *, stable=False):
    """The places of the elements in order along `dim`.
    int64 of the same shape: ``x.gather(dim, x.argsort(dim))`` is sorted. `dim` is the last one when left out;
    `descending` puts the largest first, `stable` keeps the order of equal elements. IndexError: no such dimension.
    """
    axis = one_axis("argsort", dim, input.ndim)
    if input.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    if not input.ndim:
        return xp.zeros((), np.int64)
    return (order if stable else unstable_order)(xp, input, axis, descending)


@composite()
def msort(input):
    """The tensor sorted along its first dimension."""
    return sort.function(input, 0)[0]


def beyond_bound(a, k, largest):
    """The places of the `k` first along the last dimension, if all of them and only they reach the bound; else None."""
    n = a.shape[-1]
    at = n - k if largest else k - 1
    bound = np.partition(a, at, -1)[..., at : at + 1]
    mask = a >= bound if largest else a <= bound
    if not (np.count_nonzero(mask, -1) == k).all():
        return None
    places = np.nonzero(mask)[-1].reshape(*a.shape[:-1], k)
    values = np.take_along_axis(a, places, -1)
    places = np.take_along_axis(places, (-values if largest else values).argsort(-1, "stable"), -1)
    values = np.take_along_axis(a, places, -1)
    return None if (values[..., 1:] == values[..., :-1]).any() else places


def leading(xp, a, k, axis, largest):
    """The places of the `k` first in order along an axis, in order; of equal elements the first."""
    n = a.shape[axis]
    if xp is np and n >= 1000 and 0 < k * 8 < n and a.dtype.kind == "f":
        places = beyond_bound(np.moveaxis(a, axis, -1), k, largest)
        if places is not None:
            return np.moveaxis(places, -1, axis)
    return settled(a, order(xp, a, axis, largest), axis, lambda ranks: ties.leading(ranks, k), k)


def rows_topk(a, k):
    """The `k` largest in the rows of a small float matrix and where they stand; None where that takes more care."""
    rows, n = a.shape
    if k < 1:
        return None
    if n >= 1000:
        return few_of_many(a, k) if k <= FEW and k < n else None
    places = (-a).argsort(1, "stable")[:, : k + 1]
    values = a.reshape(-1).take(places + offsets_of(rows, n)[:, None])
    # Equal elements, and NaN (which the negation puts last): neither is strictly less than its neighbour.
    if n > 1 and not (values[:, 1:] < values[:, :-1]).all() or np.isnan(a).any():
        return None
    return values[:, :k].copy(), places[:, :k].copy()


FEW = 16
"""Up to this many elements of long rows are found one after the other."""


def few_of_many(a, k):
    """As `rows_topk` for long rows: the largest of each, then without it the next, a block of rows at a time."""
    rows, n = a.shape
    values, places = np.empty((rows, k + 1), a.dtype), np.empty((rows, k + 1), np.int64)
    step = max(1, BLOCK // n)
    for top in range(0, rows, step):
        part = a[top : top + step].copy()
        each = np.arange(len(part))
        for j in range(k + 1):
            at = part.argmax(1)
            values[top : top + step, j] = part[each, at]
            places[top : top + step, j] = at
            part[each, at] = -np.inf
    # Equal elements or NaN among them: which of them come first is for the general way, for these rows.
    unclear = np.flatnonzero(~(values[:, 1:] < values[:, :-1]).all(1))
    values, places = values[:, :k].copy(), places[:, :k].copy()
    if unclear.size:
        tied = a[unclear]
        places[unclear] = found = leading(np, tied, k, 1, True)
        values[unclear] = np.take_along_axis(tied, found, 1)
    return values, places


def chosen_first(a, axis, k, largest):
    """The `k` first elements in order along an axis, and their places."""
    if largest and 0 < a.ndim <= 2 and axis in (-1, a.ndim - 1) and a.flags.c_contiguous and a.dtype.kind == "f":
        found = rows_topk(a if a.ndim == 2 else a[None], k)
        if found is not None:
            return found if a.ndim == 2 else (found[0][0], found[1][0])
    places = np.ascontiguousarray(leading(np, a, k, axis, largest))
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
    return chosen_first(input, axis, int(k), largest)


def topk_along(a, k, dim, largest, sorted):
    """As topk, of an array of floats."""
    if type(k) is not int or type(dim) is not int or not -a.ndim <= dim < a.ndim or not 0 <= k <= a.shape[dim]:
        return None
    return chosen_first(a, dim % a.ndim, k, largest)


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
    return ranked(xp, input, axis, k - 1, keepdim, lambda ranks: [ties.quick_select(ranks, k - 1)])


def ranked(xp, a, axis, rank, keepdim, choose=None):
    """The element of a rank (one number, or one for each slice) along an axis, and its place.

    `choose(ranks)`: which of equal elements, in a list; the one of that rank in the stable order when None.
    """
    if not a.ndim:
        return a.copy(), xp.zeros((), np.int64)
    places = stable = order(xp, a, axis)
    if isinstance(rank, int):
        places = places[(slice(None),) * axis + (slice(rank, rank + 1),)]
    else:
        places = xp.take_along_axis(places, rank, axis)
    places = xp.ascontiguousarray(places)
    values = xp.take_along_axis(a, places, axis)
    if choose is not None and (np.count_nonzero(a == values, axis) > 1).any():
        places = settled_one(a, stable, axis, choose, places)
    if keepdim:
        return values, places
    shape = a.shape[:axis] + a.shape[axis + 1 :]
    return values.reshape(shape), places.reshape(shape)


def settled_one(a, stable, axis, choose, places):
    """One place for each slice, PyTorch's among equal elements."""
    if type(a) is not np.ndarray or a.size > ties.LIMIT:
        return places
    rows = np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis])
    orders = np.moveaxis(stable, axis, -1).reshape(rows.shape)
    found = [choose(ties.ranks_of(row, in_order))[0] for row, in_order in zip(rows, orders, strict=True)]
    return np.array(found, np.int64).reshape(places.shape)


def picked_gradient(t, g, indices, input_shape, dim, keepdim):
    return give_back(t, g[0], indices, input_shape, dim, keepdim)


kthvalue.gradient(input=picked_gradient)


def no_derivative(name):
    def formula(t, g):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return formula


@operator("_unique2", method=False, outputs="_ (_) (_)", long=True)
def unique2(xp, input: Array, sorted=True, return_inverse=False, return_counts=False):
    """The distinct elements in order, the place of each element among them, and their counts."""
    if input.dtype.kind == "c":
        raise not_implemented("unique", input)
    values, inverse, counts = xp.unique(input.reshape(-1), return_inverse=True, return_counts=True, equal_nan=False)
    return values, inverse.reshape(input.shape).astype(np.int64), counts.astype(np.int64)


unique2.gradient(input=no_derivative("_unique2"))


def slices(a, axis):
    """The slices along an axis as rows."""
    if not a.size and any(n == 0 and i != axis for i, n in enumerate(a.shape)):
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    n = a.shape[axis]
    return module_of(a).moveaxis(a, axis, 0).reshape(n, a.size // n if n else 1)


@operator("_unique_dim", method=False, outputs="_ (_) (_)", node="UniqueDimBackward0", long=True)
def unique_dim(xp, input: Array, dim, return_inverse=False, return_counts=False):
    """The distinct slices along `dim` in lexical order."""
    axis = wrap_dim(dim, input.ndim)
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


unique_dim.gradient(input=no_derivative("unique_dim"))


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
        rows, axis, flat = input.reshape(-1, 1), 0, input.reshape(-1)
    else:
        axis, flat = wrap_dim(dim, input.ndim), input
        rows = slices(input, axis)
        if not len(rows):
            return input.copy(), xp.zeros(0, np.int64), xp.zeros(0, np.int64)
    values, inverse, counts = groups(xp, flat, axis, rows, xp.arange(len(rows)))
    return values, inverse.reshape(input.shape) if dim is None else inverse, counts


unique_runs.gradient(input=no_derivative("unique_consecutive"))


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
        return wanted_of(unique2.function(input, sorted, True, True), return_inverse, return_counts)
    return wanted_of(unique_dim.function(input, dim, True, True), return_inverse, return_counts)


@composite()
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The first of each run of equal elements, or of equal slices along `dim`; with the run of each, and lengths."""
    return wanted_of(unique_runs.function(input, True, True, dim), return_inverse, return_counts)
