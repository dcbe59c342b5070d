"""The interactive shell: a person typing. All but the drawing lives in the session."""

from __future__ import annotations

from typing import Any


def start(session: Any = None, options: Any = None) -> int:
    """Opens the shell on a session, or on a new one; returns the exit code."""
    from .loop import Shell

    return Shell(session, options).run()
