"""A program from the command line runs in a child process, and the process that was started watches it.

It says in one line what the child can no longer say itself: that the time was over in the middle of one long operation, that
Ctrl-C was pressed in one, that CPython overflowed its C stack (`x = map(f, x)` in a long loop), that the system ended it.
"""

from __future__ import annotations

import os
import sys
import time

from ..ranks.lifeline import end_with_parent
from .whole import handler

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any

TIMEOUT_CODE = 124
CRASH = "Crash: the program nested calls in C more deeply than there is stack for, or ran out of memory there"
KILLED = "Killed: the system ended the program, as it does where memory runs out"
START = 2.0
"""Seconds until a process that is started anew has begun with the program."""
WATCHED = "TENSORSH_WATCHED"
"""The environment variable by which a process knows that it is watched."""
GRACE = 1.0
"""Seconds that a program has to unwind after its time is over, or to hear of Ctrl-C: in one call of compiled code it cannot."""
INTERRUPTED = (
    "KeyboardInterrupt: the program was in the midst of one call that nothing interrupts, and was ended with it"
)


def timeout_message(seconds: float, setting: str = "--timeout") -> str:
    """The line that says that the time is over."""
    return f"Timeout: the program ran longer than {seconds:g} s ({setting})"


def supervise(seconds: float | None) -> None:
    """Goes on in a child process, where the system allows. The parent never returns: it waits for the child, passes
    signals on, ends it when the time is over, and says what became of it."""
    import _signal as signal  # Python's own `signal` costs the import of enum

    if not hasattr(os, "fork") or not hasattr(signal, "sigtimedwait"):
        if seconds is not None:
            _watch(seconds)
        return
    watched = (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    deadline = time.monotonic() + (1e9 if seconds is None else seconds) + GRACE
    heeds = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not ignored, as by nohup
    parent, (reading, writing), (hearing, telling) = os.getpid(), os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.close(hearing)
        end_with_parent(parent, reading)
        if heeds:
            _tell_of_interrupts(telling)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    os.close(reading)
    os.close(telling)
    os.set_blocking(hearing, False)
    killed = ""
    pressed = None  # when Ctrl-C was, of which the program has not heard
    while True:
        now = time.monotonic()
        if pressed is not None and now - pressed >= GRACE:
            pressed, is_heard = None, _is_told(hearing)
            killed = killed if is_heard else killed or INTERRUPTED
        if now >= deadline:
            killed = killed or timeout_message(seconds or 0)
        if killed:
            os.kill(child, signal.SIGKILL)
        remaining = min(deadline, 1e18 if pressed is None else pressed + GRACE) - now
        received = signal.sigtimedwait(watched, 3600 if killed else min(max(remaining, 0), 1e6))
        if received is not None and received.si_signo != signal.SIGCHLD:
            if heeds and received.si_signo == signal.SIGINT and pressed is None:
                _is_told(hearing)  # of an earlier one
                pressed = time.monotonic()
            if received.si_code <= 0:  # sent by a process; what the terminal sends, the child got too
                os.kill(child, received.si_signo)
            continue
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
    code = os.waitstatus_to_exitcode(status)
    if killed == INTERRUPTED:
        _leave(killed, 130)
    if killed or code == -signal.SIGALRM:  # still ending after its time
        _leave(timeout_message(seconds or 0), TIMEOUT_CODE)
    if code in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE):
        _leave(CRASH, 1)
    if code == -signal.SIGKILL:
        _leave(KILLED, 1)
    os._exit(code if code >= 0 else 128 - code)


def _tell_of_interrupts(pipe: int) -> None:
    """Has a child say when it hears of Ctrl-C, at a step of Python's: whoever cannot hear of it is ended."""
    import _signal

    @handler
    def hear(number: int, frame: Any) -> None:
        try:
            os.write(pipe, b"!")
        except OSError:  # full: nobody has read for long
            pass
        _signal.default_int_handler(number, frame)

    os.set_blocking(pipe, False)
    _signal.signal(_signal.SIGINT, hear)


def _is_told(pipe: int) -> bool:
    """Whether something was said."""
    try:
        return bool(os.read(pipe, 1024))
    except BlockingIOError:
        return False


def _watch(seconds: float) -> None:
    """Where a process cannot go on as two: starts the command once more, waits for that, and ends it when its time is over.
    In the process that was so started it does nothing."""
    from subprocess import Popen, TimeoutExpired

    if os.environ.pop(WATCHED, ""):
        return
    command = [sys.executable, "-P", "-m", "tensorsh", *sys.argv[1:]]
    child = Popen(command, env={**os.environ, WATCHED: "1"})
    end = time.monotonic() + seconds + START + GRACE
    while True:
        try:
            code = child.wait(max(end - time.monotonic(), 0))
        except TimeoutExpired:
            child.kill()
            _leave(timeout_message(seconds), TIMEOUT_CODE)
        except KeyboardInterrupt:  # the child hears it, too
            continue
        os._exit(code if code >= 0 else 1)


def _leave(text: str, code: int) -> None:
    try:
        os.write(2, (text + "\n").encode())
    except OSError:
        pass
    os._exit(code)
