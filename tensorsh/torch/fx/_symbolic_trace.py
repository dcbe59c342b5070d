"""``torch.fx._symbolic_trace``: where PyTorch has its tracer."""

from __future__ import annotations

from .tracer import ProxyableClassMeta, Tracer, _assert_is_none, is_fx_tracing, symbolic_trace, wrap
from .trees import PH, PHBase, PHWithMeta
from .wrapped import _wrapped_fns_to_patch

__all__ = ["PH", "PHBase", "PHWithMeta", "ProxyableClassMeta", "Tracer", "_assert_is_none", "_wrapped_fns_to_patch",
           "is_fx_tracing", "symbolic_trace", "wrap"]  # fmt: skip
