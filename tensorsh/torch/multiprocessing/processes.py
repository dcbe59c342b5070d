"""Processes: a function called in a copy of this process."""

from __future__ import annotations

import atexit
import itertools
import os
import sys
from collections.abc import Callable
from typing import Any

from ...engine.arrays.state import CORES, state
from ...language.diagnostics import told
from ...sandbox.processes import Child, end_all, start
from ...sandbox.sealed import OpenSealed, program_frame
from .channels import Message
from .packing import unpacked


class ProcessError(Exception, metaclass=OpenSealed):
    """The base of errors of processes."""

    __module__ = "multiprocessing.context"


class TimeoutError(ProcessError):  # noqa: A001
    """Something took longer than it was given."""


class AuthenticationError(ProcessError):
    """Never raised: processes know one another by descent."""


_numbers = itertools.count(1)
_started: list[Process] = []


class Process(metaclass=OpenSealed):
    """A function that runs in a process of its own, with the program's permissions and bounds.
    group: None. target: what it calls (None); a class derived from this one may define `run` instead. name: its name
    (None: Process-1 and so on). args, kwargs: for the target. daemon: whether it ends with this process, instead of being
    waited for (None: as this one).
    AssertionError for a second start, or what belongs to a process that was not started.
    >>> p = torch.multiprocessing.Process(target=print, args=("hello",))
    >>> p.start(); p.join(); p.exitcode
    hello
    0"""

    __module__ = "multiprocessing.context"
    _method = "fork"

    def __init__(
        self, group: None = None, target: Callable | None = None, name: str | None = None, args: Any = (), kwargs: Any = None,
        *, daemon: bool | None = None,
    ) -> None:  # fmt: skip
        assert group is None, "group argument must be None for now"
        number = next(_numbers)
        above = _current._path
        self._path = f"{above}:{number}" if above else str(number)
        self._target, self._args, self._kwargs = target, tuple(args), dict(kwargs or {})
        self._name = name or f"{type(self).__name__}-{self._path}"
        self._daemon = _current._daemon if daemon is None else bool(daemon)
        self._child: Child | None = None
        self._owner = os.getpid()
        self._closed = False

    def run(self) -> None:
        """What the process does: it calls the target."""
        if self._target:
            self._target(*self._args, **self._kwargs)

    def start(self) -> None:
        """Start it."""
        assert self._child is None, "cannot start a process twice"
        assert self._owner == os.getpid(), "can only start a process object created by current process"
        assert not _current._daemon, "daemonic processes are not allowed to have children"
        for process in list(_started):
            process._poll()
        sent = Message((self._args, self._kwargs)) if self._method != "fork" else None
        if sent is not None:
            sent.hold()
        self._child = start(lambda: self._main(sent))
        _started.append(self)

    def _main(self, sent: Message | None) -> int:
        global _current, _numbers
        self._owner = -1
        _current, _numbers = self, itertools.count(1)
        _started.clear()
        frame = program_frame(sys._getframe())
        if frame is not None:
            frame.f_builtins["__import__"]("random").seed()
        if sent is not None:
            state.generator = None
            self._args, self._kwargs = unpacked(*opened(sent))
        code = 0
        try:
            self.run()
        except SystemExit as error:
            if error.code is not None and not isinstance(error.code, int):
                sys.stderr.write(f"{error.code}\n")
                code = 1
            else:
                code = error.code or 0
        except KeyboardInterrupt:
            code = 130
        except Exception as error:
            sys.stderr.write(f"Process {self._name}:\n{told(error)}\n")
            code = 1
        _finish()
        return code

    def _running(self) -> Child:
        if self._closed:
            raise ValueError("process object is closed")
        assert self._owner == os.getpid(), "can only test a child process"
        assert self._child is not None, "can only join a started process"
        return self._child

    def _poll(self) -> int | None:
        code = None if self._child is None else self._child.poll()
        if code is not None and self in _started:
            _started.remove(self)
        return code

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has ended, for so many seconds at most."""
        self._running().wait(timeout)
        self._poll()

    def is_alive(self) -> bool:
        """Whether it runs."""
        if self is _current:
            return True
        return self._child is not None and self._poll() is None

    def terminate(self) -> None:
        """End it by SIGTERM."""
        import signal

        self._running().kill(signal.SIGTERM)

    def kill(self) -> None:
        """End it by SIGKILL."""
        import signal

        self._running().kill(signal.SIGKILL)

    def close(self) -> None:
        """Let go of an ended one. ValueError while it runs."""
        if self._child is not None and self._poll() is None:
            raise ValueError(
                "Cannot close a process while it is still running. You should first call join() or terminate()."
            )
        self._closed = True

    @property
    def exitcode(self) -> int | None:
        """The code it ended with, minus the signal's number where one ended it; None as long as it runs."""
        return self._poll()

    @property
    def pid(self) -> int | None:
        """The system's number of the process."""
        return os.getpid() if self is _current else None if self._child is None else self._child.pid

    ident = pid

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        assert isinstance(name, str), "name must be a string"
        self._name = name

    @property
    def daemon(self) -> bool:
        """Whether it ends with the process that started it."""
        return self._daemon

    @daemon.setter
    def daemon(self, daemonic: bool) -> None:
        assert self._child is None, "process has already started"
        self._daemon = bool(daemonic)

    def __repr__(self) -> str:
        if self is _current:
            status = "started"
        elif self._closed:
            status = "closed"
        elif self._child is None:
            status = "initial"
        else:
            code = self._poll()
            status = "started" if code is None else f"stopped exitcode={code}"
        pid = "" if self.pid is None else f" pid={self.pid}"
        parent = "" if self is _current else f" parent={os.getpid()}"
        return f"<{type(self).__name__} name={self._name!r}{pid}{parent} {status}{' daemon' if self._daemon else ''}>"


class MainProcess(Process):
    """The process that the program began in."""

    __module__ = "multiprocessing.process"

    def __init__(self) -> None:
        self._name, self._daemon, self._path, self._closed = "MainProcess", False, "", False
        self._child, self._owner = None, os.getpid()


MainProcess.__name__ = MainProcess.__qualname__ = "_MainProcess"
_current: Process = MainProcess()


def opened(sent: Message) -> tuple[Any, list[int]]:
    """The bytes and descriptors of a message that was not sent, but inherited."""
    fds = [os.dup(fd) for fd in sent.fds]
    if sent.data[:1] == b"\1":
        os.close(fds.pop(0))
        return memoryview(sent.kept[0]), fds
    return memoryview(sent.data)[1:], fds


def current_process() -> Process:
    """The process that asks."""
    return _current


def parent_process() -> Process | None:
    """The process that started this one; None for the first."""
    if type(_current) is MainProcess:
        return None
    made = MainProcess()
    made._owner = os.getppid()
    return made


def active_children() -> list[Process]:
    """The processes that this one started and that run."""
    return [process for process in list(_started) if process._poll() is None]


def cpu_count() -> int:
    """How many processors there are."""
    return os.cpu_count() or CORES


ending: list[Callable[[], None]] = []
"""What is to be done before a process ends: queues that still hold something."""


def _finish() -> None:
    """Wait for what this process started, other than daemons, and for what it sends. Methods of a program's class are not asked."""
    for process in list(_started):
        if process._daemon:
            Process.kill(process)
    for process in list(_started):
        Process.join(process)
    for finish in ending:
        finish()
    end_all()


atexit.register(_finish)

for _f in (current_process, parent_process, active_children, cpu_count):
    _f.__module__ = "multiprocessing.process"
