"""A time limit on a call in this process: `Timeout` is raised in the program, again and again, so that no `except:` keeps it.

In the main thread the system's timer raises it, which also ends what Python itself computes (a power of integers, a regular
expression). In another thread, or where somebody else uses the timer, a watching thread throws it.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock, get_ident

from .limits import Timeout, parse_seconds
from .sealed import program_frame
from .supervision import timeout_message
from .thrown import end_helpers, take_back, throw
from .whole import may_be_left

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

AGAIN = 0.05
"""Seconds between two times that it is raised."""


def timed(timeout: float | str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a call that may run so long (seconds, or text as `2m`)."""
    seconds = float(timeout) if isinstance(timeout, (int, float)) else parse_seconds(timeout)
    if not 0 < seconds < 1e9:
        raise ValueError(f"a time limit is a number of seconds above 0, not {timeout!r}")
    watch = Alarm() if Alarm.is_free() else Watch()
    watch.begin(seconds)
    try:
        return function(*arguments)
    except Timeout as error:
        end_helpers()
        raise Timeout(timeout_message(seconds, "timeout=")).with_traceback(error.__traceback__) from None
    finally:
        watch.end()


class Alarm:
    """The system's timer. Its handler raises in the program, never in the code that puts settings back behind one."""

    @staticmethod
    def is_free() -> bool:
        """Whether this is the main thread, and nobody else has set the timer."""
        import _signal

        if not hasattr(_signal, "setitimer"):
            return False
        from threading import current_thread, main_thread

        unused = _signal.getsignal(_signal.SIGALRM) == _signal.SIG_DFL
        return unused and not _signal.getitimer(_signal.ITIMER_REAL)[0] and current_thread() is main_thread()

    def begin(self, seconds: float) -> None:
        import _signal

        self._signal = _signal
        self._before = _signal.signal(_signal.SIGALRM, self._over)
        _signal.setitimer(_signal.ITIMER_REAL, seconds, AGAIN)

    def end(self) -> None:
        self._signal.setitimer(self._signal.ITIMER_REAL, 0)
        self._signal.signal(self._signal.SIGALRM, self._before)

    @staticmethod
    def _over(number: int, frame: Any) -> None:
        if program_frame(frame) is not None and may_be_left(frame):
            raise Timeout


class Watch:
    """A thread that throws `Timeout` at another one."""

    def begin(self, seconds: float) -> None:
        from threading import Thread

        self._thread, self._lock, self._ended = get_ident(), allocate_lock(), allocate_lock()
        self._ended.acquire()
        self._is_over = False
        Thread(target=self._throw, args=(seconds,), daemon=True).start()

    def end(self) -> None:
        while not self._is_over:
            try:
                with self._lock:
                    self._is_over = True
                    take_back(self._thread)
            except Timeout:  # it came in this very moment, and may come once more
                continue
        self._ended.release()

    def _throw(self, seconds: float) -> None:
        while not self._ended.acquire(timeout=seconds):
            seconds = AGAIN
            with self._lock:
                frame = sys._current_frames().get(self._thread)
                if not self._is_over and program_frame(frame) is not None and may_be_left(frame):
                    throw(self._thread, Timeout)
