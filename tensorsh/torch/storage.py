"""``torch.storage``: the memory under tensors."""

from __future__ import annotations

from ..engine.tensors.storage import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
