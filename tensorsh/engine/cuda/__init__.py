"""Kernels for a GPU, where a chain of cupy's functions would read and write memory many times.

They take the place of an operator's own kernel, or of its gradient's formula, for arrays of a device; everything else of
the operator (promotion, checks, the tape) stays as it is. `KERNELS` and `GRADIENTS` name what is replaced. Nothing here is
imported before a program asks for a device."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from ..arrays import device_guard
from ..arrays.cupy_module import cupy
from ..arrays.device import absent
from ..arrays.on_arrays import on_arrays
from ..graph.formula_steps import in_single
from ..loading import table
from ..loading.table import OPERATORS, load
from ..operators import hooks
from ..tape.worlds import raw
from . import (
    activation,
    alignment,
    attention,
    bessel,
    cudnn,
    extrema,
    linalg,
    loss,
    memory,
    normalization,
    places,
    pointwise,
    pools,
    products,
    recurrent,
    sampling,
    segments,
    solving,
    sorting,
    sums,
    windows,
)
from .checks import outside
from .cublaslt import affine
from .philox import Philox
from .products import product, product_added
from .scatter import fold
from .segments import row_maxima, row_sums

__all__ = [
    "Philox", "affine", "attention", "cudnn", "filled", "fold", "outside", "pools", "prepare", "product",
    "product_added", "recurrent", "row_maxima", "row_sums", "sampling", "sorting", "summed", "taken", "KINDS",
    "KERNELS", "HOSTED",
]  # fmt: skip
"""What the rooms below ask for, of `accelerator()`."""
taken: Callable = places.take
filled: Callable = places.filled
summed: Callable = sums.DIRECT["sum"]
KINDS = frozenset(np.dtype(name) for name in ("float16", "float32", "float64", ml_dtypes.bfloat16))
"""What the kernels are compiled for."""
KERNELS: dict[str, Callable] = (
    activation.KERNELS | bessel.KERNELS | normalization.KERNELS | windows.KERNELS | loss.KERNELS
)
"""By the operator's name: a function with the parameters of its kernel."""
HOSTED: dict[str, Callable] = linalg.KERNELS | solving.KERNELS | sorting.KERNELS | segments.KERNELS | alignment.KERNELS
"""In place of the CPU's kernel, for operators that run there else: None for what is left to it."""
DIRECT: dict[str, Callable] = (
    pointwise.KERNELS
    | normalization.DIRECT
    | sums.DIRECT
    | places.DIRECT
    | extrema.DIRECT
    | loss.DIRECT
    | windows.DIRECT
    | products.DIRECT
    | attention.DIRECT
)
"""By the operator's name: what computes from its arrays at once, or answers None."""
GRADIENTS: dict[str, Callable] = activation.GRADIENTS | normalization.GRADIENTS
"""By the operator's name: the formula for its first argument, or its joint formula, on arrays of a device."""
Philox.samplers = sampling


def prepare(index: int) -> None:
    """A program asks for a device. From the first on that is not the current one, every call is asked where its
    tensors lie."""
    memory.install(cupy())
    pointwise.install(cupy().ndarray)
    if device_guard.note(index):
        hooks.stay("devices")
    install()


@cache
def install() -> None:
    """Let the formulas of operators that have one of their own here choose it by the arrays they are given."""
    for family in ("nn.activation", "nn.rectifiers", "reductions.softmax", "nn.normalization", "nn.native"):
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
            if vars(node_class).get("_step", in_single) is not in_single:
                del node_class._step  # made from the old formula; the next pass makes it anew
    table.watchers.append(connect)
    connect()


def connect() -> None:
    """Let operators, also those that are loaded later, launch kernels of one expression at once."""
    for name, own in DIRECT.items():
        op = OPERATORS.get(name)
        if op is not None and op.direct is None:
            op.direct = own.of(op) if isinstance(own, pointwise.Pointwise) else own


def chosen(formula: Callable, own: Callable) -> Callable:
    """`formula`, but `own` in a pass over arrays of a device."""

    def computed(g: Any, *values: Any) -> Any:
        first = g[0] if type(g) is list else g
        usual = first is None or type(first) is np.ndarray or hasattr(first, "layout") or absent(first)
        return None if usual else own(raw, g, *values)

    return on_arrays(computed)(formula)
