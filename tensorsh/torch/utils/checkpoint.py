"""``torch.utils.checkpoint``: accepted for programs that ask for it; nothing is computed twice here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["checkpoint", "checkpoint_sequential"]


def checkpoint(
    function: Callable, *args: Any, use_reentrant: Any = None, context_fn: Any = None, determinism_check: str = "default",
    debug: bool = False, preserve_rng_state: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """The function's value; what it computes is kept for backward."""
    return function(*args, **kwargs)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: Any = None, **kwargs: Any) -> Any:
    """The value of functions called one after another."""
    for function in list(functions.children()) if hasattr(functions, "children") else functions:
        input = function(input)
    return input
