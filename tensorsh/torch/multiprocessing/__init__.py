"""``torch.multiprocessing``: processes of a program, what they send to one another, memory that they share."""

from __future__ import annotations

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
