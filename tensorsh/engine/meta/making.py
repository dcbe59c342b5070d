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


@rule("asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require")
def as_array(function: Any, a: Any, dtype: Any = None, order: Any = None, **_: Any) -> Any:
    found = array(np.array, a, dtype, False)
    if function is np.ascontiguousarray:
        if not found.ndim:
            return found.reshape(1)
        return found if found.flags.c_contiguous else found.copy()
    return found.copy("F") if function is np.asfortranarray and not found.flags.f_contiguous else found


@rule("arange")
def arange(function: Any, *args: Any, dtype: Any = None, **_: Any) -> MetaArray:
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    count = (
        max(0, -int((start - stop) // step))
        if all(isinstance(x, (int, np.integer)) for x in (start, stop, step))
        else max(0, int(np.ceil((stop - start) / step)))
    )
    return MetaArray((count,), np.result_type(*args) if dtype is None else dtype)


@rule("linspace")
def linspace(function: Any, start: Any, stop: Any, num: int = 50, dtype: Any = None, **_: Any) -> MetaArray:
    return MetaArray((num,), float if dtype is None else dtype)


@rule("eye", "identity", "tri")
def eye(function: Any, n: int, m: int | None = None, k: int = 0, dtype: Any = float, **_: Any) -> MetaArray:
    return MetaArray((n, n if m is None else m), dtype)


@rule("indices")
def indices(function: Any, dimensions: Any, dtype: Any = int, **_: Any) -> MetaArray:
    return MetaArray((len(dimensions), *dimensions), dtype)


@rule("triu_indices", "tril_indices")
def triangle(function: Any, n: int, k: int = 0, m: int | None = None) -> tuple:
    """As many places as the triangle has: rows of 0 to m elements."""
    m = n if m is None else m
    rows, most = (n, m) if function.__name__[:4] == "tril" else (m, n)
    first = k + 1 if function.__name__[:4] == "tril" else 1 - k
    before = max(0, min(rows, 1 - first))  # rows without an element
    full = max(0, min(rows, most - first + 1) - before)  # rows that grow
    start = first + before
    count = full * start + full * (full - 1) // 2 + (rows - before - full) * most
    return MetaArray((count,), np.int64), MetaArray((count,), np.int64)


@rule("meshgrid")
def meshgrid(function: Any, *axes: Any, indexing: str = "xy", **_: Any) -> list:
    sizes = [a.size for a in axes]
    if indexing == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return [MetaArray(tuple(sizes), a.dtype) for a in axes]


# -- views -----------------------------------------------------------------------------------------------------------


@rule("reshape", "ravel", "transpose", "swapaxes", "squeeze", "diagonal", "view", "astype", "copy", "fill")
def own(function: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    if function is np.reshape and "shape" in kwargs:
        args = (kwargs.pop("shape"),)
    if function is np.copy:
        return a.copy(*args or "K", **kwargs)
    return getattr(a, function.__name__)(*args, **kwargs)


@rule("permute_dims")
def permute(function: Any, a: Any, axes: Any = None) -> Any:
    return a.transpose(axes)


@rule("matrix_transpose")
def matrix_transpose(function: Any, a: Any) -> Any:
    return a.swapaxes(-1, -2)


@rule("moveaxis")
def moveaxis(function: Any, a: Any, source: Any, destination: Any) -> Any:
    sources, targets = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    order = [i for i in range(a.ndim) if i not in sources]
    for t, s in sorted(zip(targets, sources, strict=True)):
        order.insert(t, s)
    return a.transpose(order)


@rule("rollaxis")
def rollaxis(function: Any, a: Any, axis: int, start: int = 0) -> Any:
    order = [i for i in range(a.ndim) if i != axis_of(axis, a.ndim)]
    order.insert(start - (axis_of(axis, a.ndim) < start), axis_of(axis, a.ndim))
    return a.transpose(order)


@rule("expand_dims")
def expand_dims(function: Any, a: Any, axis: Any) -> Any:
    many = axis if isinstance(axis, (tuple, list)) else (axis,)
    new = axes_of(many, a.ndim + len(many))
    return a[tuple([None if i in new else slice(None) for i in range(a.ndim + len(many))])]


@rule("atleast_1d", "atleast_2d", "atleast_3d")
def atleast(function: Any, *arrays: Any) -> Any:
    wanted = int(function.__name__[8])
    found = []
    for a in arrays:
        if wanted == 3 and a.ndim == 2:
            a = a[:, :, None]
        elif wanted == 3 and a.ndim == 1:
            a = a[None, :, None]
        found.append(a if a.ndim >= wanted else a.reshape((1,) * (wanted - a.ndim) + a.shape))
    return found[0] if len(found) == 1 else tuple(found)


@rule("broadcast_to")
def broadcast_to(function: Any, a: Any, shape: Any, **_: Any) -> Any:
    return expanded(a, (shape,) if isinstance(shape, int) else tuple(shape))


@rule("broadcast_arrays")
def broadcast_arrays(function: Any, *arrays: Any, **_: Any) -> tuple:
    given = [as_array(np.asarray, a) for a in arrays]
    shape = common(*[a.shape for a in given])
    return tuple([expanded(a, shape) for a in given])


@rule("flip", "flipud", "fliplr")
def flip(function: Any, a: Any, axis: Any = None) -> Any:
    axes = {"flipud": [0], "fliplr": [1]}.get(function.__name__) or axes_of(axis, a.ndim)
    return a[tuple([slice(None, None, -1) if i in axes else slice(None) for i in range(a.ndim)])]


@rule("real", "imag")
def part(function: Any, a: Any) -> Any:
    return getattr(a, function.__name__)


@rule("split", "array_split", "hsplit", "vsplit", "dsplit")
def split(function: Any, a: Any, at: Any, axis: int = 0) -> list:
    name = function.__name__
    axis = {"vsplit": 0, "dsplit": 2, "hsplit": min(1, a.ndim - 1)}.get(name, axis)
    axis = axis_of(axis, a.ndim)
    n = a.shape[axis]
    if isinstance(at, (int, np.integer)):
        small, more = divmod(n, int(at))
        if more and name != "array_split":
            raise ValueError("array split does not result in an equal division")
        ends = np.cumsum([small + 1] * more + [small] * (int(at) - more)).tolist()[:-1]
    else:
        ends = list(at)
    found, before = [], 0
    for end in [*ends, n]:
        found.append(a[(*[slice(None)] * axis, slice(before, end))])
        before = end
    return found


# -- joining -----------------------------------------------------------------------------------------------------------


@rule("concatenate", "stack", "vstack", "hstack", "dstack")
def joined(function: Any, arrays: Any, axis: Any = 0, dtype: Any = None, **_: Any) -> MetaArray:
    given = list(arrays)
    name = function.__name__
    if name == "stack":
        given = [expand_dims(function, a, axis) if isinstance(a, MetaArray) else np.expand_dims(a, axis) for a in given]
        axis = axis_of(axis, given[0].ndim)
    elif name == "vstack":
        given = [atleast(np.atleast_2d, a) for a in given]
    elif name == "hstack":
        given = [atleast(np.atleast_1d, a) for a in given]
        axis = min(1, given[0].ndim - 1)
    elif name == "dstack":
        given, axis = [atleast(np.atleast_3d, a) for a in given], 2
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


@rule(
    "roll",
    "tril",
    "triu",
    "nan_to_num",
    "round",
    "around",
    "fix",
    "isneginf",
    "isposinf",
    "angle",
    "i0",
    "sinc",
    "iscomplex",
    "isreal",
    "real_if_close",
    "conj",
    "conjugate",
)
def same(function: Any, a: Any, *args: Any, **kwargs: Any) -> MetaArray:
    """Results of the shape of the first argument."""
    from .calls import ufunc_call

    if isinstance(function, np.ufunc):
        return ufunc_call(function, "__call__", a, *args, **kwargs)
    return shaped(a.shape, asked(function, (a, *args), {k: v for k, v in kwargs.items() if k != "out"}))


@rule("rot90")
def rot90(function: Any, a: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    k %= 4
    if k == 2:
        return flip(np.flip, a, axes)
    if not k:
        return a[...]
    return flip(np.flip, a, axes[1]).swapaxes(*axes) if k == 1 else flip(np.flip, a.swapaxes(*axes), axes[1])


@rule("diff")
def diff(function: Any, a: Any, n: int = 1, axis: int = -1, **_: Any) -> MetaArray:
    axis = axis_of(axis, a.ndim)
    kind = asked(np.not_equal if a.dtype.kind == "b" else np.subtract, (a, a), {})
    return shaped((*a.shape[:axis], max(0, a.shape[axis] - n), *a.shape[axis + 1 :]), kind)
