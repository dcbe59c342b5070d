"""Dropout and its relatives: elements or whole channels zeroed at random while training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.dtype import FLOAT
from ...arrays.errors import not_implemented
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...loading import table
from ...operators.declare import composite
from ...random.uniform_words import in_memory_order
from ...tensors.tensor import Tensor
from ..random.sampling import source


def _noise(array: Any, shape: tuple, p: float) -> Any:
    """Dropout's factors; where each element has its own, they are drawn in the order of the input's memory."""
    g = source(None, like=array)
    if type(array) is not np.ndarray and shape != array.shape:
        # PyTorch draws whole channels by another kernel there.
        return g.samplers.bernoulli_mask(g, shape, 1.0 - p) * array.dtype.type(1.0 / (1.0 - p))
    if array.flags.c_contiguous or shape != array.shape:
        return g.samplers.dropout_noise(g, shape, array.dtype, p)
    made = module_of(array).empty_like(array)
    ordered = in_memory_order(made)
    ordered[...] = g.samplers.dropout_noise(g, ordered.shape, array.dtype, p)
    return made


def _multiplied(input: Tensor) -> None:
    """Noise of the default dtype is multiplied in place with the input's kind."""
    if input.dtype.category < FLOAT:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.short}")


RANKS = {"dropout2d": (2, (3, 4)), "dropout3d": (3, (4, 5))}
"""The spatial dimensions of the inputs that these are made for, and their ranks."""
AS_1D = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is "
    "interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to interpret the "
    "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please "
    "switch to using dropout1d instead."
)


def warn_of_rank(name: str, ndim: int) -> None:
    """Say that an input has not the dimensions that it should."""
    dims, ranks = RANKS[name]
    fits = "3D or 4D" if dims == 2 else "4D or 5D"
    warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future release. To "
        f"retain the behavior and silence this warning, please use dropout instead. Note that {name} exists to provide "
        f"channel-wise dropout on inputs with {dims} spatial dimensions, a channel dimension, and an optional batch dimension "
        f"(i.e. {fits} inputs)."
    )


def _dropout(name: str, shape_of: Callable) -> None:
    def drop(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        if name == "dropout1d" and input.ndim not in (2, 3):
            raise RuntimeError(
                f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to provide "
                "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "
                "(i.e. 2D or 3D inputs)."
            )
        if name in RANKS and input.ndim not in RANKS[name][1]:
            warn_of_rank(name, input.ndim)
        if name == "dropout2d" and input.ndim == 3:
            warn(AS_1D)
        if not training or p == 0.0 or input._array.size == 0:
            return input
        if name == "dropout2d" and input.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        _multiplied(input)
        if p == 1.0:
            return input.mul_(0) if inplace else input * wrap(np.zeros((), input._array.dtype))
        noise = wrap(_noise(input._array, shape_of(input._array.shape), float(p)))
        return input.mul_(noise) if inplace else input * noise

    drop.__doc__ = (
        f"{name}: zeroes with probability p while training, and scales the rest by 1 / (1 - p).\n\n"
        "Any shape; a float dtype, which stays. Without training the input itself comes out. The same seed zeroes the same "
        "elements.\nGradients are zeroed and scaled alike. ValueError: a probability outside of [0, 1]."
    )
    composite("nn.functional." + name, method=False)(drop)


def _channels(shape: tuple) -> tuple:
    return shape[:2] + (1,) * (len(shape) - 2)


_dropout("dropout", lambda shape: shape)
_dropout("dropout1d", lambda shape: _channels(shape) if len(shape) == 3 else _channels((1, *shape))[1:])
_dropout("dropout2d", _channels)
_dropout("dropout3d", lambda shape: _channels(shape) if len(shape) == 5 else _channels((1, *shape))[1:])


@composite("dropout", method=False)
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """``nn.functional.dropout`` with its arguments in order."""
    return table.FUNCTIONS["nn.functional.dropout"](input, p, train)


def _alpha(name: str, shape_of: Callable) -> None:
    def drop(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        if not training or p == 0.0:
            return input
        if name == "feature_alpha_dropout" and input.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        _multiplied(input)
        if input._array.dtype.kind == "c":
            raise not_implemented("bernoulli_scalar_cpu_", input._array)
        alpha = 1.7580993408473766
        g = source(None, like=input._array)
        mask = g.samplers.bernoulli_mask(g, shape_of(input._array.shape), 1.0 - p).astype(input._array.dtype)
        a = 1.0 / np.sqrt((alpha * alpha * p + 1) * (1 - p))
        noise = wrap(mask * input._array.dtype.type(a))
        shift = wrap((mask - 1) * input._array.dtype.type(alpha * a) + input._array.dtype.type(alpha * a * p))
        return input.mul_(noise).add_(shift) if inplace else input * noise + shift

    drop.__doc__ = f"{name}: dropout that keeps mean and variance of SELU activations."
    composite("nn.functional." + name, method=False)(drop)


_alpha("alpha_dropout", lambda shape: shape)
_alpha("feature_alpha_dropout", _channels)
