"""`spawn`: one function in many processes, told which it is in; an error in one ends all and is raised here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ...language.diagnostics import told
from ...sandbox.sealed import OpenSealed
from .channels import End, Ended, pair
from .contexts import process_class
from .processes import Process

TOLD = {
    "terminate": "Terminating process %s via signal SIGTERM",
    "kill": "Unable to shutdown process %s via SIGTERM , forcefully exiting via SIGKILL",
}
ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
"""A variable that lets PyTorch's server of forks start processes side by side, as they are here."""


class ProcessException(Exception, metaclass=OpenSealed):
    """Base of the errors of processes that did not end well."""

    __module__ = "torch.multiprocessing.spawn"

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid


class ProcessRaisedException(ProcessException):
    """The function raised an error in one of the processes."""

    __module__ = "torch.multiprocessing.spawn"


class ProcessExitedException(ProcessException):
    """One of the processes was ended by a signal, or with an exit code."""

    __module__ = "torch.multiprocessing.spawn"

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


STEP = 0.02
GRACE = 30.0


class ProcessContext(metaclass=OpenSealed):
    """The processes of one call of `spawn`."""

    __module__ = "torch.multiprocessing.spawn"

    def __init__(self, processes: list[Process], errors: list[End]) -> None:
        self.processes, self._errors = processes, errors
        self._left = dict(enumerate(processes))

    def pids(self) -> list[int | None]:
        """The numbers of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Whether all have ended, within so many seconds. ProcessRaisedException or ProcessExitedException where one failed; the
        others are ended then."""
        if not self._left:
            return True
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            ended = [index for index, process in self._left.items() if process.exitcode is not None]
            if ended or until is not None and time.monotonic() >= until:
                break
            time.sleep(STEP)
        for index in ended:
            process = self._left.pop(index)
            if process.exitcode:
                self._end(grace_period)
                self._raise(index)
        return not self._left

    def _end(self, grace: float | None) -> None:
        for stop in ("", "terminate", "kill"):
            alive = [process for process in self.processes if process.is_alive()]
            for process in alive if stop else ():
                from logging import getLogger

                getLogger("torch.multiprocessing.spawn").warning(TOLD[stop], process.pid)
                getattr(process, stop)()
            until = time.monotonic() + (grace if grace is not None else GRACE if stop else 0)
            for process in alive:
                process.join(max(until - time.monotonic(), 0))

    def _raise(self, index: int) -> None:
        process = self.processes[index]
        code, pid = process.exitcode or 0, process.pid or 0
        try:
            text = self._errors[index].get(0)
        except (TimeoutError, Ended):
            text = None
        if text is not None:
            text = f"\n\n-- Process {index} terminated with the following error:\n{text}\n"
            raise ProcessRaisedException(text, index, pid)
        if code < 0:
            from signal import Signals

            try:
                name = Signals(-code).name
            except ValueError:
                name = f"<Unknown signal {-code}>"
            raise ProcessExitedException(f"process {index} terminated with signal {name}", index, pid, code, name)
        raise ProcessExitedException(f"process {index} terminated with exit code {code}", index, pid, code)


def start_processes(
    fn: Callable, args: Any = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn"
) -> ProcessContext | None:
    """Call ``fn(i, *args)`` in so many processes, i counted from 0; None once all have ended, else the processes."""
    processes, errors = [], []
    kind = process_class(start_method)
    for index in range(nprocs):
        near, far = pair()
        process = kind(target=Call(fn, far), args=(index, *args), daemon=daemon)
        process.start()
        far.close()
        processes.append(process)
        errors.append(near)
    context = ProcessContext(processes, errors)
    if not join:
        return context
    try:
        while not context.join():
            pass
    except KeyboardInterrupt:
        for each in processes:
            each.kill()
        raise
    return None


class Call:
    """The function, with what tells the other process of its error."""

    __slots__ = ("end", "function")

    def __init__(self, function: Callable, end: End) -> None:
        self.function, self.end = function, end

    def __call__(self, *arguments: Any) -> None:
        try:
            self.function(*arguments)
        except KeyboardInterrupt:
            pass
        except Exception as error:
            text = told(error)
            try:
                self.end.put(text)
            except Ended:
                pass
            raise SystemExit(1) from None


def spawn(
    fn: Callable, args: Any = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn"
) -> ProcessContext | None:
    """Call ``fn(i, *args)`` in so many processes, i counted from 0. If one fails the others are ended, and its error is raised.
    fn: the function. args: what it gets beside the number; tensors among them are shared. nprocs: processes (1). join: wait for
    all (True), else give back a ProcessContext to wait with. daemon: whether they end with this process (False).
    start_method: accepted.
    ProcessRaisedException where `fn` raised, ProcessExitedException where a process ended otherwise.
    >>> torch.multiprocessing.spawn(print, args=("of 1",), nprocs=1)
    0 of 1"""
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")


for _f in (spawn, start_processes):
    _f.__module__ = "torch.multiprocessing.spawn"
