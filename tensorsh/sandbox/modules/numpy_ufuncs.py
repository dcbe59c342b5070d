"""numpy's elementwise functions as scripts see them: they can be interrupted, and show no memory that was not written.

numpy leaves the elements of a new result that `where` leaves out as the memory was; here they are zero.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import integers
from ..copying import same
from ..integers import settled
from ..kinds import Final, make
from ..long_calls import HUGE, LONG, apart, refuse_objects
from ..numpy_guards import answered, named, objectless, plain

SETTINGS = ("dtype", "casting", "signature", "order", "subok")
NUMBERS = frozenset((int, float, bool, complex))


def run(function: Any, *arguments: Any, **options: Any) -> Any:
    """A call of numpy's, made where it can be left if an array is huge; products of matrices, if there is much to multiply."""
    work = 1
    if options:
        refuse_objects(options.values())
    for x in arguments:
        if type(x) is np.ndarray:
            if x.dtype.hasobject:
                refuse_objects((x,))
            work *= max(1, x.size)
            if x.size >= HUGE or work >= LONG and getattr(function, "signature", None) is not None:
                return answered(apart(function, *arguments, **options))
    return answered(function(*arguments, **options))


def written(real: Any, inputs: tuple, outs: tuple, where: Any, options: dict) -> Any:
    """The result of a ufunc where a mask is true; of what is not given in `outs`, the other elements are zero."""
    told, inputs = inputs, tuple(x if type(x) in NUMBERS else np.asarray(x) for x in inputs)
    where = np.asarray(where, bool)
    few = [x if type(x) in NUMBERS else x.reshape(-1)[:0] if x.ndim else x for x in inputs]
    with np.errstate(all="ignore"):
        like = real(*few, **{key: options[key] for key in SETTINGS if key in options})
    shape = np.broadcast_shapes(where.shape, *[np.shape(x) for x in inputs])
    kinds = [np.asarray(x).dtype for x in (like if real.nout > 1 else (like,))]
    given = (*outs, *[None] * (real.nout - len(outs)))
    into = tuple(np.zeros(shape, kind) if x is None else x for x, kind in zip(given, kinds, strict=True))
    found = run(real, *inputs, out=into, where=where, **options)
    wrap = next((x.__array_wrap__ for x in told if is_tensor(x)), None)
    parts = [
        x if new is not None else wrap(x) if wrap else x[()]
        for x, new in zip(found if real.nout > 1 else (found,), given, strict=True)
    ]
    return tuple(parts) if real.nout > 1 else parts[0]


def is_tensor(x: Any) -> bool:
    """Whether numpy's results of an argument are tensors."""
    return hasattr(type(x), "__array_wrap__") and not isinstance(x, (np.ndarray, np.generic))


def of_real(name: str) -> property:
    return property(lambda self: getattr(self._real, name))


class ufunc(metaclass=Final):  # noqa: N801
    """A function of numpy's of arrays element by element, with its reductions."""

    __slots__ = ("_real",)
    __deepcopy__ = same
    nin, nout, nargs, ntypes, types, identity, signature, __name__, __doc__ = map(
        of_real, "nin nout nargs ntypes types identity signature __name__ __doc__".split()
    )

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        real = self._real
        if not integers.inert(arguments):
            arguments = tuple(map(settled, arguments))
        if options:
            options = plain(options)
        where = options.get("where", True)
        if where is not True and real.signature is None:
            del options["where"]
            out = options.pop("out", None)
            outs = out if isinstance(out, tuple) else arguments[real.nin :] if out is None else (out,)
            if len(arguments) >= real.nin and None in map(type_or_none, (*outs, *[None] * (real.nout - len(outs)))):
                return written(real, arguments[: real.nin], outs, where, options)
            options |= {"where": where} if out is None else {"where": where, "out": out}
        return run(real, *arguments, **options)

    def outer(self, a: Any, b: Any, /, **options: Any) -> Any:
        """The function of every pair of an element of `a` and one of `b`."""
        a, b, options = settled(a), settled(b), plain(options)
        if options.get("where", True) is True:
            pairs = math.prod(x.size for x in (a, b) if type(x) is np.ndarray)
            return answered((apart if pairs >= HUGE else run)(self._real.outer, a, b, **options))
        a, b = np.asarray(a), np.asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **options)

    def reduce(self, array: Any, *arguments: Any, **options: Any) -> Any:
        """The elements along an axis, taken together."""
        return run(self._real.reduce, settled(array), *map(plain, arguments), **plain(options))

    def accumulate(self, array: Any, *arguments: Any, **options: Any) -> Any:
        """The elements along an axis, each taken together with all before it."""
        return run(self._real.accumulate, settled(array), *map(plain, arguments), **plain(options))

    def reduceat(self, array: Any, indices: Any, *arguments: Any, **options: Any) -> Any:
        """The elements of slices along an axis, taken together."""
        return run(self._real.reduceat, settled(array), plain(indices), *map(plain, arguments), **plain(options))

    def at(self, a: Any, indices: Any, b: Any = None, /) -> None:
        """The function of the elements at `indices`, in place and one after another."""
        run(self._real.at, a, plain(indices), *(() if b is None else (settled(b),)))

    def __repr__(self) -> str:
        return repr(self._real)


def type_or_none(x: Any) -> Any:
    return x if x is None else type(x)


def ufuncs(names: str) -> dict[str, Any]:
    """numpy's elementwise functions of some names, as scripts see them."""
    return {name: make(ufunc, _real=getattr(np, name)) for name in names.split() if hasattr(np, name)}


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    if isinstance(mode, str) and mode == "empty":
        return np.pad(array, plain(pad_width), "constant")
    return np.pad(array, plain(pad_width), mode, **plain(options))


def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    found = np.unpackbits(a, axis=plain(axis), count=plain(count), bitorder=bitorder)
    return found if np.size(a) else np.zeros_like(found)


GUARDED = {f.__name__: named(objectless(f), getattr(np, f.__name__)) for f in (pad, unpackbits)}
