"""``torch.distributed._tensor.api``: where older versions have tensors in parts."""

from ..tensor.dtensor import DTensor, distribute_module, distribute_tensor

__all__ = ["DTensor", "distribute_module", "distribute_tensor"]
