"""The middle, the most frequent, and what lies a given part of the way: medians, modes and quantiles."""

from __future__ import annotations

import numpy as np

from ...arrays.dtype import float32, float64
from ...arrays.errors import wrap_dim
from ...arrays.state import here
from ...graph.fields import wrap
from ...numerics import orders
from ...operators.declare import Array, composite, operator
from ...operators.results import delivered
from ...tensors.tensor import Tensor
from .extrema import full_gradient, no_elements, not_implemented
from .sorting import in_order, kept, picked_gradient, ranked
from .sums import one_axis


def middle(xp, a, axis, keepdim, skip_nan):
    """The lower median along an axis and its place: a NaN if there is one, unless they are skipped."""
    found = orders.median(a, axis, skip_nan)
    if found is not None:
        return kept(found, axis) if keepdim else found
    if a.dtype.kind != "f":
        return ranked(xp, a, axis, (a.shape[axis] - 1) // 2 if a.ndim else 0, keepdim)
    if not a.ndim:
        return a.copy(), xp.zeros((), np.int64)
    missing = xp.isnan(a)
    n = a.shape[axis]
    if skip_nan:
        present = n - xp.add.reduce(missing, axis=axis, keepdims=True)
        return ranked(xp, a, axis, xp.maximum(present - 1, 0) // 2, keepdim)
    # NaN sorts last, the first of them first.
    missing_count = xp.add.reduce(missing, axis=axis, keepdims=True)
    return ranked(xp, a, axis, xp.where(missing_count > 0, n - missing_count, (n - 1) // 2), keepdim)


def median_family(name, skip_nan):
    """median or nanmedian: of all elements, or along a dimension."""

    def whole_kernel(xp, input: Array):
        if input.dtype.kind in "cb":
            raise not_implemented("median_cpu", input)
        if not input.size:
            return xp.full((), np.nan).astype(input.dtype)
        return middle(xp, input.reshape(-1), 0, False, skip_nan)[0]

    whole = operator(f"_{name}_all", method=False, node=f"{name.title()}Backward0", wide=True)(whole_kernel)
    whole.gradient(input=full_gradient)

    whole.fast = lambda a: middle(np, a.reshape(-1), 0, False, skip_nan)[0] if a.size else None

    def dim_kernel(xp, input: Array, dim, keepdim=False):
        axis = one_axis(name, dim, input.ndim)
        problem = no_elements("median", input.shape, axis)
        if problem:
            raise problem
        if input.dtype.kind in "cb":
            raise not_implemented("median_out", input)
        return middle(xp, input, axis, keepdim, skip_nan)

    by_dim = operator(
        f"_{name}_dim", method=False, node=f"{name.title()}Backward1", outputs="values (indices)", wide=True,
    )(dim_kernel)  # fmt: skip
    by_dim.name = name
    by_dim.gradient(input=picked_gradient)

    def function(input, *args, **kwargs):
        return (by_dim if args or not {"out"}.issuperset(kwargs) else whole).call(input, *args, **kwargs)

    function.__doc__ = "The median (the lower of two), of all elements or along `dim` with its place" + (
        "; NaN is left out." if skip_nan else "."
    )
    composite(name, out=False, choices={(Tensor,): whole, (Tensor, int): by_dim})(function)


median_family("median", False)
median_family("nanmedian", True)


@operator(outputs="values (indices)", wide=True, long="hosted")
def mode(xp, input: Array, dim=-1, keepdim=False):
    """The most frequent element along `dim` (the smallest of several), and the last place where it stands."""
    axis = one_axis("mode", dim, input.ndim)
    problem = no_elements("mode", input.shape, axis)
    if problem:
        raise problem
    if input.dtype.kind == "c":
        raise not_implemented("mode_cpu", input)
    if not input.ndim:
        return input.copy(), xp.zeros((), np.int64)
    found = orders.mode(input, axis)
    if found is not None:
        return kept(found, axis) if keepdim else found
    a = np.moveaxis(input, axis, -1)
    shape = a.shape[:-1]
    rows = a.reshape(-1, a.shape[-1]) if a.size else a.reshape(0, a.shape[-1])
    missing = rows.dtype.kind == "f" and np.isnan(rows).any()
    ordered, places = in_order(np, rows, 1, False, bool(missing))
    n = rows.shape[1]
    starts = np.ones(rows.shape, bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    # The length of the run up to each element; the first longest run wins at its end.
    first = np.maximum.accumulate(np.where(starts, np.arange(n), 0), -1)
    end = (np.arange(n) - first).argmax(-1)[:, None]
    indices = np.take_along_axis(places, end, -1)
    if missing:  # a NaN in front is the mode where no element stands twice
        indices[np.isnan(rows[:, :1]) & starts.all(-1)[:, None]] = 0
    values = np.take_along_axis(rows, indices, -1)
    shape = (*shape[:axis], 1, *shape[axis:]) if keepdim else shape
    return values.reshape(shape), indices.reshape(shape)


mode.gradient(input=picked_gradient)

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def check_quantile(name, input, q, interpolation):
    if not input._array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if input.dtype not in (float32, float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if type(q._array) is np.ndarray and not ((q._array >= 0) & (q._array <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def quantile_of(name, input, q, dim, keepdim, interpolation, skip_nan):
    """Between two ranks of the sorted elements, each a gather: PyTorch's own chain of operators."""
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = wrap(np.asarray(q, input._array.dtype if input._array.dtype.kind == "f" else np.float32))
        if input._array.dtype.kind != "f" and input._array.size:
            raise RuntimeError("quantile() input tensor must be either float or double dtype")
        q = q if type(input._array) is np.ndarray else q.to(input.device)
    elif q.device != input.device:
        raise RuntimeError("quantile() q tensor must be on the same device as the input tensor")
    check_quantile("quantile", input, q, interpolation)
    axis = None if dim is None else wrap_dim(dim, input.ndim)
    shape = input._array.shape
    if input._node is None or not here.grad_enabled:
        return wrap(plain_quantile(input._array, q._array, axis, keepdim, interpolation, skip_nan))
    if axis is None:
        in_order = input.flatten().sort()[0]
        out_shape = (1,) * len(shape) if keepdim else ()
    else:
        if axis == input.ndim - 1:
            in_order = input.sort()[0]
        else:
            in_order = input.unsqueeze(-1).transpose(axis, -1).sort()[0]
        tail = (1,) if keepdim and shape else ()
        out_shape = shape[:axis] + tail + shape[axis + 1 :]
    n = in_order._array.shape[-1] if in_order.ndim else 1
    in_order = in_order.view((*out_shape, n))
    ranks = rank_array(in_order._array, q._array.reshape(-1), n, skip_nan, interpolation)
    below = ranks.astype(np.int64)
    values = in_order.gather(-1, wrap(below))
    if interpolation in ("linear", "midpoint"):
        weights = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below.astype(ranks.dtype)
        values = values.lerp(in_order.gather(-1, wrap(np.ceil(ranks).astype(np.int64))), wrap(weights))
    if q.ndim == 0:
        return values.squeeze_(-1)
    return values.unsqueeze_(0).transpose_(0, -1).squeeze_(-1)


def rank_array(a, q, n, skip_nan, interpolation):
    """The rank of each quantile in each row of sorted elements; the last where a NaN makes the quantile NaN."""
    missing = np.isnan(a)
    if skip_nan:
        present = n - missing.sum(-1, keepdims=True)
        ranks = np.maximum(q * (present - 1).astype(a.dtype), a.dtype.type(0))
    else:
        ranks = np.broadcast_to(q * a.dtype.type(n - 1), (*a.shape[:-1], len(q)))
        if type(a) is not np.ndarray or missing.any():
            ranks = np.where(missing.any(-1, keepdims=True), a.dtype.type(n - 1), ranks)
    rounding = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(interpolation)
    return ranks if rounding is None else rounding(ranks)


def plain_quantile(a, q, axis, keepdim, interpolation, skip_nan):
    """The same on arrays, without a graph."""
    shape = a.shape
    rows = a.reshape(-1) if axis is None else np.moveaxis(a, axis, -1) if a.ndim else a.reshape(1)
    found = orders.ordered(rows, rows.ndim - 1, False, True)
    rows = np.sort(rows, -1) if found is None else found[0]
    n = rows.shape[-1]
    ranks = rank_array(rows, q.reshape(-1), n, skip_nan, interpolation)
    below = ranks.astype(np.int64)
    values = np.take_along_axis(rows, below, -1)
    if interpolation in ("linear", "midpoint"):
        weight = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below.astype(ranks.dtype)
        step = np.take_along_axis(rows, np.ceil(ranks).astype(np.int64), -1)
        rise = step - values
        values = np.where(weight < 0.5, values + weight * rise, step - rise * (1 - weight))
    if axis is None:
        kept = (1,) * len(shape) if keepdim else ()
    else:
        kept = shape[:axis] + ((1,) if keepdim and shape else ()) + shape[axis + 1 :]
    values = np.moveaxis(values, -1, 0)
    return values.reshape(kept) if q.ndim == 0 else values.reshape(len(q), *kept)


@composite()
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The `q`-th quantile (a number or a vector of them, between 0 and 1) of all elements, or along `dim`.
    Several `q` stand along a new first dimension. Between two elements `interpolation` decides: 'linear', 'lower',
    'higher', 'midpoint' or 'nearest'. NaN where one is among them (`nanquantile` passes over it). RuntimeError: `q`
    outside of [0, 1], no float32 or float64."""
    return delivered(quantile_of("quantile", input, q, dim, keepdim, interpolation, False), out)


@composite()
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The same, of the elements that are not NaN."""
    return delivered(quantile_of("nanquantile", input, q, dim, keepdim, interpolation, True), out)
