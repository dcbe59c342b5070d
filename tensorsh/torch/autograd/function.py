"""``torch.autograd.function``."""

from ...engine.tape.function import Function, once_differentiable

__all__ = ["Function", "once_differentiable"]
