"""``torch.nn.modules.utils``: options that are one number or one for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["_ntuple", "_pair", "_quadruple", "_single", "_triple", "consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable:
    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (
    _ntuple(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
)


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix (such as "module.") off the names of a state dict, in place."""
    for name in list(state_dict):
        if name.startswith(prefix):
            state_dict[name[len(prefix) :]] = state_dict.pop(name)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        for name in list(metadata):
            if name == prefix[:-1] or name.startswith(prefix):
                metadata[name[len(prefix) :]] = metadata.pop(name)
