"""``torch.multiprocessing``: processes of a program, what they send to one another, memory that they share."""

from __future__ import annotations

from typing import Any

from ...sandbox import process
from ...sandbox.namespace import lazily

_PLACES = {
    "processes": "AuthenticationError Process ProcessError TimeoutError active_children cpu_count current_process parent_process",
    "contexts": (
        "get_all_sharing_strategies get_all_start_methods get_context get_sharing_strategy get_start_method "
        "set_sharing_strategy set_start_method"
    ),
    "spawning": ("ProcessContext ProcessException ProcessExitedException ProcessRaisedException spawn start_processes"),
    "queues": "JoinableQueue Pipe Queue SimpleQueue",
    "locks": "Array Barrier BoundedSemaphore Condition Event Lock RLock RawArray RawValue Semaphore Value",
    "pools": "Pool",
}

_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)


def __getattr__(name: str) -> Any:
    """In plain Python, what only Python's own multiprocessing has (`Manager`, `Pool`'s like, `set_start_method`)."""
    if process.plain and name[:1] != "_":
        import multiprocessing

        if name == "SpawnContext":
            return type(multiprocessing.get_context("spawn"))
        if name in multiprocessing.__all__:
            return getattr(multiprocessing, name)
    raise AttributeError(f"module 'torch.multiprocessing' has no attribute {name!r}")
