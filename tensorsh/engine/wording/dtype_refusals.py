"""Dtypes of whole, complex and very short numbers that PyTorch's functions have no kernel for, where numpy has one.

Shapes and settings are looked at before: a result that would have come out is refused, in PyTorch's words. Floats of two bytes and
more are never among them, and pay nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.dtype import FLOAT8, of
from ..arrays.errors import check_broadcast, not_implemented
from ..arrays.promotion import result_type
from ..loading.recorded import told


def of_names(names: list[str]) -> dict[np.dtype, str]:
    """The kernel that an operator misses for a dtype; what others are made of stands under a name with an underscore before."""
    for name in names:
        bare = name.lstrip("_")
        for each in (name, bare, "nn.functional." + bare):
            if (text := told(each, "lacks")) is not None:
                kernels = [kernel.split() for kernel in text.split("; ")]
                return {alike: kernel for kernel, *dtypes in kernels for dtype in dtypes for alike in meant(dtype)}
    return {}


def meant(name: str) -> list[np.dtype]:
    """The dtypes that a name stands for: `float8` for all of these."""
    return [each.numpy for each in FLOAT8 if name in (each.name, "float8")] or [np.dtype(name)]


def refuse_short(op: Any, array: np.ndarray, operands: list) -> dict[np.dtype, str]:
    """As `refuse`, for a float8, which is told before anything is computed; of shapes and other dtypes before that."""
    if op.promote is not None:
        check_broadcast(operands)
        result_type(operands)
    return refuse(op.limited, op.names, array)


def refuse(
    known: Any, names: list[str], array: np.ndarray, args: tuple = (), result: Any = None
) -> dict[np.dtype, str]:
    """Raise PyTorch's error where it has no kernel of an operator for an operand's dtype; the kernels that it has not, which
    are `known` the next time (True: not yet). A function of several operators gives its arguments and its result: another
    operand may bring floats in, or the operand itself come out."""
    missing = of_names(names) if known is True else known
    kernel = missing.get(array.dtype)
    if kernel is not None:
        lower = {"c": "biuc", "V": "fV", "f": "fV"}.get(array.dtype.kind, "biu")
        if all(x._array.dtype.kind in lower for x in args if hasattr(x, "_array")) and (
            not args or result is not args[0]
        ):
            if kernel[-1] == ":":
                raise RuntimeError(f"{kernel} Unsupported dtype {of(array).short}")
            raise not_implemented(kernel, array)
    return missing
