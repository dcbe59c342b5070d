"""Programs run in a thread of their own, so that Ctrl-C gives the prompt back even from the depth of a library.

Python code stops at its next step. A call into compiled code (a large matrix product, a decomposition) cannot be stopped:
its thread is left alone, the next entry runs in a new one. When the call has ended, the old thread waits until no program
runs, drops what it was about to do, and ends.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from .keyboard import terminal_is_gone

if TYPE_CHECKING:
    from ..session import Session

PATIENCE = 0.6
"""Seconds that Python code has to stop before the computation is left alone."""

LOOKS = 1.0
"""Seconds between two looks whether there is still a terminal, without which nobody could stop a program."""
HUNG_UP = 129
"""The exit code of what SIGHUP ends, for where it is ignored."""

_running: dict[int, Job] = {}
"""What each thread is at."""


class Abandoned(KeyboardInterrupt):
    """Ctrl-C came while compiled code was running, which goes on."""


class Stopped(KeyboardInterrupt):
    """What Ctrl-C raises in a program; made in the program's thread when it has got there."""

    def __init__(self) -> None:
        job = _running.get(threading.get_ident())
        if job is not None:
            job.heard = True


Stopped.__name__ = Stopped.__qualname__ = "KeyboardInterrupt"
Stopped.__module__ = "builtins"


class Dropped(BaseException):
    """What is raised in a thread that was left alone, as soon as its call ends: first it waits for a turn to unwind in."""

    def __init__(self) -> None:
        job = _running.get(threading.get_ident())
        if job is None or job.back is not None:
            return
        with job.gate:
            pass
        if not _is_importing():  # others may wait for that module
            from ..settings import borrow

            job.back = borrow()


class Job:
    __slots__ = ("back", "call", "done", "error", "gate", "heard", "left", "thread", "value")

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.done = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None
        self.gate = threading.Lock()
        """Held while the job is left alone."""
        self.heard = self.left = False
        """Whether Ctrl-C has arrived in it; whether it was left alone."""
        self.back: Callable[[], None] | None = None
        """Ends the turn in which it unwinds."""
        self.thread = 0

    def work(self) -> None:
        self.thread = threading.get_ident()
        _running[self.thread] = self
        try:
            self.value = self.call()
        except BaseException as error:
            self.error = error
        finally:
            if self.back is not None:
                self.value = self.error = None
                self.back()
            self.done.set()


class Worker:
    """One thread that runs one job after the other, and those that were left alone."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._left: list[Job] = []
        session.thrower = _thrower

    @property
    def busy(self) -> bool:
        """Whether a computation that was interrupted still goes on."""
        self._left = [job for job in self._left if not job.done.is_set()]
        return bool(self._left)

    def start(self, call: Callable[[], Any]) -> Job:
        """Hands over a job without waiting for it."""
        if self._thread is None:
            before = threading.stack_size()
            try:
                threading.stack_size(64 << 20)  # as deep as the main thread may recurse
                self._thread = threading.Thread(target=_work, args=(self._jobs,), name="tensorsh", daemon=True)
                self._thread.start()
            finally:
                threading.stack_size(before)
        job = Job(call)
        if self.busy:  # what was thrown there has not arrived
            _settle()
        self._jobs.put(job)
        return job

    def run(self, call: Callable[[], Any]) -> Any:
        """The value of a call that runs in the thread; Ctrl-C interrupts it."""
        job = self.start(call)
        while not job.done.is_set():
            try:
                if not job.done.wait(LOOKS) and terminal_is_gone():
                    self._left.append(job)
                    raise SystemExit(HUNG_UP)
            except KeyboardInterrupt:
                self._interrupt(job)
        if job.error is not None:
            raise job.error
        return job.value

    def _interrupt(self, job: Job) -> None:
        """Stops a job; raises Abandoned where that cannot be done. A program that catches Ctrl-C goes on."""
        job.heard = False
        for _ in range(3):  # Ctrl-C pressed again while it is waited for
            try:
                for other in self._left:  # one that caught what was to end it
                    _throw(other, Dropped)
                with _at_rest():
                    _throw(job, Stopped)
                if job.done.wait(PATIENCE):
                    _take_back(job)  # in case the job ended by itself in this very moment
                    return
                break
            except KeyboardInterrupt:
                continue
        with job.gate:
            if job.heard or job.done.is_set():
                return
            job.left = True
            _throw(job, Dropped)
            self._session.give_up()
            self._left.append(job)
            self._thread, self._jobs = None, SimpleQueue()
        raise Abandoned


def _work(jobs: SimpleQueue[Job]) -> None:
    """What a thread does: one job after the other, until it is left alone."""
    job: Job | None = None
    while job is None or not job.left:
        try:
            job = jobs.get()
            job.work()
        except (KeyboardInterrupt, Dropped) as error:  # it came late, at the very end of a job
            if job is not None and not job.done.is_set():
                job.error = error
                job.done.set()


def _throw(job: Job, error: type[BaseException] | None) -> None:
    """Raises an error in the thread of a job at its next step; None takes back one that has not arrived."""
    _raise_in(job.thread, error)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    import ctypes

    what = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)


def _take_back(job: Job) -> None:
    """Takes back what was thrown at a job that has ended."""
    _throw(job, None)
    _settle()


class Settled(BaseException):
    """What a thread throws at itself."""


def _settle() -> None:
    """Makes Python forget that something was thrown that has not arrived: all threads look for it at every step meanwhile,
    and in Python 3.11 one whose calls are watched (`sys.setprofile`) never gets beyond the first. It arrives all the same,
    as soon as two threads want to run."""
    try:
        _raise_in(threading.get_ident(), Settled)
        for _ in range(100):
            pass
    except Settled:
        pass


def _thrower(error: BaseException) -> Callable[[], object] | None:
    """What raises an error of `_throw` once more in the thread it was raised in."""
    job = _running.get(threading.get_ident())
    if job is None or not isinstance(error, (Stopped, Dropped)):
        return None

    def again() -> None:
        if not job.done.is_set():
            _throw(job, type(error))
            if job.done.is_set():
                _take_back(job)

    return again


def _at_rest() -> Any:
    """Where the thread may be interrupted: not while it loads a family of operators, of which it would leave the half."""
    table = sys.modules.get("tensorsh.engine.table")
    return nullcontext() if table is None else table.at_rest()


def _is_importing() -> bool:
    frame: Any = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
