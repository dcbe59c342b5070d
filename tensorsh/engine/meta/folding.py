"""The shapes of numpy's functions that fold arrays along axes, put them in order and pick from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import MetaArray, axes_of, axis_of, common
from .calls import rule, shape_of
from .making import as_array
from .refusals import refusal
from .twins import asked, shaped

# -- folding along axes ------------------------------------------------------------------------------------------------


def folded(shape: tuple, axis: Any, keepdims: bool) -> tuple:
    gone = axes_of(axis, len(shape))
    if keepdims:
        return tuple([1 if i in gone else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in gone])


@rule(
    "sum", "prod", "mean", "var", "std", "max", "min", "amax", "amin", "all", "any", "argmax", "argmin", "count_nonzero",
)  # fmt: skip
def fold(function: Any, a: Any, axis: Any = None, *args: Any, keepdims: Any = False, **kwargs: Any) -> MetaArray:
    keep = bool(keepdims) and keepdims is not np._NoValue
    shape = folded(a.shape, axis, keep)
    if 0 in a.shape and function.__name__ in ("max", "min", "amax", "amin", "argmax", "argmin"):
        if any(a.shape[i] == 0 for i in axes_of(axis, a.ndim)):
            raise ValueError("zero-size array to reduction operation has no identity")
    kwargs = {k: v for k, v in kwargs.items() if k not in ("out", "where", "initial")}
    found = shaped(shape, asked(function, (a, axis, *args), kwargs | ({"keepdims": True} if keep else {})))
    found.sure = function.__name__ == "all"
    return found


@rule("ufunc.reduce")
def reduce(ufunc: Any, a: Any, axis: Any = 0, dtype: Any = None, keepdims: bool = False, **_: Any) -> MetaArray:
    shape = folded(a.shape, axis, keepdims)
    return shaped(shape, asked(ufunc.reduce, (a, axis, dtype), {"keepdims": keepdims}))


@rule("ufunc.accumulate")
def accumulate(ufunc: Any, a: Any, axis: int = 0, dtype: Any = None, **_: Any) -> MetaArray:
    return shaped(a.shape, asked(ufunc.accumulate, (a, axis, dtype), {}))


@rule("ufunc.at")
def at(ufunc: Any, a: Any, where: Any, *values: Any) -> None:
    return None


@rule("cumsum", "cumprod")
def cumulative(function: Any, a: Any, axis: Any = None, dtype: Any = None, **_: Any) -> MetaArray:
    if axis is None:
        a, axis = a.reshape(-1), 0
    return shaped(a.shape, asked(function, (a, axis, dtype), {}))


# -- ordering, picking -------------------------------------------------------------------------------------------------


@rule("sort", "argsort", "partition")
def ordered(function: Any, a: Any, *args: Any, axis: Any = -1, **kwargs: Any) -> MetaArray:
    if axis is None:
        a = a.reshape(-1)
    return shaped(a.shape, asked(np.argsort if function.__name__[:3] == "arg" else np.sort, (a,), {}))


@rule("lexsort")
def lexsort(function: Any, keys: Any, axis: int = -1) -> MetaArray:
    shape = keys.shape[1:] if hasattr(keys, "shape") else keys[0].shape
    return MetaArray(shape, np.int64)


@rule("take")
def take(function: Any, a: Any, indices: Any, axis: Any = None, **_: Any) -> MetaArray:
    a = as_array(np.asarray, a)
    if axis is None:
        return MetaArray(shape_of(indices), a.dtype)
    axis = axis_of(axis, a.ndim)
    return MetaArray((*a.shape[:axis], *shape_of(indices), *a.shape[axis + 1 :]), a.dtype)


@rule("take_along_axis")
def take_along_axis(function: Any, arr: Any, indices: Any, axis: Any = -1) -> MetaArray:
    if axis is None:
        return MetaArray((shape_of(indices)[0],), arr.dtype)
    axis = axis_of(axis, arr.ndim)
    a, i = list(arr.shape), list(indices.shape)
    a[axis] = i[axis]
    before, behind = common(tuple(a[:axis]), tuple(i[:axis])), common(tuple(a[axis + 1 :]), tuple(i[axis + 1 :]))
    return MetaArray((*before, i[axis], *behind), arr.dtype)


@rule("put_along_axis", "copyto", "put")
def written(function: Any, *args: Any, **kwargs: Any) -> None:
    return None


@rule("searchsorted")
def searchsorted(function: Any, a: Any, v: Any, side: str = "left", sorter: Any = None) -> MetaArray:
    return MetaArray(shape_of(v), np.int64)


@rule("isin")
def isin(function: Any, element: Any, *args: Any, **_: Any) -> MetaArray:
    return MetaArray(shape_of(element), np.bool_)


@rule("where", "clip")
def pointwise(function: Any, *args: Any, **kwargs: Any) -> MetaArray:
    kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    if function is np.where and len(args) == 1:
        raise refusal("nonzero")
    shape = common(*[shape_of(a) for a in args if a is not None])
    return shaped(shape, asked(function, args, kwargs))
