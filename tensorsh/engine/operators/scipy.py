"""Functions of scipy.special as operators. scipy is imported inside the kernels, when one of them first runs."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from ..arrays.chunks import suits
from ..arrays.constants import EXACT_SIZE
from ..kernels import kernel as kernel_named
from ..kernels import run
from ..kernels import suits as suited
from ..loading import scipy
from ..numerics.rounding import rounded
from .declare import Array, operator
from .pointwise import refuse

_scipy: dict[str, Any] = {}
PYTHONS = {"erf": math.erf, "erfc": math.erfc, "gammaln": math.lgamma}
"""What Python has, element by element, for where there is no scipy."""


def from_scipy(xp: Any, name: str) -> Any:
    """A function of scipy.special, or of cupyx's for arrays on a GPU."""
    if xp is not np:
        return getattr(importlib.import_module("cupyx.scipy.special"), name)
    found = _scipy.get(name)
    if found is None:
        try:
            found = getattr(scipy.part("special"), name)
        except ModuleNotFoundError:
            if name not in PYTHONS:
                raise
            found = np.vectorize(PYTHONS[name], otypes=[np.float64])
        _scipy[name] = found
    return found


def scipy_function(
    names: str,
    scipy_name: str,
    gradient: Any,
    doc: str,
    *,
    check: str = "",
    inplace: bool = True,
    kinds: str = "c",
    big: Any = None,
    compiled: str = "",
    **options: Any,
) -> Any:
    """A function of one tensor that scipy has, and its gradient. `big`: a faster one for large float32 arrays;
    `compiled`: the name of a kernel."""
    name = names.split()[0].rpartition(".")[2]

    ufunc = kernel_named(compiled)

    def kernel(xp, input: Array):
        if ufunc is not None and suited(input):
            return run(ufunc, input)
        if big is not None and input.size > EXACT_SIZE and suits(input):
            return big(input)
        return rounded(from_scipy(xp, scipy_name), input)

    kernel.__name__, kernel.__doc__ = name, doc
    options = {"promote": "float", "scalars": False, "check": refuse(check or f"{name}_cpu", kinds)} | options
    op = operator(names, inplace=inplace, **options)(kernel)
    if gradient is not None:
        op.gradient(input=gradient)
    return op
