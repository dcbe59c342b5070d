"""Processes of one program: children made by fork, behind its walls and with its permissions, which end when it does.

A child is a copy of the process that started it. So it can do what that could and nothing more; the system kills it when the
other ends, whatever ended it. All processes of a program together are bounded in number, and each is refused in words where there
may be none (`--isolate`).
"""

from __future__ import annotations

import os
import sys
import time

from ..ranks.lifeline import end_with_parent

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

MOST = 128
"""Processes of a program, beside the first."""

STEP = 0.05
"""Seconds between two looks at a child, where the system has no descriptor for it."""

_tokens: tuple[int, int] | None = None
"""A pipe with a byte for each process that may yet be started; it is all processes' of a program."""
_secret = ""
"""What the processes of this program alone know, once there are several."""
_owner = 0
"""The process that chose it."""
_ends: list[int] = []
"""Our ends of the pipes by which children notice that we ended: a child must not keep those of the others open."""
_children: list[Child] = []
ended: list[Callable[[], object]] = []
"""What is called when a child has ended."""


class Child:
    """A process that this one started."""

    __slots__ = ("_end", "code", "name", "pid")

    def __init__(self, pid: int, end: int) -> None:
        self.pid, self._end = pid, end
        self.code: int | None = None
        """The exit code once it has ended; minus the signal's number where one ended it."""

    def poll(self) -> int | None:
        """The exit code, or None as long as it runs."""
        if self.code is None:
            try:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else waited for it
                ended, status = self.pid, 0
            if ended:
                self._ended(os.waitstatus_to_exitcode(status))
        return self.code

    def _ended(self, code: int) -> None:
        self.code = code
        os.close(self._end)
        _ends.remove(self._end)
        _children.remove(self)
        if _tokens is not None:
            os.write(_tokens[1], b".")
        for function in ended:
            function()

    def wait(self, seconds: float | None = None) -> int | None:
        """The exit code once it has ended, or None after so many seconds."""
        until = None if seconds is None else time.monotonic() + seconds
        while self.poll() is None:
            left = 1.0 if until is None else min(until - time.monotonic(), 1.0)
            if left <= 0:
                return None
            _sleep(self.pid, left)
        return self.code

    def kill(self, number: int) -> None:
        """Send it a signal."""
        if self.poll() is None:
            os.kill(self.pid, number)


def _sleep(pid: int, seconds: float) -> None:
    """Until a process ends, for so many seconds at most."""
    try:
        fd = os.pidfd_open(pid)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        time.sleep(min(seconds, STEP))
        return
    try:
        from select import select

        select([fd], [], [], seconds)
    finally:
        os.close(fd)


def start(work: Callable[[], int | None]) -> Child:
    """A child process that does some work and ends with the exit code it returns. RuntimeError where there may be none."""
    if not hasattr(os, "fork"):
        raise RuntimeError("this system cannot copy a process: read items in this one (num_workers=0)")
    _take()
    for stream in (sys.stdout, sys.stderr):  # else both processes would write what is waiting
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass
    parent = os.getpid()
    reading, end = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        os.close(reading)
        os.close(end)
        os.write(_tokens[1], b".")  # type: ignore[index]
        if isinstance(error, PermissionError):
            raise RuntimeError(
                "--isolate lets a program start no processes: work in this one (num_workers=0), or run it without --isolate"
            ) from None
        raise
    if pid == 0:
        _be_child(work, parent, reading, end)
    os.close(reading)
    child = Child(pid, end)
    _ends.append(end)
    _children.append(child)
    return child


def secret() -> str:
    """A name that no other program knows, by which this one's processes find each other; empty while there is but one."""
    return _secret if _children or _owner not in (0, os.getpid()) else ""


def _take() -> None:
    """Take one of the places for processes."""
    global _owner, _secret, _tokens
    if not _children and _owner in (0, os.getpid()):  # those of before may have left something under the old name
        _owner, _secret = os.getpid(), os.urandom(16).hex()
    if _tokens is None:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.write(writing, b"." * MOST)
        _tokens = reading, writing
    try:
        os.read(_tokens[0], 1)
    except BlockingIOError:
        raise RuntimeError(f"a program can have {MOST} processes at a time, and has them all") from None


def _be_child(work: Callable[[], int | None], parent: int, reading: int, end: int) -> NoReturn:
    """What a new process does from its first step to its last."""
    code = 1
    try:
        import _signal

        for each in (end, *_ends):
            os.close(each)
        _ends.clear()
        _children.clear()
        end_with_parent(parent, reading)
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
        code = work() or 0
    except KeyboardInterrupt:
        code = 130
    except SystemExit as error:
        code = (error.code or 0) & 0xFF if error.code is None or isinstance(error.code, int) else 1
    except BaseException as error:
        _tell(error)
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):
                pass
        os._exit(code)


def _tell(error: BaseException) -> None:
    """Say what ended a child: the line of a limit, for a program's errors are told by whoever called it."""
    try:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    except BaseException:  # there is no telling
        pass


def end_all() -> None:
    """Kill the children that are left and wait for them."""
    import _signal

    for child in list(_children):
        child.kill(_signal.SIGKILL)
    for child in list(_children):
        child.wait(5)
