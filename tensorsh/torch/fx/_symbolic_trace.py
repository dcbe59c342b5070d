"""``torch.fx._symbolic_trace``: where PyTorch has its tracer."""

from __future__ import annotations

from .tracer import ProxyableClassMeta, Tracer, symbolic_trace, wrap

__all__ = ["ProxyableClassMeta", "Tracer", "symbolic_trace", "wrap"]


def is_fx_tracing() -> bool:
    """Whether a program is being traced; a tracer says so to nobody."""
    return False
