"""Dropout: elements or channels set to zero at random while training."""

from __future__ import annotations

from ....engine.tensors.tensor import Tensor
from ..reach import F
from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "_DropoutNd"]


class DropoutBase(Module):
    """Base class of dropouts: the probability p, between 0 and 1, and whether the input is overwritten."""

    _owners = {"__init__": "_DropoutNd"}

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(DropoutBase):
    """Elements set to 0 at random, each with probability p, in training, the rest multiplied by 1 / (1 - p) so that the
    mean stays; the input itself after `eval()` (Hinton and others, "Improving neural networks by preventing
    co-adaptation of feature detectors", 2012). Any shape, a floating dtype, the same out.
    p: the probability (0.5); ValueError outside [0, 1]. inplace: write the result over the input (False).
    >>> nn.Dropout(0.5).eval()(torch.ones(3)), nn.Dropout(1.0)(torch.ones(3))
    (tensor([1., 1., 1.]), tensor([0., 0., 0.]))"""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(DropoutBase):
    """Dropout of whole channels of (N, C, L), or (C, L): each of the N * C is set to 0 with probability p in training,
    the rest multiplied by 1 / (1 - p); the input itself after `eval()` (Tompson and others, "Efficient object
    localization using convolutional networks", 2014). A floating dtype, the same out.
    p: the probability (0.5); ValueError outside [0, 1]. inplace: write the result over the input (False).
    >>> nn.Dropout1d(1.0)(torch.ones(1, 2, 2))
    tensor([[[0., 0.],
             [0., 0.]]])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(DropoutBase):
    """Dropout of whole channels of (N, C, H, W): each of the N * C is set to 0 with probability p in training, the rest
    multiplied by 1 / (1 - p); the input itself after `eval()` (Tompson and others, 2014). With 3 dimensions the first
    counts as N, as in Dropout1d. A floating dtype, the same out.
    p: the probability (0.5); ValueError outside [0, 1]. inplace: write the result over the input (False).
    >>> nn.Dropout2d(1.0)(torch.ones(1, 2, 1, 1)).flatten()
    tensor([0., 0.])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(DropoutBase):
    """Dropout of whole channels of (N, C, D, H, W), or (C, D, H, W): each is set to 0 with probability p in training,
    the rest multiplied by 1 / (1 - p); the input itself after `eval()` (Tompson and others, 2014). A floating dtype,
    the same out.
    p: the probability (0.5); ValueError outside [0, 1]. inplace: write the result over the input (False).
    >>> nn.Dropout3d(1.0)(torch.ones(1, 2, 1, 1, 1)).flatten()
    tensor([0., 0.])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(DropoutBase):
    """Dropout that keeps mean and variance of SELU's activations: in training elements become SELU's limit for large
    negative x, -1.7581, with probability p, and all are then scaled and shifted; the input itself after `eval()`
    (Klambauer and others, "Self-normalizing neural networks", 2017). Any shape, a floating dtype, the same out.
    p: the probability (0.5); ValueError outside [0, 1]. inplace: kept for its looks, the input is never overwritten
    (False).
    >>> nn.AlphaDropout().eval()(torch.ones(3))
    tensor([1., 1., 1.])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(DropoutBase):
    """AlphaDropout of whole channels of (N, C, ...): in training each of the N * C becomes SELU's limit for large
    negative x with probability p, and all are then scaled and shifted; the input itself after `eval()`. A floating
    dtype, the same out.
    p: the probability (0.5); ValueError outside [0, 1]. inplace: kept for its looks, the input is never overwritten
    (False).
    >>> nn.FeatureAlphaDropout().eval()(torch.ones(1, 3))
    tensor([[1., 1., 1.]])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)


# PyTorch's names of the base classes, which programs ask for with `isinstance` and derive from.
_DropoutNd = DropoutBase
