"""Functions of scipy.special as operators. scipy is imported inside the kernels, when one of them first runs."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from ...sandbox.long_calls import MANY, apart
from ..arrays.constants import FLOAT32, FLOAT64
from ..kernels import kernel as kernel_named
from ..loading import scipy
from ..numerics.halves import by_table
from ..numerics.rounding import rounded
from .declare import Array, operator
from .pointwise import refuse

_scipy: dict[str, Any] = {}
PYTHONS = {"erf": math.erf, "erfc": math.erfc, "gammaln": math.lgamma}
"""What Python has, element by element, for where there is no scipy."""


def from_scipy(xp: Any, name: str) -> Any:
    """A function of scipy.special, or of cupyx's for arrays on a GPU."""
    if xp is not np and xp.__name__ == "cupy":
        return getattr(importlib.import_module("cupyx.scipy.special"), name)
    found = _scipy.get(name)
    if found is None:
        try:
            found = getattr(scipy.part("special"), name)
        except ModuleNotFoundError:
            if name not in PYTHONS:
                raise
            found = np.vectorize(PYTHONS[name], otypes=[np.float64])
        found = _scipy[name] = leavable(found)
    return found


def leavable(function: Any) -> Any:
    """A function that can be interrupted on large arrays."""

    def call(*arrays: Any, **options: Any) -> Any:
        for x in arrays:
            if type(x) is np.ndarray and x.size >= MANY:
                return apart(function, *arrays, **options)
        return function(*arrays, **options)

    return call


def scipy_function(
    names: str,
    scipy_name: str,
    gradient: Any,
    doc: str,
    *,
    check: str = "",
    inplace: bool = True,
    kinds: str = "c",
    compiled: str = "",
    odd: bool = False,
    **options: Any,
) -> Any:
    """A function of one tensor that scipy has, and its gradient. `compiled`: the name of a kernel; `odd`: a zero keeps its
    sign, which scipy loses."""
    name = names.split()[0].rpartition(".")[2]

    ufunc = kernel_named(compiled)

    def kernel(xp, input: Array):
        if (
            ufunc is not None
            and type(input) is np.ndarray
            and (input.dtype is FLOAT32 or input.dtype is FLOAT64 and ufunc.ntypes > 1)
        ):
            return ufunc(input)
        found = rounded(from_scipy(xp, scipy_name), input)
        return xp.copysign(found, input) if odd and found.dtype.kind == "f" else found

    kernel.__name__, kernel.__doc__ = name, doc
    options = {"promote": "float", "scalars": False, "check": refuse(check or f"{name}_cpu", kinds)} | options
    op = operator(names, inplace=inplace, **options)(kernel)
    op.same = by_table(op, op.same)
    if gradient is not None:
        op.gradient(input=gradient)
    return op
