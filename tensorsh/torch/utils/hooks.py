"""``torch.utils.hooks``: the handle that registering a hook gives."""

from __future__ import annotations

import warnings
from typing import Any

from ...engine.graph.nodes import Handle as RemovableHandle

__all__ = ["RemovableHandle"]


def unserializable_hook(f: Any) -> Any:
    """A decorator: a warning comes where a tensor with this hook is saved."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of a tensor's hooks, which no file keeps."""
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the function "
                "with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
