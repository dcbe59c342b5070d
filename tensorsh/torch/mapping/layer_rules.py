"""The rules of `vmap` for what networks are made of: layers, normalizations, losses (tensor_rules.py has those of tensors)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor
from .slices import STATISTICS, Own, base
from .tensor_rules import Loop, Refused, aligned, dims_of, matmul, plain, pointwise


def linear(func: Callable, input: Any, weight: Any, bias: Any = None) -> Any:
    """A linear layer: the input, its weight and bias, or all are of the slices."""
    if isinstance(input, Own) and not isinstance(weight, Own) and not isinstance(bias, Own):
        return func(input._whole, weight, bias)
    if not isinstance(weight, Own) or dims_of(input) > 2 and not isinstance(input, Own):
        raise Loop
    found = matmul(func, input, Own._of(weight._level, weight._whole.mT))
    if bias is None:
        return found
    return pointwise(find_function("add"), (Own._of(weight._level, found), bias), {})


def per_slice(reduction: str, each: Tensor) -> Tensor:
    """The mean or sum of each slice's losses."""
    return find_function(reduction)(each, dim=list(range(1, each.dim()))) if each.dim() > 1 else each


def mean_loss(
    func: Callable, input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", **more: Any
) -> Any:  # fmt: skip
    """A loss of each slice, element by element and then reduced."""
    if (
        size_average is not None
        or reduce is not None
        or more.get("weight") is not None
        or reduction not in ("mean", "sum", "none")
        or input.shape != target.shape  # which warns of it
    ):
        raise Loop
    dims = max(dims_of(input), dims_of(target))
    wide = find_function("broadcast_tensors")(aligned(input, dims), aligned(target, dims))
    each = func(*wide, **more | {"reduction": "none"})
    return each if reduction == "none" else per_slice(reduction, each)


def cross_entropy(
    func: Callable, input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
    reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """The cross entropy of each slice, where no class is ignored."""
    if (
        weight is not None
        or size_average is not None
        or reduce is not None
        or ignore_index >= 0
        or reduction not in ("mean", "sum", "none")
    ):
        raise Loop
    if (
        not isinstance(input, Own)
        or not isinstance(target, Own)
        or input.dims not in (1, 2)
        or target.dims != input.dims - 1
    ):
        raise Loop
    if bool((base(target) < 0).any()):
        raise Loop
    x, y = input._whole, target._whole
    each = func(x.flatten(0, -2), y.flatten(), reduction="none", label_smoothing=label_smoothing).reshape(y.shape)
    return each if reduction == "none" or input.dims == 1 else per_slice(reduction, each)


def convolved(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """A convolution or pooling with weights of no slice: all slices' images as one batch."""
    plain(*args, *kwargs.values())
    x = input._whole
    rank = {"1d": 1, "2d": 2, "3d": 3}[func.__name__[-2:]]
    if input.dims != rank + 2:
        raise Loop
    found = func(x.flatten(0, 1), *args, **kwargs)
    return found.reshape(*x.shape[:2], *found.shape[1:])


def embedded(
    level: Any, func: Callable, input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, *rest: Any, **kwargs: Any
) -> Any:  # fmt: skip
    """Rows of a table; those of all slices' tables stand below each other."""
    if not isinstance(weight, Own):
        return func(input._whole, weight, padding_idx, max_norm, *rest, **kwargs)
    if padding_idx is not None or max_norm is not None or rest or kwargs:
        raise Loop
    n, rows = weight._whole.shape[:2]
    first = find_function("arange")(0, n * rows, rows, device=weight._whole.device)
    return func(level.lifted(input) + first.reshape(n, *[1] * dims_of(input)), weight._whole.flatten(0, 1))


def normalized(
    func: Callable, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, *rest: Any, **kwargs: Any
) -> Any:
    """A normalization of the last dimensions; weights of the slices are applied to what is normalized."""
    if not isinstance(input, Own):
        raise Loop
    if not isinstance(weight, Own) and not isinstance(bias, Own):
        return func(
            input._whole, normalized_shape, weight, *((bias,) if func.__name__ == "layer_norm" else ()), *rest, **kwargs
        )
    if func.__name__ != "layer_norm" or input.dims < len(normalized_shape):
        raise Loop
    found = func(input._whole, normalized_shape, None, None, *rest, **kwargs)
    return weighed(found, *[None if each is None else aligned(each, input.dims) for each in (weight, bias)])


def weighed(found: Tensor, weight: Any, bias: Any) -> Tensor:
    """What was normalized, times its weight and with its bias, where there are any."""
    found = found if weight is None else find_function("mul")(found, weight)
    return found if bias is None else find_function("add")(found, bias)


def group_normed(
    func: Callable, input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:  # fmt: skip
    """A normalization of groups of channels: all slices are one batch; weights of the slices are applied to what is normalized."""
    x = input._whole
    found = func(x.flatten(0, 1), num_groups, None, None, eps).reshape(x.shape)
    ones = [1] * (x.dim() - 3)

    def of_channels(each: Any) -> Any:
        if isinstance(each, Own):
            return each._whole.reshape(x.shape[0], 1, -1, *ones)
        return None if each is None else each.reshape(-1, *ones)

    return weighed(found, of_channels(weight), of_channels(bias))


def batch_normed(
    func: Callable, input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """A normalization over a batch: by running statistics all slices are one batch; by its own they are channels."""
    if not isinstance(input, Own):
        raise Loop
    if training and running_mean is not None and not isinstance(running_mean, Own):
        raise Refused(STATISTICS)
    plain(running_mean, running_var, weight, bias)
    x = input._whole
    if not training:
        found = func(x.flatten(0, 1), running_mean, running_var, weight, bias, training, momentum, eps)
        return found.reshape(x.shape)
    n, batch, channels = x.shape[:3]
    joined = x.transpose(0, 1).flatten(1, 2)
    weight, bias = (None if each is None else each.repeat(n) for each in (weight, bias))
    found = func(joined, None, None, weight, bias, True, momentum, eps)
    return found.reshape(batch, n, channels, *x.shape[3:]).transpose(0, 1)


def filtered(
    level: Any, func: Callable, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """A convolution: with weights of no slice all images are one batch, with weights of the slices each slice is a group."""
    rank = {"1d": 1, "2d": 2, "3d": 3}[func.__name__[-2:]]
    if isinstance(input, Own) and not isinstance(weight, Own) and not isinstance(bias, Own):
        return convolved(func, input, weight, bias, stride, padding, dilation, groups)
    alone = dims_of(input) == rank + 1
    if dims_of(input) - (not alone) != rank + 1:
        raise Loop
    x, w = level.lifted(input), level.lifted(weight)
    b = None if bias is None else level.lifted(bias).reshape(-1)
    n = level.count
    x = x.flatten(0, 1) if alone else x.transpose(0, 1).flatten(1, 2)
    found = func(x, w.flatten(0, 1), b, stride, padding, dilation, groups * n)
    if alone:
        return found.reshape(n, -1, *found.shape[1:])
    return found.reshape(found.shape[0], n, -1, *found.shape[2:]).transpose(0, 1)


def attended(
    level: Any, func: Callable, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    *rest: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    """Attention, in which all dimensions but the last two are of a batch."""
    if dropout_p:
        raise Loop
    mask = None if attn_mask is None else level.lifted(attn_mask)
    if mask is not None and mask.dim() != query.dim() + 1:
        mask = mask.reshape(mask.shape[0], *[1] * (query.dim() + 1 - mask.dim()), *mask.shape[1:])
    return func(level.lifted(query), level.lifted(key), level.lifted(value), mask, dropout_p, *rest, **kwargs)
