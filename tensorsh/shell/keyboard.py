"""What `input()` of a program reads in the shell: lines from the keyboard, given up when Ctrl-C comes."""

from __future__ import annotations

import select
import sys
from typing import Any

_terminal: Any = None


def watch_terminal(stream: Any) -> None:
    """Names the terminal to be looked after, if the stream is one and the system can tell whether it is there."""
    global _terminal
    if hasattr(select, "poll") and stream is not None and stream.isatty():
        _terminal = select.poll()
        _terminal.register(stream, 0)  # that it has gone is told in any case


def terminal_is_gone() -> bool:
    return _terminal is not None and bool(_terminal.poll(0))


class Keyboard:
    """Standard input whose readline looks every tenth of a second whether the program has been stopped."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readline(self, size: int = -1) -> str:
        if sys.platform != "win32":
            try:
                while not select.select([self.stream], [], [], 0.1)[0]:
                    pass
            except (ValueError, OSError):  # no file behind it
                pass
        line = self.stream.readline(size)
        if hasattr(sys.stdout, "in_line"):
            sys.stdout.in_line = False  # the terminal has shown the end of the line
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
