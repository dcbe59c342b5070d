"""``torch.autograd.function``."""

from ...engine.tape.function import Function, FunctionNode, once_differentiable  # noqa: F401 - libraries ask for it as FunctionCtx

__all__ = ["Function", "once_differentiable"]
