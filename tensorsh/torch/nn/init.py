"""``torch.nn.init``: first values for parameters, drawn as PyTorch draws them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.arrays.state import here
from ...engine.arrays.warning import warn
from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from ...sandbox.wrapping import wraps
from .parameter import Parameter
from .reach import T

__all__ = [
    "_calculate_correct_fan", "_calculate_fan_in_and_fan_out", "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
    "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip
OLD = (
    "constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform xavier_normal xavier_uniform"
).split()
"""Names without the underscore, which PyTorch keeps for old programs."""


def filling(function: Callable) -> Callable:
    """Run an initialisation without recording gradients; a class may override the four that PyTorch's layers call."""
    overridden = function.__name__ in ("constant_", "kaiming_uniform_", "normal_", "uniform_")
    code, defaults = function.__code__, function.__defaults__ or ()  # type: ignore[attr-defined]
    names = code.co_varnames[: code.co_argcount]
    others = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else kwargs.get("tensor")
        if overridden and (here.function_modes or type(first) is not Tensor and type(first) is not Parameter):
            from ..overrides import handle_torch_function, has_torch_function

            if has_torch_function((first,)):
                told = others | dict(zip(names, args, strict=False)) | kwargs
                return handle_torch_function(run, (first,), **{name: told[name] for name in names if name in told})
        before = here.grad_enabled
        here.grad_enabled = False
        try:
            return function(*args, **kwargs)
        finally:
            here.grad_enabled = before

    run.__module__ = "torch.nn.init"
    return run


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Factor that keeps the variance over a nonlinearity, for the `gain` of the Glorot rules: 1 for linear maps,
    convolutions and 'sigmoid', 5 / 3 for 'tanh', sqrt(2) for 'relu', sqrt(2 / (1 + slope ** 2)) for 'leaky_relu', 3 / 4
    for 'selu'.
    nonlinearity: the name. param: slope of a leaky ReLU (None: 0.01). ValueError for other names.
    >>> nn.init.calculate_gain("tanh")
    1.6666666666666667"""
    linear = "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d".split()
    if nonlinearity in linear or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many values go into an element of the result, and how many come out of one of the input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    shape = tensor.shape
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


@filling
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform numbers, in place, between a (0.0) and b (1.0).
    tensor: what is filled and returned. generator: draws them (None: the default one).
    >>> nn.init.uniform_(torch.empty(100), 1.0, 2.0).floor().unique()
    tensor([1.])"""
    return tensor.uniform_(a, b, generator=generator)


@filling
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Normal numbers, in place, of a mean (0.0) and a standard deviation `std` (1.0).
    tensor: what is filled and returned. generator: draws them (None: the default one). RuntimeError for a negative std.
    >>> nn.init.normal_(torch.empty(2), mean=3.0, std=0.0)
    tensor([3., 3.])"""
    return tensor.normal_(mean, std, generator=generator)


@filling
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere, in place and without a record for gradients.
    tensor: what is filled and returned. val: the number.
    >>> nn.init.constant_(torch.empty(2), 0.3)
    tensor([0.3000, 0.3000])"""
    return tensor.fill_(val)


@filling
def ones_(tensor: Tensor) -> Tensor:
    """Ones, in place and without a record for gradients, as for the scale of a normalization.
    tensor: what is filled and returned.
    >>> nn.init.ones_(torch.empty(2))
    tensor([1., 1.])"""
    return tensor.fill_(1.0)


@filling
def zeros_(tensor: Tensor) -> Tensor:
    """Zeros, in place and without a record for gradients, as for biases.
    tensor: what is filled and returned.
    >>> nn.init.zeros_(torch.empty(2))
    tensor([0., 0.])"""
    return tensor.zero_()


@filling
def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(T.eye(*tensor.shape, dtype=tensor.dtype))


@filling
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Convolution kernels, in place, that pass as many channels through as they can, in each of some groups (1).
    tensor: the weight of a convolution, of 3 to 5 dimensions (ValueError), filled and returned. groups: ValueError
    where they do not divide the first size.
    >>> nn.init.dirac_(torch.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])"""
    n = tensor.ndimension()
    if n not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.shape
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = sizes[0] // groups
    tensor.zero_()
    centre = tuple(s // 2 for s in sizes[2:])
    for g in range(groups):
        for d in range(min(per_group, sizes[1])):
            tensor[(g * per_group + d, d, *centre)] = 1
    return tensor


@filling
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform numbers, in place, within gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
    tensor: what is filled and returned, of two dimensions or more (ValueError). gain: a factor (1.0), see
    calculate_gain.
    generator: draws them (None: the default one).
    >>> nn.init.xavier_uniform_(torch.empty(3, 3)).abs().max() <= 1
    tensor(True)"""
    a = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor)))))
    return tensor.uniform_(-a, a, generator=generator)


@filling
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal numbers, in place, of standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010).
    tensor: what is filled and returned, of two dimensions or more (ValueError). gain: a factor (1.0), see
    calculate_gain.
    generator: draws them (None: the default one).
    >>> nn.init.xavier_normal_(torch.empty(2, 3)).shape
    torch.Size([2, 3])"""
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return tensor.normal_(0.0, std, generator=generator)


def _empty(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return True
    return False


@filling
def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Uniform numbers, in place, within gain * sqrt(3 / fan) (He and others, 2015), which keep the variance forwards or
    backwards.
    tensor: what is filled and returned, of two dimensions or more (ValueError). a: slope of a leaky ReLU (0). mode:
    'fan_in' (default) or 'fan_out'. nonlinearity: the one behind, see calculate_gain ('leaky_relu'). generator: draws
    them (None: the default one).
    >>> nn.init.kaiming_uniform_(torch.empty(3, 6), nonlinearity="relu").abs().max() <= 1
    tensor(True)"""
    if _empty(tensor):
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(fan))
    return tensor.uniform_(-bound, bound, generator=generator)


@filling
def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Normal numbers, in place, of standard deviation gain / sqrt(fan) (He and others, 2015), which keep the variance
    forwards or backwards.
    tensor: what is filled and returned, of two dimensions or more (ValueError). a: slope of a leaky ReLU (0). mode:
    'fan_in' (default) or 'fan_out'. nonlinearity: the one behind, see calculate_gain ('leaky_relu'). generator: draws
    them (None: the default one).
    >>> nn.init.kaiming_normal_(torch.empty(2, 3)).shape
    torch.Size([2, 3])"""
    if _empty(tensor):
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    return tensor.normal_(0, std, generator=generator)


@filling
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Normal numbers, in place, of a mean (0.0) and a standard deviation `std` (1.0), cut off at a (-2.0) and b (2.0):
    what falls outside is drawn again.
    tensor: what is filled and returned. generator: draws them (None: the default one).
    >>> nn.init.trunc_normal_(torch.empty(100)).abs().max() <= 2
    tensor(True)"""
    if tensor.is_meta:
        return tensor

    def phi(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )
    if phi((b - mean) / std) - phi((a - mean) / std) > 0.3:
        tensor.normal_(mean, std, generator=generator)
        while (outside := (tensor < a) | (tensor > b)).any():
            # All are drawn again, also those that are kept: the stream of numbers is part of the result.
            again = T.empty_like(tensor).normal_(mean, std, generator=generator)
            tensor.copy_(T.where(outside, again, tensor))
        return tensor
    # Little of the distribution lies between a and b: uniform candidates, accepted in proportion to the density.
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    rejected, noise = None, T.empty_like(tensor)
    while rejected is None or rejected.any():
        drawn = T.empty_like(tensor).uniform_(a, b, generator=generator)
        density = drawn.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        refused = noise.uniform_(generator=generator).log_().gt(density)
        tensor.copy_(drawn if rejected is None else T.where(rejected, drawn, tensor))
        rejected = refused if rejected is None else T.where(rejected, refused, rejected)
    return tensor


@filling
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Orthogonal matrix times `gain` (1), in place, from the QR decomposition of normal numbers; of a tensor with more
    dimensions, all but the first count as columns (Saxe, McClelland and Ganguli, 2013).
    tensor: what is filled and returned, of two dimensions or more (ValueError). generator: draws them (None: the
    default one).
    >>> q = nn.init.orthogonal_(torch.empty(2, 2))
    >>> torch.allclose(q @ q.T, torch.eye(2), atol=1e-5)
    True"""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor._array.size == 0 or tensor.is_meta:
        return tensor
    rows = tensor._array.shape[0]
    columns = tensor._array.size // rows
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator).cpu()._array
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q = q * np.sign(np.diagonal(r))
    if rows < columns:
        q = q.T
    return tensor.copy_(wrap(q.reshape(tensor._array.shape))).mul_(gain)


@filling
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Normal numbers of mean 0, in place, with a share of each column set to zero (Martens, 2010).
    tensor: a matrix (ValueError), filled and returned. sparsity: the share. std: standard deviation (0.01). generator:
    draws them (None: the default one).
    >>> (nn.init.sparse_(torch.empty(4, 2), sparsity=0.5) == 0).sum(0)
    tensor([2, 2])"""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor._array.shape
    zeros = math.ceil(sparsity * rows)
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[T.randperm(rows)[:zeros], column] = 0
    return tensor


def _old(name: str) -> Callable:
    new = globals()[name + "_"]

    def deprecated(*args: Any, **kwargs: Any) -> Any:
        warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning)
        return new(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = name
    deprecated.__doc__ = f"The old name of `{name}_`."
    deprecated.__module__ = "torch.nn.init"
    return deprecated


globals().update({name: _old(name) for name in OLD})
__all__ += OLD
