"""Layer, group, root-mean-square and local response normalisation."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from .. import init
from ..parameter import Parameter
from ..reach import F, T
from .module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class Scaled(Module):
    """A normalisation with a scale, and maybe a shift, for each element."""

    def _scale(self, shape: Any, affine: bool, bias: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            if wanted:
                setattr(self, name, Parameter(T.empty(shape, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by one, shift by zero."""
        if self.weight is not None:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)


class LayerNorm(Scaled):
    """Layer normalisation over the last dimensions: (..., *normalized_shape) to the same shape, (x - mean) / sqrt(var +
    eps) * weight + bias, with mean and (uncorrected) variance over those dimensions of each example (Ba, Kiros and
    Hinton, 2016), the same in training and after `eval()`.
    normalized_shape: sizes of the last dimensions, a number for one. eps: added to the variance (1e-5).
    elementwise_affine: learn weight (at first 1) and bias (at first 0) of normalized_shape (True). bias: False leaves
    out the bias (True). device, dtype: those of the parameters (None: the defaults). RuntimeError for inputs of other
    last sizes.
    >>> nn.LayerNorm(2, elementwise_affine=False)(torch.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]])"""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._scale(self.normalized_shape, elementwise_affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(Scaled):
    """Normalisation over groups of channels: (N, C, ...) to the same shape, (x - mean) / sqrt(var + eps) * weight +
    bias, with mean and (uncorrected) variance of each group of each example (Wu and He, "Group normalization", 2018),
    the same in training and after `eval()`.
    num_groups: parts into which the channels are divided. num_channels: the C. eps: added to the variance (1e-5).
    affine: learn weight (at first 1) and bias (at first 0) of shape (C,) (True). bias: False leaves out the bias
    (True).
    device, dtype: those of the parameters (None: the defaults). ValueError where num_groups does not divide
    num_channels.
    >>> nn.GroupNorm(1, 2, affine=False)(torch.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]])"""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._scale(num_channels, affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Division by the root mean square over the last dimensions: (..., *normalized_shape) to the same shape, x /
    sqrt(mean(x ** 2) + eps) * weight (Zhang and Sennrich, "Root mean square layer normalization", 2019).
    normalized_shape: sizes of the last dimensions, a number for one. eps: added to the mean (None: the input dtype's
    smallest step at 1). elementwise_affine: learn the weight, at first 1, of normalized_shape (True).
    device, dtype: those of the weight (None: the defaults). RuntimeError for inputs of other last sizes.
    >>> nn.RMSNorm(2, elementwise_affine=False)(torch.tensor([[3.0, 4.0]]))
    tensor([[0.8485, 1.1314]])"""

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(T.empty(self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale by one."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class ResponseNorm(Module):
    """Division by neighbouring channels."""

    _owners = {"forward": ""}

    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LocalResponseNorm(ResponseNorm):
    """Division by a power of neighbouring channels' squares: (N, C, ...) to the same shape, x / (k + alpha * mean) **
    beta, the mean being that of the squares of `size` channels around each, zeros beyond the edge (Krizhevsky,
    Sutskever and Hinton, "ImageNet classification with deep convolutional neural networks", 2012).
    size: number of channels. alpha: factor (1e-4). beta: exponent (0.75). k: what is added (1.0).
    ValueError for fewer than 3 dimensions.
    >>> nn.LocalResponseNorm(1, alpha=3.0, beta=1.0)(torch.ones(1, 2, 1)).flatten()
    tensor([0.2500, 0.2500])"""


class CrossMapLRN2d(ResponseNorm):
    """LocalResponseNorm of images under its older name: (N, C, H, W) to the same shape, x / (k + alpha * mean) ** beta,
    the mean being that of the squares of `size` channels around each, zeros beyond the edge.
    size: number of channels. alpha: factor (1e-4). beta: exponent (0.75). k: what is added (1).
    >>> nn.CrossMapLRN2d(1, alpha=3.0, beta=1.0)(torch.ones(1, 1, 1, 2)).flatten()
    tensor([0.2500, 0.2500])"""

    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)
