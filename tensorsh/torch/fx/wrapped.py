"""Functions whose calls are nodes of their own."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["wrap"]

_wrapped_fns_to_patch: dict[tuple[int, str], dict] = {}


def wrap(fn_or_name: Any) -> Any:
    """Let calls of a function be nodes of their own, not traced into: by its name in the module that says so, or as a decorator."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame: Any = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name
