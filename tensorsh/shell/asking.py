"""Questions that only a person answers: lines that were pasted or typed ahead are no answer, and no answer is a no."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, Literal

from ..sandbox.files import Permissions, is_within, path_text

QUIET = 0.15
"""Seconds without a key before a question is asked: what is pasted comes faster."""


def confirm(question: str) -> bool:
    """Whether a person at the terminal says yes; False where there is none."""
    stdin = sys.stdin
    if stdin is None or not stdin.isatty() or threading.current_thread() is not threading.main_thread():
        return False
    while _drop_keys():
        pass
    newline = "\n" if getattr(sys.stdout, "in_line", False) else ""
    sys.stdout.flush()
    sys.stderr.write(f"{newline}{question} (y/n) ")
    sys.stderr.flush()
    if newline:
        sys.stdout.in_line = False  # type: ignore[union-attr]
    return stdin.readline().strip().lower() in ("y", "yes")


def _drop_keys() -> bool:
    """Forgets what was typed before; whether more came meanwhile."""
    try:
        import termios
        from select import select
    except ImportError:
        import msvcrt

        time.sleep(QUIET)
        found = False
        while msvcrt.kbhit():  # type: ignore[attr-defined]
            found = bool(msvcrt.getwch())  # type: ignore[attr-defined]
        return found
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    return bool(select([sys.stdin], [], [], QUIET)[0])


def shown(path: str) -> str:
    """A path as a question shows it: no control characters."""
    return path if path.isprintable() else repr(path)


class Asked(Permissions):
    """Permissions of the programs of a shell: what they may not write yet, its person is asked for, once a session.

    A yes to a file below `here` is one to all of that folder, a yes to another file is one to that file.
    """

    __slots__ = ("_here", "refused")

    def __init__(self, here: str, read: Any, write: Any) -> None:
        super().__init__(read, write)
        self._here = os.path.realpath(here)
        self.refused: set[str] = set()
        """What was refused to the entry that runs."""

    def check(self, path: Any, kind: Literal["read", "write"] = "read") -> str:
        """The resolved path, or PermissionError."""
        path = path_text(path)
        try:
            return super().check(path, kind)
        except PermissionError:
            wanted = os.path.realpath(path)
            inside = is_within(wanted, self._here)
            target = self._here if inside else wanted
            if kind == "read" or target in self.refused or isinstance(self.write, bool):
                raise
            what = f"files below {shown(target)}" if inside else shown(target)
            if not confirm(f"May programs write {what}, in this session?"):
                self.refused.add(target)
                raise
            self.write += (target,)
            return super().check(path, kind)

    def allows(self, path: Any, kind: Literal["read", "write"] = "read") -> bool:
        """Whether it is allowed already."""
        return Permissions(self.read, self.write).allows(path, kind)
