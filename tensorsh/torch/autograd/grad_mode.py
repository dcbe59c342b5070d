"""``torch.autograd.grad_mode``."""

from ...engine.tape.grad_modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]
