"""``torch.utils.hooks``: the handle that registering a hook gives."""

from __future__ import annotations

from ...engine.graph.nodes import Handle as RemovableHandle

__all__ = ["RemovableHandle"]
