"""``torch.masked.masked_tensor`` and its kin."""

from __future__ import annotations

from ....engine.tensors.tensor import Tensor
from .core import MaskedTensor, masked

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
    """A leaf with a copy of the data and of the mask."""
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Tensor, mask: Tensor) -> MaskedTensor:
    """The data with a mask, in its history: gradients reach `data`."""
    made = MaskedTensor(data.detach(), mask)
    if not data.requires_grad:
        return made
    return masked(data.clone(), made._masked_mask)
