"""Gradient formulas for which an array function computes all in one go.

The formula is the mathematics, and what is differentiated in turn. The array function takes its place in an ordinary backward
pass, and answers None for arrays that it does not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...sandbox.wrapping import wraps
from .deferred import resolved, seen


def on_arrays(computed: Callable) -> Any:
    """A formula `f(t, g, ...)`, but ``computed(g, ...)`` in a pass over arrays, where it does not answer None."""

    def declare(formula: Callable) -> Callable:
        @wraps(formula)
        def run(t: Any, *values: Any) -> Any:
            if t.raw:
                if (found := computed(*map(resolved, values) if seen else values)) is not None:
                    return found
            return formula(t, *values)

        return run

    return declare


__all__ = ["on_arrays"]
