"""``torch.autograd.function``."""

from ...engine.function import Function, once_differentiable

__all__ = ["Function", "once_differentiable"]
