"""Bounds on a program that is run from the command line: time, memory, output.

The time limit has two halves. The process that computes raises `Timeout` at the next bytecode, again and again, so
that no `except:` keeps it for long. The process that started it waits a moment longer and then ends it, for a single
operation in C (`10**10**8`) cannot be interrupted from within. Memory is bounded by the kernel, counted from what
the interpreter and numpy already took: an array asks for all of its memory at once, before anything is written to it,
and is refused there.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any, TextIO

TIMEOUT_CODE = 124
CRASH = "Crash: the program nested calls in C more deeply than there is stack for, or ran out of memory there"
KILLED = "Killed: the system ended the program, as it does where memory runs out"
GRACE = 1.0
"""Seconds that a program has to unwind after its time is over."""


class Limit(BaseException):
    """A bound was reached. No `Exception`, so that a script does not catch it by accident."""


class Timeout(Limit):
    """The time is over."""


class OutputLimit(Limit):
    """More was printed than allowed."""


def parse_size(text: str) -> int:
    """Bytes of `1G`, `512M`, `64K` or a plain number."""
    number, unit = text.strip().upper().removesuffix("IB").removesuffix("B"), 1
    if number[-1:] in ("K", "M", "G", "T"):
        unit = 1024 ** ("KMGT".index(number[-1]) + 1)
        number = number[:-1]
    size = int(float(number) * unit)
    if size <= 0:
        raise ValueError(text)
    return size


def parse_seconds(text: str) -> float:
    """Seconds of `5`, `0.5`, `5s` or `2m`."""
    number, unit = text.strip().lower().removesuffix("s"), 1
    if number.endswith("m"):
        number, unit = number[:-1], 60
    seconds = float(number) * unit
    if not 0 < seconds < 1e9:
        raise ValueError(text)
    return seconds


def timeout_message(seconds: float) -> str:
    """The line that says that the time is over."""
    return f"Timeout: the program ran longer than {seconds:g} s (--timeout)"


def start_timer(seconds: float | None) -> None:
    """Bounds the time of what follows. Where the system allows, it goes on in a child process watched by this one.

    None is no bound, only the child process.
    """
    import signal

    if hasattr(os, "fork") and hasattr(signal, "sigtimedwait"):
        _supervise(1e9 if seconds is None else seconds)
    if seconds is None:
        return
    if not hasattr(signal, "setitimer"):
        _start_thread(seconds)
        return

    def over(number: int, frame: Any) -> None:
        raise Timeout(timeout_message(seconds))

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)


def stop_timer() -> None:
    """Ends the repeated raising, once it has done its work."""
    signal = sys.modules.get("signal")
    if signal is not None and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _start_thread(seconds: float) -> None:
    """Where there are no interval timers: interrupt, then leave."""
    import _thread
    from threading import Timer

    def leave() -> None:
        sys.stderr.write(timeout_message(seconds) + "\n")
        os._exit(TIMEOUT_CODE)

    for delay, action in ((seconds, _thread.interrupt_main), (seconds + GRACE, leave)):
        timer = Timer(delay, action)
        timer.daemon = True
        timer.start()


def _supervise(seconds: float) -> None:
    """Returns in a child process. The parent waits for it, passes signals on, and ends it when the time is over."""
    import signal

    watched = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    deadline = time.monotonic() + seconds + GRACE
    child = os.fork()
    if child == 0:
        _die_with_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    killed = False
    while True:
        remaining = deadline - time.monotonic()
        if remaining <= 0 and not killed:
            os.kill(child, signal.SIGKILL)
            killed = True
        received = signal.sigtimedwait(watched, 3600 if killed else min(max(remaining, 0), 1e6))
        if received is not None and received.si_signo != signal.SIGCHLD:
            if received.si_code <= 0:  # sent by a process; what the terminal sends, the child got too
                os.kill(child, received.si_signo)
            continue
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
    if killed or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM):  # still ending after its time
        os.write(2, (timeout_message(seconds) + "\n").encode())
        os._exit(TIMEOUT_CODE)
    code = os.waitstatus_to_exitcode(status)
    if code in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE):
        os.write(2, (CRASH + "\n").encode())
        os._exit(1)
    if code == -signal.SIGKILL:
        os.write(2, (KILLED + "\n").encode())
        os._exit(1)
    os._exit(code if code >= 0 else 128 - code)


def _die_with_parent() -> None:
    """A child whose watcher is killed must not run on for ever."""
    if sys.platform == "linux":
        import ctypes
        from signal import SIGKILL

        try:
            ctypes.CDLL(None).prctl(1, SIGKILL)
        except (OSError, AttributeError):
            pass


def bound_memory(size: int) -> str | None:
    """Bounds the memory that may yet be taken; why it could not be, or None."""
    try:
        import resource
    except ImportError:
        return "this system has no limits on memory"
    import numpy  # its libraries reserve much address space, which is not the program's

    try:
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        used = 1 << 30
    numpy.ones((64, 64)) @ numpy.ones((64, 64))  # its buffers; without them BLAS would end the process
    try:
        # The soft limit only: it is lifted when the error is explained, which takes memory too.
        resource.setrlimit(resource.RLIMIT_AS, (used + size, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (OSError, ValueError) as error:
        return str(error)
    return None


def lift_memory() -> None:
    """Takes the bound on memory away, once the program has ended."""
    if "resource" in sys.modules:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


class CountingStream:
    """A text stream that takes only so many bytes; streams may share the number of those that are left."""

    def __init__(self, stream: TextIO, limit: int, left: list[int] | None = None) -> None:
        self._stream, self._limit, self.left = stream, limit, [limit] if left is None else left

    def write(self, text: str) -> int:
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        left = self.left[0]
        if size > left:
            self.left[0] = 0
            self._stream.write(text.encode("utf-8", "replace")[:left].decode("utf-8", "ignore"))
            raise OutputLimit(f"OutputLimit: the program printed more than {self._limit} bytes (--max-output)")
        self.left[0] = left - size
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
