"""``noop_hook``: gradients that are not reduced, to see what reducing them costs."""

from __future__ import annotations

from typing import Any

from .default_hooks import done

__all__ = ["noop_hook"]


def noop_hook(_: Any, bucket: Any) -> Any:
    """Each process keeps its own gradients.
    _: accepted. bucket: the gradients."""
    return done(bucket.buffer())
