"""The keyboard for `input()` of a program in the shell, and the terminal, without which nobody could stop a program."""

from __future__ import annotations

import os
import select
import sys
import time
from _thread import start_new_thread
from collections.abc import Callable
from typing import Any

HUNG_UP = 129
"""The exit code of what SIGHUP ends, for where it is ignored."""
LOOKS = 1.0
"""Seconds between two looks whether a program still runs whose terminal has gone."""
_terminal: Any = None


def watch_terminal(stream: Any, is_running: Callable[[], bool]) -> None:
    """Ends the process when the terminal has gone while a program runs, if the stream is one and the system can tell.
    An entry that is read ends by itself."""
    global _terminal
    if not hasattr(select, "poll") or stream is None or not stream.isatty():
        return
    _terminal = _poll(stream)

    def watch() -> None:
        _poll(stream).poll()
        while True:
            time.sleep(LOOKS)
            if is_running():
                os._exit(HUNG_UP)

    start_new_thread(watch, ())


def _poll(stream: Any) -> Any:
    found = select.poll()
    found.register(stream, 0)  # that it has gone is told in any case
    return found


def terminal_is_gone() -> bool:
    return _terminal is not None and bool(_terminal.poll(0))


class Keyboard:
    """Standard input of a program: what is typed ends the line that the program has begun to print."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readline(self, size: int = -1) -> str:
        line = self.stream.readline(size)
        if hasattr(sys.stdout, "in_line"):
            sys.stdout.in_line = False  # the terminal has shown the end of the line
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
