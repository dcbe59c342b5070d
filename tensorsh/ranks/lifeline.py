"""A process that does not outlive the one that made it."""

from __future__ import annotations

import os
import sys

F_SETSIG = 10


def end_with(pipe: int) -> None:
    """The system kills this process when the other end of a pipe closes: when who holds that is gone."""
    if sys.platform == "linux":
        import fcntl
        from _signal import SIGKILL

        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, F_SETSIG, SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_ASYNC)


def end_with_parent(parent: int, pipe: int) -> None:
    """As `end_with`, in a process that was forked; it ends at once where its parent is gone already."""
    end_with(pipe)
    if sys.platform == "linux" and os.getppid() != parent:
        os._exit(1)
