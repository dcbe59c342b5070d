"""Ctrl-C while an entry runs: KeyboardInterrupt in the main thread, where Python looks for it also in the midst of a power of
integers or a regular expression.

It is raised where nothing is left half done (`sandbox/whole.py`), else as soon as that is over. Between two entries it is
remembered. A program may catch it; pressed twice within a second, it is raised as a bound is, which no program catches, again and
again until the program has ended.
"""

from __future__ import annotations

import gc
import signal
import sys
import time
from _thread import interrupt_main, start_new_thread
from collections.abc import Callable
from threading import get_ident
from typing import Any

from ..sandbox.sealed import program_frame
from ..sandbox.settings import before_collecting
from ..sandbox.thrown import Limit
from ..sandbox.whole import handler, may_be_left

TWICE = 1.0
"""Seconds between two times that it is pressed, of which the second is insistent."""
AGAIN = 0.005
"""Seconds until it is tried once more."""


class Insistent(Limit, KeyboardInterrupt):
    """A KeyboardInterrupt that the `except` and `finally` of programs let pass."""


Insistent.__name__ = Insistent.__qualname__ = KeyboardInterrupt.__name__


class Interrupts:
    """What Ctrl-C does in a shell."""

    def __init__(self) -> None:
        self.is_pressed = self.is_running = self.is_insistent = False
        self._last = 0.0
        self._is_trying = self._tries = False
        self._thread = get_ident()

    def listen(self) -> None:
        """From now on Ctrl-C is heard here."""
        self._thread = get_ident()
        signal.signal(signal.SIGINT, self._hear)

    def forget(self) -> None:
        """What was pressed until now is over."""
        self.is_pressed = self.is_running = self.is_insistent = False
        self._last = 0.0

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a call that Ctrl-C ends; it may have been pressed just before."""
        self.is_running = True
        try:
            if self.is_pressed:
                raise KeyboardInterrupt
            return function(*arguments)
        finally:
            self.forget()

    @handler
    def _hear(self, number: int, frame: Any) -> None:
        tries, self._tries = self._tries, False
        if not _is_within(frame):
            self.is_pressed = self.is_pressed or not tries
            return
        if not tries:
            now = time.monotonic()
            self.is_insistent, self._last = self.is_insistent or now - self._last < TWICE, now
        in_program = program_frame(frame) is not None
        leaves = may_be_left(frame) and (in_program or not (tries and self.is_insistent))
        if (self.is_insistent or not leaves) and not self._is_trying:
            self._is_trying = True
            start_new_thread(self._try, ())
        if leaves:
            raise Insistent if self.is_insistent else KeyboardInterrupt

    def _try(self) -> None:
        """Presses it once more."""
        time.sleep(AGAIN)
        self._is_trying = False
        if self.is_running:
            # Where there is much to collect, it would be heard within the collector's callbacks each time.
            collects = gc.isenabled()
            gc.disable()
            before_collecting(self._press, collects)

    def _press(self) -> None:
        if self.is_running:
            self._tries = True
            if sys.platform == "win32":
                interrupt_main()
            else:
                signal.pthread_kill(self._thread, signal.SIGINT)  # which also wakes what waits


def _is_within(frame: Any) -> bool:
    """Whether a call that Ctrl-C ends led to a frame."""
    while frame is not None and frame.f_code is not Interrupts.run.__code__:
        frame = frame.f_back
    return frame is not None
