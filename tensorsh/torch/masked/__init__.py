"""``torch.masked``: tensors some of whose elements are left out; the reductions stand in `engine/ops/reductions/masked.py`."""

from .maskedtensor.core import MaskedTensor, is_masked_tensor
from .maskedtensor.creation import as_masked_tensor, masked_tensor

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]
