"""``torch.distributed._tensor``: the name that `torch.distributed.tensor` had before."""

from ..tensor import *  # noqa: F403
from ..tensor import __all__ as __all__
