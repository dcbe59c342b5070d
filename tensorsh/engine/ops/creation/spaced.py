"""Evenly spaced numbers: `linspace`, `logspace`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.dtype import FLOAT8, given_dtype
from ...arrays.errors import cpp_name, not_implemented
from ...arrays.extents import span
from ...arrays.state import state
from ...arrays.type_names import type_name
from ...loading import table
from ...numerics.rounding import rounded
from ...tensors.ranges import both_halves, check_bounds, of_out
from ...tensors.tensor import Tensor
from .factories import _bound, _end, keeping


def spaced_dtype(name: str, start: Any, end: Any, steps: int, given: Any) -> np.dtype:
    """The dtype of so many evenly spaced numbers: that of the bounds, or a given one that can hold them."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    complex_ = isinstance(start, complex) or isinstance(end, complex)
    usual = state.default_dtype.to_complex() if complex_ else state.default_dtype
    d = usual if given is None else given_dtype(given, name)
    if complex_ and not d.is_complex:
        raise RuntimeError(
            f"torch.{name}(): inferred dtype {cpp_name(usual)} can't be safely cast to passed dtype {d.short}"
        )
    if d in FLOAT8:
        raise not_implemented(f"{name}_cpu", d)
    span((steps,), None, d.numpy.itemsize)
    return d.numpy


def linspace(
    start: Any, end: Any, steps: int, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` evenly spaced values from `start` to `end`, both included.
    They are (end - start) / (steps - 1) apart; one step gives `start`. RuntimeError: a negative `steps`."""
    if type(start) is not float or type(end) is not float:
        check_bounds("linspace", start, end)
        start, end = _end(start), _end(end)
    dtype = of_out("linspace", dtype, out)
    steps = _bound(steps)
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise TypeError(f"linspace(): argument 'steps' (position 3) must be int, not {type_name(steps)}")
    d = spaced_dtype("linspace", start, end, steps, dtype)
    if steps == 1:
        array = np.full(1, start).astype(d)
    elif d.kind in "iu":
        array = both_halves(start, end, steps, np.dtype(np.float64))
        array = np.trunc(array).astype(d)
    else:
        array = both_halves(start, end, steps, d).astype(d, copy=False) if steps else np.empty(0, d)
    return keeping(array, out, device, requires_grad, dtype)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` values from ``base ** start`` to ``base ** end``, evenly spaced on a logarithmic scale.
    A vector of `steps` numbers of the default dtype unless `dtype` says otherwise; `base` is 10. RuntimeError: a
    negative `steps`."""
    check_bounds("logspace", start, end)
    dtype = of_out("logspace", dtype, out)
    start, end = _end(start), _end(end)
    d = spaced_dtype("logspace", start, end, steps, dtype)
    wide = np.dtype(np.complex128) if d.kind == "c" else np.dtype(np.float64)
    if d.kind in "iu":
        start, end = int(start), int(end)
    powers = np.full(steps, start, wide) if steps < 2 else both_halves(start, end, steps, d, True)
    if d.kind == "c" and steps > 1:  # as C's library has it
        found = rounded(np.exp, powers.astype(d) * np.log(np.complex128(base)).astype(d))
    else:
        found = np.power(wide.type(base), powers).astype(d)
    return keeping(found, out, device, requires_grad, dtype)


table.FUNCTIONS |= {"linspace": linspace, "logspace": logspace}
