"""Kernels for a GPU, where a chain of cupy's functions would read and write memory many times.

They take the place of an operator's own kernel, or of its gradient's formula, for arrays of a device; everything else of
the operator (promotion, checks, the tape) stays as it is. `KERNELS` and `GRADIENTS` name what is replaced. Nothing here is
imported before a program asks for a device.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import ml_dtypes
import numpy as np

from . import activation, bessel, linalg, loss, normalization, sorting, windows

KINDS = frozenset(np.dtype(name) for name in ("float16", "float32", "float64", ml_dtypes.bfloat16))
"""What the kernels are compiled for."""
KERNELS: dict[str, Callable] = (
    activation.KERNELS | bessel.KERNELS | normalization.KERNELS | windows.KERNELS | loss.KERNELS
)
"""By the operator's name: a function with the parameters of its kernel."""
HOSTED: dict[str, Callable] = linalg.KERNELS | sorting.KERNELS
"""In place of the CPU's kernel, for operators that run there else: None for what is left to it."""
GRADIENTS: dict[str, Callable] = activation.GRADIENTS | normalization.GRADIENTS
"""By the operator's name: the formula for its first argument, or its joint formula, on arrays of a device."""


@cache
def install() -> None:
    """Let the formulas of operators that have one of their own here choose it by the arrays they are given."""
    from ..table import OPERATORS, load

    for family in ("activation", "rectifiers", "softmax", "normalization", "native"):
        load(family)
    for name, formula in GRADIENTS.items():
        op = OPERATORS[name]
        if op.joint is not None:
            op.joint = chosen(op.joint, formula)
        else:
            first, slots = op.formulas[0]
            op.formulas = [(chosen(first, formula), slots), *op.formulas[1:]]
            op.runners = [(op.formulas[0][0], *op.runners[0][1:]), *op.runners[1:]]
        for node_class in op.classes.values():
            if "_step" in vars(node_class):
                del node_class._step  # made from the old formula; the next pass makes it anew


def chosen(formula: Callable, own: Callable) -> Callable:
    """`formula`, but `own` in a pass over arrays of a device."""

    @wraps(formula)
    def run(t: Any, g: Any, *values: Any) -> Any:
        first = g[0] if type(g) is list else g
        on_device = first is not None and type(first) is not np.ndarray and not hasattr(first, "layout")
        return (own if t.raw and on_device else formula)(t, g, *values)

    return run
