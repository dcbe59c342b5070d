"""``torch.distributed._composable``: what is done to a module without wrapping it. For plain Python alone."""

from .checkpoint_activation import checkpoint
from .contract import _get_registry as _get_registry
from .contract import contract
from .replicate import replicate

__all__ = ["checkpoint", "contract", "replicate"]
