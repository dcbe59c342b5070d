"""The shapes of numpy's functions that make, show and join arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import MetaArray, axes_of, axis_of, common, expanded, kept_strides, no_data
from .calls import rule
from .twins import asked, shaped

# -- making --------------------------------------------------------------------------------------------------------


@rule("empty", "zeros", "ones")
def made(function: Any, shape: Any, dtype: Any = float, order: str = "C", **_: Any) -> MetaArray:
    return MetaArray(shape, float if dtype is None else dtype, None, None, order)


@rule("full")
def full(function: Any, shape: Any, fill_value: Any, dtype: Any = None, **_: Any) -> MetaArray:
    return MetaArray(shape, getattr(fill_value, "dtype", np.asarray(fill_value).dtype) if dtype is None else dtype)


@rule("empty_like", "zeros_like", "ones_like")
def made_like(
    function: Any, a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any
) -> MetaArray:
    kind = a.dtype if dtype is None else dtype
    if shape is not None:
        return MetaArray(shape, kind)
    if not a.ndim or order == "C":
        return MetaArray(a.shape, kind)
    size = np.dtype(kind).itemsize
    return MetaArray(a.shape, kind, None, [s // a.dtype.itemsize * size for s in kept_strides(a)])


@rule("full_like")
def full_like(function: Any, a: Any, fill_value: Any, dtype: Any = None, **options: Any) -> MetaArray:
    return made_like(function, a, dtype, **options)


@rule("array")
def array(function: Any, a: Any, dtype: Any = None, copy: bool = True, order: str = "K", **_: Any) -> Any:
    if isinstance(a, MetaArray):
        return a.astype(a.dtype if dtype is None else dtype, order, copy=bool(copy))
    if isinstance(a, (list, tuple)) and any(isinstance(x, MetaArray) for x in a):
        return joined(np.stack, a, 0) if dtype is None else joined(np.stack, a, 0).astype(dtype)
    found = np.asarray(a, dtype)
    return MetaArray(found.shape, found.dtype)


@rule("asarray", "ascontiguousarray")
def as_array(function: Any, a: Any, dtype: Any = None, order: Any = None, **_: Any) -> Any:
    found = array(np.array, a, dtype, False)
    if function is not np.ascontiguousarray:
        return found
    if not found.ndim:
        return found.reshape(1)
    return found if found.flags.c_contiguous else found.copy()


@rule("arange")
def arange(function: Any, *args: Any, dtype: Any = None, **_: Any) -> MetaArray:
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    whole = all(isinstance(x, (int, np.integer)) for x in (start, stop, step))
    count = max(0, -int((start - stop) // step) if whole else int(np.ceil((stop - start) / step)))
    return MetaArray((count,), np.result_type(*args) if dtype is None else dtype)


@rule("eye", "tri")
def eye(function: Any, n: int, m: int | None = None, k: int = 0, dtype: Any = float, **_: Any) -> MetaArray:
    return MetaArray((n, n if m is None else m), dtype)


@rule("indices")
def indices(function: Any, dimensions: Any, dtype: Any = int, **_: Any) -> MetaArray:
    return MetaArray((len(dimensions), *dimensions), dtype)


@rule("triu_indices")
def triangle(function: Any, n: int, k: int) -> tuple:
    """As many places as the triangle beyond the k-th diagonal has."""
    count = max(0, n - k) * max(0, n - k + 1) // 2
    return MetaArray((count,), np.int64), MetaArray((count,), np.int64)


@rule("meshgrid")
def meshgrid(function: Any, *axes: Any, indexing: str = "xy", **_: Any) -> list:
    sizes = [a.size for a in axes]
    if indexing == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return [MetaArray(tuple(sizes), a.dtype) for a in axes]


# -- views -----------------------------------------------------------------------------------------------------------


@rule("moveaxis")
def moveaxis(function: Any, a: Any, source: Any, destination: Any) -> Any:
    sources, targets = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    order = [i for i in range(a.ndim) if i not in sources]
    for t, s in sorted(zip(targets, sources, strict=True)):
        order.insert(t, s)
    return a.transpose(order)


@rule("expand_dims")
def expand_dims(function: Any, a: Any, axis: Any) -> Any:
    many = axis if isinstance(axis, (tuple, list)) else (axis,)
    new = axes_of(many, a.ndim + len(many))
    return a[tuple([None if i in new else slice(None) for i in range(a.ndim + len(many))])]


@rule("broadcast_to")
def broadcast_to(function: Any, a: Any, shape: Any, **_: Any) -> Any:
    return expanded(a, (shape,) if isinstance(shape, int) else tuple(shape))


@rule("broadcast_arrays")
def broadcast_arrays(function: Any, *arrays: Any, **_: Any) -> tuple:
    given = [as_array(np.asarray, a) for a in arrays]
    shape = common(*[a.shape for a in given])
    return tuple([expanded(a, shape) for a in given])


@rule("flip")
def flip(function: Any, a: Any, axis: Any = None) -> Any:
    axes = axes_of(axis, a.ndim)
    return a[tuple([slice(None, None, -1) if i in axes else slice(None) for i in range(a.ndim)])]


# -- joining -----------------------------------------------------------------------------------------------------------


@rule("concatenate", "stack")
def joined(function: Any, arrays: Any, axis: Any = 0, dtype: Any = None, **_: Any) -> MetaArray:
    given = list(arrays)
    if function is np.stack:
        given = [expand_dims(function, a, axis) if isinstance(a, MetaArray) else np.expand_dims(a, axis) for a in given]
        axis = axis_of(axis, given[0].ndim)
    if axis is None:
        given, axis = [a.reshape(-1) for a in given], 0
    axis = axis_of(axis, given[0].ndim)
    first = given[0].shape
    for a in given:
        if len(a.shape) != len(first) or a.shape[:axis] + a.shape[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    shape = (*first[:axis], sum(a.shape[axis] for a in given), *first[axis + 1 :])
    options = {} if dtype is None else {"dtype": dtype}
    return shaped(shape, asked(np.concatenate, (tuple(given), axis), options))


@rule("tile")
def tile(function: Any, a: Any, reps: Any) -> MetaArray:
    reps = (reps,) if isinstance(reps, (int, np.integer)) else tuple(reps)
    n = max(len(reps), a.ndim)
    shape, reps = (1,) * (n - a.ndim) + a.shape, (1,) * (n - len(reps)) + reps
    return MetaArray(tuple([s * r for s, r in zip(shape, reps, strict=True)]), a.dtype)


@rule("repeat")
def repeat(function: Any, a: Any, repeats: Any, axis: Any = None) -> MetaArray:
    if isinstance(repeats, MetaArray):
        raise no_data()
    a = a.reshape(-1) if axis is None else a
    axis = axis_of(axis or 0, a.ndim)
    count = int(np.sum(repeats)) if np.size(repeats) > 1 else int(np.ravel(repeats)[0]) * a.shape[axis]
    return MetaArray((*a.shape[:axis], count, *a.shape[axis + 1 :]), a.dtype)


@rule("pad")
def pad(function: Any, a: Any, pad_width: Any, *args: Any, **kwargs: Any) -> MetaArray:
    width = np.broadcast_to(np.asarray(pad_width), (a.ndim, 2)).tolist()
    return shaped(
        tuple([n + b + e for n, (b, e) in zip(a.shape, width, strict=True)]),
        asked(np.positive, (a,), {}) if a.dtype.kind != "b" else np.empty(0, bool),
    )


@rule("roll", "tril", "triu", "round", "around", "isneginf", "angle", "i0", "conj", "conjugate")
def same(function: Any, a: Any, *args: Any, **kwargs: Any) -> MetaArray:
    """Results of the shape of the first argument."""
    from .calls import ufunc_call

    if isinstance(function, np.ufunc):
        return ufunc_call(function, "__call__", a, *args, **kwargs)
    return shaped(a.shape, asked(function, (a, *args), {k: v for k, v in kwargs.items() if k != "out"}))


@rule("diff")
def diff(function: Any, a: Any, n: int = 1, axis: int = -1, **_: Any) -> MetaArray:
    axis = axis_of(axis, a.ndim)
    kind = asked(np.not_equal if a.dtype.kind == "b" else np.subtract, (a, a), {})
    return shaped((*a.shape[:axis], max(0, a.shape[axis] - n), *a.shape[axis + 1 :]), kind)
