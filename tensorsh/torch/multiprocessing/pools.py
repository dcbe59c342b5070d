"""A pool: processes that call functions for others, and give back what came of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...language.diagnostics import told
from ...sandbox.sealed import OpenSealed, Sealed, all_housed
from .processes import Process, TimeoutError
from .queues import SimpleQueue

STEP = 0.05


def _serve(
    tasks: SimpleQueue, results: SimpleQueue, initializer: Callable | None, initargs: tuple, most: int | None
) -> None:
    """What a process of a pool does."""
    if initializer is not None:
        initializer(*initargs)
    done = 0
    while most is None or done < most:
        task = tasks.get()
        if task is None:
            return
        number, function, spread, arguments = task
        done += 1
        try:
            answer = number, True, [function(*each[0], **each[1]) if spread else function(each) for each in arguments]
        except Exception as error:
            answer = number, False, (error, told(error))  # type: ignore[assignment]
        try:
            results.put(answer)
        except Exception as error:
            results.put((number, False, (RuntimeError(f"Error sending result: {error}"), "")))


class RemoteError(Exception, metaclass=OpenSealed):
    """The diagnostic of an error in a pool's process, as the cause of that error here."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}\n"""'


class AsyncResult(metaclass=Sealed):
    """What will come of a call in a pool."""

    def __init__(self, pool: Pool, numbers: list[int], gather: Callable, callback: Any, error_callback: Any) -> None:
        self._pool, self._numbers, self._gather = pool, numbers, gather
        self._callback, self._error_callback = callback, error_callback
        self._told = False

    def ready(self) -> bool:
        """Whether it is there."""
        self._pool._collect(0)
        done = all(number in self._pool._results for number in self._numbers)
        if done and not self._told:
            self._told = True
            failed = next((v for ok, v in map(self._pool._results.get, self._numbers) if not ok), None)  # type: ignore[misc]
            call = self._callback if failed is None else self._error_callback
            if call is not None:
                call(self.get() if failed is None else failed[0])
        return done

    def successful(self) -> bool:
        """Whether it is there, and no error. ValueError before."""
        if not self.ready():
            raise ValueError(f"{self!r} not ready")
        return all(self._pool._results[number][0] for number in self._numbers)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it is there, for so many seconds at most."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self.ready() and (until is None or time.monotonic() < until):
            self._pool._collect(STEP)

    def get(self, timeout: float | None = None) -> Any:
        """What came of it; its error. TimeoutError if it is not there in so many seconds."""
        self.wait(timeout)
        if not self.ready():
            raise TimeoutError
        found: list[Any] = []
        for number in self._numbers:
            ok, value = self._pool._results[number]
            if not ok:
                raise value[0] from RemoteError(value[1])
            found += value
        return self._gather(found)


class Pool(metaclass=OpenSealed):
    """Processes that call functions for this one. The functions have names in the program.
    processes: how many (None: one for each processor). initializer, initargs: what each calls first (None). maxtasksperchild:
    accepted (None).
    Errors are raised here, with the diagnostic of where they arose as their cause. ValueError once it is closed.
    >>> with torch.multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, 2]))
    [1, 2]"""

    def __init__(
        self, processes: int | None = None, initializer: Callable | None = None, initargs: Any = (),
        maxtasksperchild: int | None = None, context: Any = None,
    ) -> None:  # fmt: skip
        count = (os.cpu_count() or 1) if processes is None else processes
        if count < 1:
            raise ValueError("Number of processes must be at least 1")
        self._tasks, self._answers = SimpleQueue(), SimpleQueue()
        self._results: dict[int, Any] = {}
        self._count = 0
        self._state = "RUN"
        self._owner = os.getpid()
        self._processes: list[Process] = []
        for _ in range(count):
            process = Process(
                target=_serve, args=(self._tasks, self._answers, initializer, tuple(initargs), None), daemon=True
            )
            process.start()
            self._processes.append(process)

    def _collect(self, seconds: float) -> None:
        """Take the answers that have come, or come within so many seconds."""
        far = self._answers._queue._far
        while far.wait(seconds):
            number, ok, value = self._answers.get()
            self._results[number] = ok, value
            seconds = 0
        if seconds and any(process.exitcode is not None for process in self._processes):
            raise RuntimeError("a process of the pool ended before its task was done")

    def _send(self, function: Callable, spread: bool, parts: list, gather: Callable, *callbacks: Any) -> AsyncResult:
        if self._state != "RUN":
            raise ValueError("Pool not running")
        numbers = []
        for part in parts:
            self._tasks.put((self._count, function, spread, part))
            numbers.append(self._count)
            self._count += 1
        return AsyncResult(self, numbers, gather, *callbacks)

    def _parts(self, values: list, chunksize: int | None) -> list[list]:
        size = chunksize or max(1, -(-len(values) // (len(self._processes) * 4)))
        return [values[at : at + size] for at in range(0, len(values), size)]

    def apply_async(
        self, func: Callable, args: Any = (), kwds: Any = None, callback: Any = None, error_callback: Any = None
    ) -> AsyncResult:
        """Begin a call."""
        return self._send(func, True, [[(tuple(args), kwds or {})]], lambda found: found[0], callback, error_callback)

    def apply(self, func: Callable, args: Any = (), kwds: Any = None) -> Any:
        """What comes of a call."""
        return self.apply_async(func, args, kwds).get()

    def map_async(
        self, func: Callable, iterable: Iterable, chunksize: int | None = None, callback: Any = None, error_callback: Any = None
    ) -> AsyncResult:  # fmt: skip
        """Begin a call for each value."""
        return self._send(func, False, self._parts(list(iterable), chunksize), list, callback, error_callback)

    def map(self, func: Callable, iterable: Iterable, chunksize: int | None = None) -> list:
        """What comes of a call for each value, in order."""
        return self.map_async(func, iterable, chunksize).get()

    def starmap_async(
        self, func: Callable, iterable: Iterable, chunksize: int | None = None, callback: Any = None, error_callback: Any = None
    ) -> AsyncResult:  # fmt: skip
        """Begin a call for each tuple of arguments."""
        parts = self._parts([(tuple(each), {}) for each in iterable], chunksize)
        return self._send(func, True, parts, list, callback, error_callback)

    def starmap(self, func: Callable, iterable: Iterable, chunksize: int | None = None) -> list:
        """What comes of a call for each tuple of arguments, in order."""
        return self.starmap_async(func, iterable, chunksize).get()

    def imap(self, func: Callable, iterable: Iterable, chunksize: int = 1) -> Iterator:
        """What comes of a call for each value, one after the other."""
        begun = [self._send(func, False, [part], list, None, None) for part in self._parts(list(iterable), chunksize)]
        for each in begun:
            yield from each.get()

    def imap_unordered(self, func: Callable, iterable: Iterable, chunksize: int = 1) -> Iterator:
        """The same, as it comes."""
        begun = [self._send(func, False, [part], list, None, None) for part in self._parts(list(iterable), chunksize)]
        while begun:
            ready = [each for each in begun if each.ready()]
            if not ready:
                self._collect(STEP)
            for each in ready:
                begun.remove(each)
                yield from each.get()

    def close(self) -> None:
        """Take no more calls."""
        if self._state == "RUN":
            self._state = "CLOSE"
            for _ in self._processes:
                self._tasks.put(None)

    def terminate(self) -> None:
        """End the processes."""
        self._state = "TERMINATE"
        for process in self._processes:
            process.kill()

    def join(self) -> None:
        """Wait until the processes have ended. ValueError before close or terminate."""
        if self._state == "RUN":
            raise ValueError("Pool is still running")
        for process in self._processes:
            while process.is_alive():
                self._collect(0)
                process.join(STEP)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        self.terminate()

    def __del__(self) -> None:
        if getattr(self, "_owner", None) == os.getpid() and self._state == "RUN":
            Pool.terminate(self)  # wherever it is freed: no method of a program's class


all_housed(globals(), "multiprocessing.pool")
