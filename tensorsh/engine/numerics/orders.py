"""Orders along an axis by compiled kernels: each function gives None where there are none, or for an array that is not theirs.

NaN is larger than every number and equal to itself; which of equal elements comes first is PyTorch's, which leaves it to the
algorithms of the C++ library. The formulas that take their place stand beside the operators, and keep the order of equals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import kernel, unsuited

ORDERED = frozenset(np.dtype(code) for code in "?bhilqBHILQefd")
"""The dtypes of numpy whose elements have an order; bfloat16 is one of ml_dtypes."""

_ordered: Any = kernel("ordered", unsuited)
_leading: Any = kernel("leading", unsuited)
_ranked: Any = kernel("ranked", unsuited)
_median: Any = kernel("median", unsuited)
_mode: Any = kernel("mode", unsuited)


def _by(function: Any, a: Any, axis: int, *rest: Any) -> Any:
    if type(a) is not np.ndarray or not a.ndim or not (a.dtype in ORDERED or a.dtype.name == "bfloat16"):
        return None
    return function(a if a.flags.c_contiguous else np.ascontiguousarray(a), axis, a.dtype.kind == "i", *rest)


def ordered(a: Any, axis: int, descending: bool, stable: bool) -> Any:
    """The elements in order, and the places they come from."""
    return _by(_ordered, a, axis, bool(descending), bool(stable))


def leading(a: Any, axis: int, k: int, largest: bool, in_order: bool) -> Any:
    """The first `k` in order (or in the order that finding them leaves), and their places."""
    return _by(_leading, a, axis, k, bool(largest), bool(in_order))


def ranked(a: Any, axis: int, k: int) -> Any:
    """The element of rank `k`, from zero, and its place; the axis is gone."""
    return _by(_ranked, a, axis, k)


def median(a: Any, axis: int, skip_nan: bool) -> Any:
    """The lower median and its place: of NaN the first, unless they are skipped; the axis is gone."""
    return _by(_median, a, axis, skip_nan)


def mode(a: Any, axis: int) -> Any:
    """The most frequent element and its place; the axis is gone. None where there is a NaN."""
    return _by(_mode, a, axis)
