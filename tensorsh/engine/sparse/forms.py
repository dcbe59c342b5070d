"""What functions that are made of other operators give of sparse tensors, where those have no rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..operators.declare import Array
from ..tensors.tensor import Tensor
from .arrangement import narrowed
from .arrays import Compressed, Coo, Sparse
from .missing import Missing, refused
from .rules import alone, rule, sparse_operator

FORMS: dict[str, Callable] = {}
"""By a function's first name."""


def form(name: str) -> Callable:
    def declare(function: Callable) -> Callable:
        FORMS[name] = function
        return function

    return declare


@sparse_operator("_narrow_copy", node="NarrowCopyBackward0")
def narrow(xp, input: Array, dim, start, length):
    """The `length` slices from `start` along a dimension."""
    return narrowed(input, dim, start, length)


narrow.gradient(input=refused("narrow"))


@form("narrow_copy")
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    if type(input._array) is not Coo:
        raise Missing(input._array, "narrow_copy")
    if not input.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if not 0 <= dim < input.ndim:
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {input.ndim}.")
    n = input.shape[dim]
    if start < 0 or start + length > n:
        raise RuntimeError(f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {n}).")
    return narrow.function(input, dim, start, length)


@sparse_operator("_norm", node="NormBackward1")
def norm_of(xp, input: Array, p):
    """The norm of all elements."""
    values = alone(input).values
    return xp.asarray(xp.linalg.norm(values.reshape(-1), p)).astype(abs(values[:0]).dtype)


norm_of.gradient(input=refused("norm_backward"))


@rule("dist")
def distance(xp: Any, x: Any, y: Any, p: Any = 2) -> Any:
    if type(x) is Compressed or type(y) is Compressed:
        raise Missing(x if isinstance(x, Sparse) else y, "dist")
    difference = x - y if isinstance(x, Coo) or not isinstance(y, Coo) else x + -y
    if isinstance(difference, Coo):
        difference = difference.coalesce().values
    return xp.asarray(xp.linalg.norm(difference.reshape(-1), p)).astype(difference.dtype)


@form("norm")
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Tensor:
    if type(input._array) is not Coo:
        raise Missing(input._array, "norm")
    if dtype is not None and p == "fro":
        raise ValueError("dtype argument is not supported in frobenius norm")
    if dim is not None and len(tuple(np.atleast_1d(dim))) not in (0, input.ndim):
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the "
            "input"
        )
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    if dtype is not None:
        raise RuntimeError("norm_sparse currently does not support 'dtype' argument")
    return norm_of.function(input, 2 if p == "fro" or p is None else float(p))
