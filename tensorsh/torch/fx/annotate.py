"""``torch.fx.annotate``: types of proxies."""

from __future__ import annotations

from typing import Any

from .proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: Any) -> Any:
    """Let the node of a proxy have a type. val: the proxy, or any other value, which stays as it is. type: the type."""
    if not isinstance(val, Proxy):
        return val
    if val.node.type:
        raise RuntimeError(
            f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new type is {type}. This "
            "could happen if you tried to annotate a function parameter value (in which case you should use the type slot on the "
            "function signature) or you called annotate on the same value twice"
        )
    val.node.type = type
    return val
