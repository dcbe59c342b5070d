"""numpy's functions that believe the numbers they are given: called with plain integers, and with counts that fit in 64 bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import integers
from .integers import plain
from .long_calls import LEADING, ndarray, refuse_objects
from .names import check_keywords
from .numpy_views import ODD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TOO_BIG = "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
TOO_REPEATED = "arrays of more than 2**28 repeated elements are not made in tensorsh: compute with the smaller array"
MOST = 1 << 60
"""Elements of no array: a number well below those at which numpy's own sums pass 64 bits."""
MOST_REPEATED = 1 << 28
"""Elements of an array that costs nothing, being few numbers repeated: more of them nobody waits for."""


def named(function: Callable[..., Any], like: Any) -> Callable[..., Any]:
    """Gives a wrapper the name and docstring of what it wraps."""
    function.__name__ = function.__qualname__ = like.__name__
    function.__doc__ = like.__doc__
    function.__module__ = getattr(like, "__module__", None) or "numpy"
    function.__wrapped__ = like  # type: ignore[attr-defined]
    return function


def answered(result: Any) -> Any:
    """A result without arrays of Python objects, and of structures with gaps."""
    if integers.usual(result):
        return result
    if type(result) is ndarray:
        if result.dtype.char in ODD or result.dtype.names:
            refuse_objects((result,))
    elif isinstance(result, (tuple, list)):
        refuse_objects(result)
    elif isinstance(result, LEADING):
        refuse_objects((result,))
    return result


def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on plain integers. What numpy has in Python computes with a program's own class of them, and then lays
    out memory. Arrays of Python objects are neither taken nor answered."""

    def call(*args: Any, **options: Any) -> Any:
        if not integers.usual(args):
            args = tuple([plain(v) for v in args])
            refuse_objects(args)
        if options:
            options = plain(options)
            refuse_objects(options.values())
        return answered(function(*args, **options))

    return named(call, function)


def objectless(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which neither takes nor answers arrays of Python objects."""

    def call(*args: Any, **options: Any) -> Any:
        refuse_objects(args)
        refuse_objects(options.values())
        return answered(function(*args, **options))

    return named(call, function)


def silent(function: Callable[..., Any]) -> Callable[..., None]:
    """The function without its answer."""

    def call(*args: Any, **options: Any) -> None:
        function(*args, **options)

    return named(call, function)


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, refusing to answer an array of so many repeated numbers that no call would come to its end."""

    def call(*args: Any, **options: Any) -> Any:
        result = function(*args, **options)
        for part in result if isinstance(result, (tuple, list)) else (result,):
            if (
                type(part) is np.ndarray
                and part.size > MOST_REPEATED
                and (not part.itemsize or part.size * part.itemsize > extent(part))
            ):
                raise ValueError(TOO_REPEATED)
        return result

    return named(call, function)


def with_points(function: Callable[..., Any]) -> Callable[..., Any]:
    """A transform, refused where there is nothing to transform: numpy's inverse ones show memory then."""

    def call(a: Any, *args: Any, **options: Any) -> Any:
        if not np.size(a) and function.__name__ not in ("fftshift", "ifftshift"):
            raise ValueError("Invalid number of FFT data points (0) specified.")
        return function(a, *args, **options)

    return named(call, function)


def extent(array: Any) -> int:
    """The bytes from the first to the last element."""
    return sum(abs(step) * (n - 1) for n, step in zip(array.shape, array.strides, strict=True)) + array.itemsize


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    counts = np.asarray(plain(repeats))
    each = np.size(a) if counts.size == 1 else 1
    if np.sum(np.abs(counts.astype(np.float64))) * each >= MOST:
        raise ValueError(TOO_BIG)
    return np.repeat(a, counts, axis)


def tile(A: Any, reps: Any) -> Any:
    reps = plain(reps)
    counts = np.asarray(reps, np.float64).reshape(-1).tolist()
    if math.prod(counts) * np.size(A) >= MOST:
        raise ValueError(TOO_BIG)
    return np.tile(A, reps)


def clip(a: Any, *arguments: Any, **options: Any) -> Any:
    if check_keywords(options).get("where", True) is not True:
        raise TypeError(
            "clip() takes no `where` in tensorsh: choose among the clipped and other values with numpy.where"
        )
    return np.clip(a, *arguments, **options)


def wrapped(indices: Any, count: int, mode: Any) -> Any:
    """Indices within bounds where `mode` is to wrap them: numpy would count them down, one length after another."""
    indices = plain(indices)
    return indices if mode in ("raise", "clip") or not count else np.asarray(indices) % count


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    count = np.size(a) if axis is None else np.size(a, axis)
    mode = plain(mode)
    return np.take(a, wrapped(indices, count, mode), plain(axis), out, mode)


def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    mode = plain(mode)
    return np.put(a, wrapped(ind, np.size(a), mode), v, mode)


def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    mode = plain(mode)
    return np.choose(wrapped(a, len(choices), mode), choices, out, mode)


def unique(ar: Any, *arguments: Any, **options: Any) -> Any:
    if not np.size(ar) and max(np.shape(ar)) > MOST_REPEATED:  # rows without elements, which numpy would sort
        raise ValueError(TOO_REPEATED)
    return np.unique(ar, *arguments, **options)


def method(array: Any, name: str) -> Callable[..., Any]:
    """One of these functions as a method of an array."""
    functions: dict[str, Callable[..., Any]] = {
        "clip": clip, "repeat": repeat, "take": take, "put": put, "choose": choose,
    }  # fmt: skip
    function = objectless(functions[name])
    return lambda *arguments, **keywords: function(array, *arguments, **keywords)


def empty(shape: Any, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    return np.zeros(plain(shape), plain(dtype), order, device=device, like=like)


def empty_like(prototype: Any, *args: Any, **options: Any) -> Any:
    return np.zeros_like(prototype, *map(plain, args), **plain(options))


GUARDED = {
    f.__name__: named(objectless(f), getattr(np, f.__name__))
    for f in (clip, repeat, tile, empty, empty_like, take, put, choose)
} | {"unique": named(plainly(unique), np.unique)}
