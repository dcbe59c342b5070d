"""Large arrays worked on in pieces that stay in the cache, by as many threads as ``torch.set_num_threads`` allows.

A piece's result depends on that piece alone and the cuts on the array's shape alone, so results do not depend on the number
of threads. numpy releases the interpreter's lock inside its loops; the pieces are long enough that taking it back between
them costs nothing."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...sandbox.long_calls import MANY, Helper, parked
from .state import state

PIECE = 1 << 15
"""Elements of a piece of an elementwise function with intermediate results."""
BLOCK = 1 << 18
"""Arrays of more elements than this are worked on a block of rows at a time."""
ROWS = 1 << 16
"""Elements of a block of rows."""
SHARED = 1 << 19
"""From this many elements on, the pieces are shared among threads."""


def blocks_of_rows(f: Callable, arrays: list) -> None:
    """``f`` of the same rows of each matrix, for all blocks of rows; the first matrix is the widest."""
    n = arrays[0].shape[1]
    run(f, arrays, max(1, ROWS // n), buffer_for(n))


SHORT = 256
"""Rows of less elements than this are too short for an operation of their own."""


def buffer_for(n: int) -> int:
    """The best buffer size of numpy for operations between rows of n elements and a column; 0 for its own.

    With a buffer larger than a row numpy makes copies of the column as wide as the buffer, which doubles the time."""
    return min(n, 8192) // 16 * 16 if n >= SHORT else 0


def by_rows(f: Callable, *operands: Any) -> Any:
    """``f(*operands)``, a ufunc's result, where some operands lie in rows that are apart, or are one of them; the last has all rows."""
    large = operands[-1].size > 8192 and (buffer := buffer_for(operands[-1].shape[-1]))
    before = np.setbufsize(buffer) if large else 0
    try:
        return f(*operands)
    finally:
        if before:
            np.setbufsize(before)


def spread(column: Any, n: int) -> Any:
    """A column as it is best combined with rows of n elements: repeated along short ones."""
    return column if n >= SHORT else np.repeat(column, n, 1)


def run(f: Callable, arrays: list, step: int, buffer: int = 0) -> None:
    """``f`` of the same slice of each array, for all slices of `step`."""
    count = len(arrays[0])
    threads = min(state.threads, -(-count // step)) if arrays[0].size >= SHARED and count >= 2 * step else 1
    each(f, ([a[top : top + step] for a in arrays] for top in range(0, count, step)), threads, buffer)


work_alone: list[Callable] = [lambda on: on]
"""The kernels' own, which tells them that this thread is one of several, and what it told before: they put it here."""


def each(f: Callable, jobs: Iterable, threads: int, buffer: int = 0) -> None:
    """``f(*job)`` for all jobs, by threads that take the next job when they are done with one.

    An exception in any of them is raised here. `buffer` is numpy's buffer size meanwhile (see `buffer_for`)."""
    if threads < 2:
        before = np.setbufsize(buffer) if buffer else 0
        try:
            for job in jobs:
                f(*job)
        finally:
            if before:
                np.setbufsize(before)
        return
    rest = iter(jobs)
    lock = allocate_lock()
    failures: list[BaseException] = []
    started: list[Helper] = []

    def work(helper: Helper | None = None) -> bool:
        """Do jobs while there are any; whether there was one, which the thread that asked for the work then waits for."""
        before = np.setbufsize(buffer) if buffer else 0
        found, shared = False, work_alone[0](True)
        try:
            while not failures:
                with lock:
                    job = next(rest, None)
                    if job is not None and not found:
                        found = True
                        if helper is not None:
                            started.append(helper)
                if job is None:
                    break
                f(*job)
        except BaseException as error:
            failures.append(error)
        finally:
            work_alone[0](shared)
            if before:
                np.setbufsize(before)
        return found

    for _ in range(threads - 1):
        try:
            helper = parked.pop() if parked else Helper()
        except (RuntimeError, MemoryError):  # there is no room for another stack
            break
        helper.begin(work)
    work()
    with lock:
        rest = iter(())  # helpers that wake only now are not waited for
    for helper in started:
        helper.done.acquire()
        parked.append(helper)
    if failures:
        raise failures[0]


def unlaid(x: Any, out: Any, apart: bool = False) -> Any:
    """In the place of the kernel, where there is none, that writes an array's elements to another of its shape."""


laid: list[Callable] = [unlaid]
"""The kernel, which stands above: it puts itself here."""


def lay(out: Any, x: Any, apart: bool = False) -> None:
    """Write the elements of an array to another of its shape and dtype that lies otherwise in memory. apart: none of these are in both
    arrays, which are parts of one."""
    if laid[0](x, out, apart) is None:
        np.copyto(out, x)


FEW = 512


def copied(x: Any) -> Any:
    """A copy in C order; of few elements numpy's takes the least."""
    if x.size < FEW or type(x) is not np.ndarray or x.flags.c_contiguous:
        return x.copy()
    out = np.empty(x.shape, x.dtype)
    if state.threads < 2 or x.size < SHARED:
        lay(out, x, True)
    else:
        run(lay, [out, x], -(-len(x) // (4 * state.threads)) or 1)
    return out


def listed(array: Any) -> Any:
    """`array.tolist()`, made in pieces: it can be interrupted between them."""
    if array.size <= MANY or not array.ndim:
        return array.tolist()
    if array.ndim > 1:
        return [listed(row) for row in array]
    found: list = []
    for at in range(0, array.size, MANY):
        found += array[at : at + MANY].tolist()
    return found
