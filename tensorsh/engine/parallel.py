"""Large arrays worked on in pieces that stay in the cache, by as many threads as ``torch.set_num_threads`` allows.

A piece's result depends on that piece alone and the cuts on the array's shape alone, so results do not depend on the number
of threads. numpy releases the interpreter's lock inside its loops; the pieces are long enough that taking it back between
them costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .state import state

PIECE = 1 << 15
"""Elements of a piece of an elementwise function with intermediate results."""
BLOCK = 1 << 18
"""Elements of a block of rows."""
SHARED = 1 << 20
"""From this many elements on, the pieces are shared among threads."""


def elementwise(f: Callable, out: Any, *arrays: Any, piece: int = PIECE) -> Any:
    """Run ``f(out, *arrays)`` on pieces of C-contiguous arrays of one size; `out`."""
    flat = [x.reshape(-1) for x in (out, *arrays)]
    run(f, flat, piece)
    return out


def rows(f: Callable, out: Any, *arrays: Any) -> Any:
    """Run ``f(out, *arrays)`` on blocks of rows of C-contiguous arrays of one shape; `out`."""
    n = out.shape[-1]
    run(f, [x.reshape(-1, n) for x in (out, *arrays)], max(1, BLOCK // n))
    return out


def run(f: Callable, arrays: list, step: int) -> None:
    """``f`` of the same slice of each array, for all slices of `step`; an exception in any of them is raised here."""
    count = len(arrays[0])
    threads = state.threads
    if threads < 2 or arrays[0].size < SHARED or count < 2 * step:
        for top in range(0, count, step):
            f(*[a[top : top + step] for a in arrays])
        return
    spread(f, arrays, step, min(threads, -(-count // step)))


def spread(f: Callable, arrays: list, step: int, threads: int) -> None:
    """As `run`, on several threads that take the next piece when they are done with one."""
    import threading

    tops = iter(range(0, len(arrays[0]), step))
    lock = threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        # numpy's error settings belong to a thread: a new one would warn of divisions by zero.
        with np.errstate(all="ignore"):
            while not failures:
                with lock:
                    top = next(tops, None)
                if top is None:
                    return
                try:
                    f(*[a[top : top + step] for a in arrays])
                except BaseException as error:
                    failures.append(error)

    helpers = [threading.Thread(target=work, daemon=True) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
