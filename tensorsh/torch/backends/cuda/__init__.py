"""``torch.backends.cuda``."""

from ...cuda import is_available

__all__ = ["is_built"]


def is_built() -> bool:
    """Whether tensorsh can reach a CUDA device."""
    return is_available()
