"""``torch._dynamo.eval_frame``: what is asked about compiled modules."""

from __future__ import annotations

from ..nn.modules.module import Module

__all__ = ["OptimizedModule", "is_dynamo_supported"]


class OptimizedModule(Module):
    """What `torch.compile` makes of a module in PyTorch; here it gives the module itself."""


def is_dynamo_supported() -> bool:
    """Whether programs can be compiled: no."""
    return False
