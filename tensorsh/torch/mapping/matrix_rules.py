"""The rules for functions of matrices, and others that work on the last dimensions of any tensor (`rules.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor
from .slices import Own, whole, wholes
from .tensor_rules import Loop, aligned, dims_of, matmul, plain, pointwise


def of_two(func: Callable, input: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
    """What works on the last two dimensions of two tensors, whose others are broadcast."""
    plain(*args, *kwargs.values())
    if dims_of(input) != 2 or dims_of(other) != 2:
        raise Loop
    return func(whole(input), whole(other), *args, **kwargs)


def solved(func: Callable, input: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
    """The solutions of each slice's system, or of one system for each slice's right side."""
    plain(*args, *kwargs.values())
    if args or kwargs or dims_of(input) != 2 or dims_of(other) not in (1, 2):
        raise Loop
    if dims_of(other) == 1 and not isinstance(input, Own):
        return func(input, other._whole.mT).mT
    return func(*wholes((input, other)))  # type: ignore[misc]


def transformed(func: Callable, input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """A Fourier transform along one dimension of each slice."""
    if not input.dims or not -input.dims <= dim < input.dims:
        raise Loop
    return func(input._whole, n, dim if dim < 0 else dim - input.dims, norm)


def compared(func: Callable, x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """A number for each pair of rows along a dimension, of slices that are broadcast."""
    dims = max(dims_of(x1), dims_of(x2))
    return func(aligned(x1, dims), aligned(x2, dims), dim if dim < 0 else dim - dims, eps)


def crossed(func: Callable, input: Any, other: Any, **kwargs: Any) -> Any:
    """Products of vectors along the last dimension."""
    if kwargs.pop("dim", -1 if func.__name__ == "linalg_cross" else None) != -1 or kwargs:
        raise Loop
    return pointwise(func, (input, other), {"dim": -1})


def traced(func: Callable, input: Any) -> Tensor:
    """The sum of each slice's diagonal."""
    if input.dims != 2:
        raise Loop
    return input._whole.diagonal(0, -2, -1).sum(-1)


def diagonals(func: Callable, input: Any, diagonal: int = 0) -> Tensor:
    """Each slice's diagonal, or the matrix that has it."""
    if input.dims == 1:
        return find_function("diag_embed")(input._whole, diagonal)
    if input.dims != 2:
        raise Loop
    return input._whole.diagonal(diagonal, -2, -1)


def added(func: Callable, input: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """A product of each slice's matrices and what is added to it."""
    if kwargs or not (isinstance(left, Own) or isinstance(right, Own)):
        raise Loop
    found = matmul(func, left, right)
    dims = found.dim() - 1
    return aligned(input, dims) + found


def placed(func: Callable, input: Any, boundaries: Any, **kwargs: Any) -> Any:
    """Between which of the same boundaries each element lies."""
    if isinstance(boundaries, Own):
        raise Loop
    return func(input._whole, boundaries, **kwargs)


def outer(func: Callable, input: Any, vec2: Any) -> Any:
    """The products of all pairs of elements of two vectors."""
    if dims_of(input) != 1 or dims_of(vec2) != 1:
        raise Loop
    return whole(input).unsqueeze(-1) * whole(vec2).unsqueeze(-2)


def imaged(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """What is done with a batch of images: all slices' images as one batch."""
    plain(*args, *kwargs.values())
    x = input._whole
    if input.dims < 3:
        raise Loop
    found = func(x.flatten(0, 1), *args, **kwargs)
    return found.reshape(*x.shape[:2], *found.shape[1:])


def contracted(func: Callable, a: Any, b: Any, dims: Any = 2, out: None = None) -> Any:
    """The last dimensions of each slice contracted with the first of what is the same for all."""
    if isinstance(b, Own) or not isinstance(dims, int) or not 0 <= dims <= a.dims:
        raise Loop
    return func(a._whole, b, dims)


def found_in(func: Callable, sorted_sequence: Any, input: Any, **kwargs: Any) -> Any:
    """Between which elements of each slice's sequence each of its values lies."""
    plain(*kwargs.values())
    each = isinstance(sorted_sequence, Own) and isinstance(input, Own)
    if not each or sorted_sequence.dims != input.dims or not input.dims or kwargs.get("sorter") is not None:
        raise Loop
    return func(sorted_sequence._whole, input._whole, **kwargs)


def marked(func: Callable, input: Any, num_classes: int = -1) -> Any:
    """The classes of each slice as rows that are one there, of as many as are said."""
    if num_classes <= 0:
        raise Loop
    return func(input._whole, num_classes)


FOUR = ("fft_fft", "fft_ifft", "fft_rfft", "fft_irfft", "fft_hfft", "fft_ihfft")
RULES: dict[str, Callable] = {
    **dict.fromkeys(("cdist", "cholesky_solve", "solve_triangular"), of_two), "solve": solved, **dict.fromkeys(FOUR, transformed),
    "cosine_similarity": compared, "cross": crossed, "trace": traced, "diag": diagonals, **dict.fromkeys(("addmm", "addmv"), added),
    "bucketize": placed, **dict.fromkeys(("outer", "ger"), outer), **dict.fromkeys(("interpolate", "pixel_shuffle"), imaged),
    "tensordot": contracted, "searchsorted": found_in, "one_hot": marked,
}  # fmt: skip
"""By the name of the function."""
