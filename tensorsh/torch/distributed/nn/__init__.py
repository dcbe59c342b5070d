"""``torch.distributed.nn``: collectives that gradients flow through."""

from .functional import *  # noqa: F403
from .functional import __all__ as __all__
