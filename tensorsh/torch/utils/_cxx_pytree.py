"""``torch.utils._cxx_pytree``: the trees of `torch.utils._pytree`, which PyTorch has compiled, too. For plain Python alone."""

from . import _pytree
from ._pytree import *  # noqa: F403

__all__ = list(_pytree.__all__)


def __getattr__(name: str) -> object:
    return getattr(_pytree, name)
