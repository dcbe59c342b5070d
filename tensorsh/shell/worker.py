"""Programs run in a thread of their own, so that Ctrl-C gives the prompt back even from the depth of a library.

Python code stops at its next step. A call into compiled code (a large matrix product, a decomposition) cannot be stopped:
it is left to end by itself, what it would have assigned is dropped, and the next entry waits for it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from queue import SimpleQueue
from typing import Any

PATIENCE = 0.6
"""Seconds that Python code has to stop before the computation is left alone."""


class Abandoned(KeyboardInterrupt):
    """Ctrl-C came while compiled code was running, which goes on."""


class Job:
    __slots__ = ("call", "done", "error", "value")

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.done = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None

    def work(self) -> None:
        try:
            self.value = self.call()
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()


class Worker:
    """One thread that runs one job after the other."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._left: Job | None = None

    @property
    def busy(self) -> bool:
        """Whether a computation that was interrupted still goes on."""
        if self._left is not None and self._left.done.is_set():
            self._left = None
        return self._left is not None

    def start(self, call: Callable[[], Any]) -> Job:
        """Hands over a job without waiting for it."""
        if self._thread is None:
            before = threading.stack_size()
            try:
                threading.stack_size(64 << 20)  # as deep as the main thread may recurse
                self._thread = threading.Thread(target=self._work, name="tensorsh", daemon=True)
                self._thread.start()
            finally:
                threading.stack_size(before)
        job = Job(call)
        self._jobs.put(job)
        return job

    def _work(self) -> None:
        job: Job | None = None
        while True:
            try:
                job = self._jobs.get()
                job.work()
            except KeyboardInterrupt as error:  # it came late, at the very end of a job
                if job is not None and not job.done.is_set():
                    job.error = error
                    job.done.set()

    def run(self, call: Callable[[], Any]) -> Any:
        """The value of a call that runs in the thread; Ctrl-C interrupts it."""
        self.wait()
        job = self.start(call)
        try:
            job.done.wait()
        except KeyboardInterrupt:
            self._interrupt(job)
        if job.error is not None:
            raise job.error
        return job.value

    def wait(self) -> None:
        """Waits for a computation that was left alone; Ctrl-C gives up waiting."""
        if self.busy:
            assert self._left is not None
            self._left.done.wait()
            self._left = None

    def _interrupt(self, job: Job) -> None:
        import ctypes

        assert self._thread is not None and self._thread.ident is not None
        thread, throw = ctypes.c_ulong(self._thread.ident), ctypes.pythonapi.PyThreadState_SetAsyncExc
        for _ in range(3):  # Ctrl-C pressed again while it is waited for
            try:
                with _at_rest():
                    throw(thread, ctypes.py_object(KeyboardInterrupt))
                if job.done.wait(PATIENCE):
                    throw(thread, None)  # in case the job ended by itself in this very moment
                    return
                break
            except KeyboardInterrupt:
                continue
        self._left = job
        raise Abandoned


def _at_rest() -> Any:
    """Where the thread may be interrupted: not while it loads a family of operators, of which it would leave the half."""
    table = sys.modules.get("tensorsh.engine.table")
    return nullcontext() if table is None else table.at_rest()
