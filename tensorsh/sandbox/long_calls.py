"""Long calls of compiled code, made by a helper thread: whoever waits for one can be interrupted.

Nothing stops compiled code. Ctrl-C and the end of a time limit are raised in the thread that waits, which leaves the call
alone: it ends some time later, holds its operands until then, and nobody sees its result.

A call that would never end, and has nothing to compute, is not begun: numpy walks a batch matrix by matrix, also 2**40 matrices
without elements. Those are all alike: one of them is computed, and the result is repeated.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import numpy as np

from .wrapping import wraps

STEP = 0.05
"""Seconds between two looks whether the thread that waits was interrupted."""
LONG = 1 << 28
"""Multiplications that take about as long; a call of less is made where it stands."""
CALL = 1 << 13
"""The price of a matrix for LAPACK beside its arithmetic, in multiplications."""
MANY = 1 << 20
"""Elements that take long to sort, to transform or to look up."""


class Helper:
    """A thread that waits for work: starting one for each task takes ten times as long as waking one."""

    __slots__ = ("go", "done", "work")

    def __init__(self) -> None:
        from threading import Thread

        self.go, self.done = allocate_lock(), allocate_lock()
        self.go.acquire()
        self.done.acquire()
        Thread(target=self.run, daemon=True).start()

    def begin(self, work: Callable) -> None:
        self.work = work
        self.go.release()

    def run(self) -> None:
        # numpy's settings belong to a thread: a new one would warn of divisions by zero.
        np.seterr(all="ignore")
        while True:
            self.go.acquire()
            found = self.work(self)
            del self.work
            if found:
                self.done.release()
            else:
                parked.append(self)


parked: list[Helper] = []
"""Threads without work."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=parked.clear)  # a child process has none of them


def apart(function: Callable, *arguments: Any, **options: Any) -> Any:
    """The result of a call, made in a helper thread with the settings of this one."""
    context = copy_context()
    found: list = []
    failed: list = []
    left: list = []

    def work(helper: Helper) -> bool:
        """Makes the call; whether it is still waited for."""
        try:
            found.append(context.run(function, *arguments, **options))
        except BaseException as error:
            failed.append(error)
        return not left

    try:
        helper = parked.pop() if parked else Helper()
    except (RuntimeError, MemoryError):  # there is no room for another stack
        return function(*arguments, **options)
    try:
        helper.begin(work)
        while not helper.done.acquire(timeout=STEP):
            pass
    except BaseException:
        left.append(True)
        raise
    parked.append(helper)
    if failed:
        raise failed[0]
    return found[0]


def endable(function: Callable) -> Callable:
    """A function of arrays that can be interrupted where they are large. It calls nothing that a program defines."""

    @wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        for x in arguments:
            if type(x) is np.ndarray and x.size >= MANY:
                return apart(function, *arguments, **options)
        return function(*arguments, **options)

    return run


def batched(function: Callable) -> Callable:
    """A function of matrices, over the batches in front of their last two dimensions."""

    @wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        work = 0
        for x in arguments:
            if type(x) is np.ndarray and x.ndim > 1:
                rows, columns = x.shape[-2:]
                if x.size:
                    work += x.size * min(rows, columns) + x.size // (rows * columns) * CALL
                elif x.ndim > 2 and not rows * columns:
                    return empty(*arguments, **options)
        return function(*arguments, **options) if work < LONG else apart(function, *arguments, **options)

    def empty(*arguments: Any, **options: Any) -> Any:
        arrays = [type(x) is np.ndarray and x.ndim > 1 for x in arguments]
        batch = np.broadcast_shapes(*[x.shape[:-2] for x, on in zip(arguments, arrays, strict=True) if on])
        if 0 in batch:
            return function(*arguments, **options)
        one = [x[(0,) * (x.ndim - 2)] if on else x for x, on in zip(arguments, arrays, strict=True)]
        return repeated(function(*one, **options), batch)

    return run


def repeated(found: Any, batch: tuple) -> Any:
    """The result for one matrix as that for a whole batch."""
    if isinstance(found, tuple):
        parts = [repeated(x, batch) for x in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    found = np.asarray(found)
    return np.broadcast_to(found, (*batch, *found.shape)).copy()
