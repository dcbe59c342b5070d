"""Calls of numpy's functions on arrays without elements.

A rule (`rules`, `linear`) tells the shape, and numpy, asked on small arrays, the rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .array import MetaArray, check_fits, common
from .refusals import refusal
from .twins import asked, shaped

RULES: dict[str, Callable] = {}
"""By the name of a function of numpy: what makes its result."""


def rule(*names: str) -> Callable:
    """Enter a function as the rule of numpy's functions of these names."""

    def enter(function: Callable) -> Callable:
        for name in names:
            RULES[name] = function
        return function

    return enter


def name_of(function: Any) -> str:
    """``linalg.svd`` for a function of numpy.linalg, the bare name for one of numpy's own."""
    module = getattr(function, "__module__", None) or "numpy"
    room = module.removeprefix("numpy").strip(".").removeprefix("_core").strip(".")
    name = getattr(function, "__name__", "")
    return f"{room}.{name}" if room.split(".")[0] in ("linalg", "fft") else name


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function of numpy gives for arrays without elements."""
    if isinstance(function, np.ufunc):
        return ufunc_call(function, "__call__", *args, **kwargs)
    out = kwargs.get("out")
    made = RULES.get(name_of(function))
    if made is None:
        raise refusal(UNKNOWN.get(name_of(function), name_of(function)))
    found = made(function, *args, **kwargs)
    return found if out is None else delivered(found, out)


def delivered(found: Any, out: Any) -> Any:
    """What was to be written to `out`."""
    if isinstance(out, tuple):
        for f, o in zip(found if isinstance(found, tuple) else (found,), out, strict=False):
            if o is not None:
                check_fits(f.shape, o.shape)
        return out[0] if len(out) == 1 else out
    check_fits(found.shape, out.shape)
    return out


def method_of(name: str, array: MetaArray) -> Callable:
    """A method of an array: numpy's function of that name."""
    function = getattr(np, {"conjugate": "conj"}.get(name, name), None)
    return partial(call, function if function is not None else getattr(np.ndarray, name), array)


def shape_of(x: Any) -> tuple:
    return x.shape if hasattr(x, "shape") else np.shape(x)


def ufunc_call(ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """What a ufunc gives: the operands broadcast."""
    out = kwargs.pop("out", None)
    kwargs.pop("where", None)
    if len(args) > ufunc.nin and method == "__call__":
        args, out = args[: ufunc.nin], args[ufunc.nin] if len(args) == ufunc.nin + 1 else args[ufunc.nin :]
    if method != "__call__":
        found = RULES["ufunc." + method](ufunc, *args, **kwargs)
        return found if out is None else delivered(found, out)
    if ufunc.signature is not None:
        found = RULES[ufunc.__name__](ufunc, *args, **kwargs)
    else:
        shape = common(*[shape_of(a) for a in args])
        if out is not None and ufunc.nout == 1:
            target = out[0] if isinstance(out, tuple) else out
            check_fits(shape, target.shape)
            return target
        small = asked(ufunc, args, kwargs)
        found = tuple([shaped(shape, s) for s in small]) if ufunc.nout > 1 else shaped(shape, small)
    return found if out is None else delivered(found, out)


UNKNOWN = {
    "nonzero": "nonzero", "flatnonzero": "nonzero", "argwhere": "nonzero", "unique": "_unique2", "bincount": "bincount",
    "extract": "masked_select", "compress": "masked_select",
}  # fmt: skip
"""Functions with as many results as values say, and PyTorch's names for them."""
