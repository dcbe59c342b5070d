"""Dtypes of whole and complex numbers that PyTorch's functions have no kernel for, where numpy has one.

Shapes and settings are looked at before: a result that would have come out is refused, in PyTorch's words. Floats are
never among them, and pay nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays.errors import not_implemented
from ..loading.recorded import beside, entries

FILE = beside(__file__, "refusals.txt")


@lru_cache(1)
def recorded() -> dict[str, dict[np.dtype, str]]:
    """The kernel that a function misses for a dtype."""
    found: dict[str, dict[np.dtype, str]] = {}
    for head, names in entries(FILE):
        kernel, *dtypes = head.split()
        missing = {np.dtype(d): kernel for d in dtypes}
        for name in names.split():
            found.setdefault(name, {}).update(missing)
    return found


def of_names(names: list[str]) -> dict[np.dtype, str]:
    """What is recorded of an operator; those that others are made of stand under a name with an underscore before it."""
    known = recorded()
    for name in names:
        bare = name.lstrip("_")
        for each in (name, bare, "nn.functional." + bare):
            if each in known:
                return known[each]
    return {}


def refuse(known: Any, names: list[str], array: np.ndarray) -> dict[np.dtype, str]:
    """Raise PyTorch's error where it has no kernel of an operator for an operand's dtype. The kernels that it has not, which
    are `known` the next time (True: not yet)."""
    missing = of_names(names) if known is True else known
    kernel = missing.get(array.dtype)
    if kernel is not None:
        raise not_implemented(kernel, array)
    return missing


def refuse_call(known: Any, names: list[str], args: tuple, result: Any) -> dict[np.dtype, str]:
    """The same for a function of several operators, unless another operand brings floats in or the operand itself comes
    out."""
    missing = of_names(names) if known is True else known
    array = args[0]._array
    kernel = missing.get(array.dtype)
    lower = "biuc" if array.dtype.kind == "c" else "biu"
    alone = all(x._array.dtype.kind in lower for x in args if hasattr(x, "_array"))
    if kernel is not None and alone and result is not args[0]:
        raise not_implemented(kernel, array)
    return missing
