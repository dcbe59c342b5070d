"""Parts of nearly equal length, or between given places: `tensor_split` and its forms for one dimension."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ...arrays.device import absent
from ...arrays.errors import combination_error, wrap_dim
from ...arrays.state import here
from ...graph.fields import wrap
from ...operators.declare import composite
from ...tape.record import attach
from ...tensors.tensor import Tensor
from .views import slice_


@composite("tensor_split")
def tensor_split(input: Tensor, indices_or_sections=None, dim=0, *, sections=None, indices=None) -> tuple:
    """So many parts of nearly equal length along `dim`, or the parts between the given places."""
    shape = input._array.shape
    if not shape:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    given = indices_or_sections
    if given is None:
        given = indices if sections is None else sections
    if given is None:
        raise combination_error("tensor_split", input)
    if isinstance(given, Tensor):
        if given._array.dtype != np.int64:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got " + given.dtype.short
            )
        if given._array.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got "
                f"a tensor with {given._array.ndim} dims"
            )
        if absent(given._array):
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to be on cpu, but it's on meta")
        given = given._array.tolist()
    dim = wrap_dim(dim, len(shape))
    n = shape[dim]
    if isinstance(given, (int, np.integer)):
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        least, longer = divmod(n, given)
        ends = list(accumulate([least + 1] * longer + [least] * (given - longer)))[:-1]
    else:
        ends = list(given)
    starts = [0, *ends]
    if type(input._array) is np.ndarray and not (here.grad_enabled and input._node is not None):
        before = (slice(None),) * dim
        parts = [wrap(input._array[(*before, slice(a, b))]) for a, b in zip(starts, [*ends, n], strict=True)]
        for part in parts:
            attach(part, input)
        return tuple(parts)
    return tuple([slice_.function(input, dim, a, b) for a, b in zip(starts, [*ends, n], strict=True)])


def _directional(name: str, dim: int, least: int) -> None:
    def function(input: Tensor, indices_or_sections, *more: int) -> tuple:
        if more:
            indices_or_sections = (indices_or_sections, *more)
        ndim = input._array.ndim
        if ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {ndim} dimensions!"
            )
        along = 0 if name == "hsplit" and ndim == 1 else dim
        if isinstance(indices_or_sections, int):
            if indices_or_sections == 0 or input._array.shape[along] % indices_or_sections:
                raise RuntimeError(
                    f"torch.{name} attempted to split along dimension {along}, but the size of the dimension "
                    f"{input._array.shape[along]} is not divisible by the split_size {indices_or_sections}!"
                )
        return tensor_split(input, indices_or_sections, along)

    function.__doc__ = f"`tensor_split` along dimension {dim}."
    composite(name)(function)


for _name, _dim, _least in ("hsplit", 1, 1), ("vsplit", 0, 2), ("dsplit", 2, 3):
    _directional(_name, _dim, _least)
