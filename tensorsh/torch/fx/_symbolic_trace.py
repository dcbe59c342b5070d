"""``torch.fx._symbolic_trace``: where PyTorch has its tracer."""

from __future__ import annotations

from .tracer import ProxyableClassMeta, Tracer, _assert_is_none, is_fx_tracing, symbolic_trace, wrap

__all__ = ["ProxyableClassMeta", "Tracer", "_assert_is_none", "is_fx_tracing", "symbolic_trace", "wrap"]
