"""Bounds on a program that is run from the command line: time, memory, output.

The time limit has two halves. The process that computes raises `Timeout` at the next bytecode, again and again, so
that no `except:` keeps it for long. The process that started it (see `supervision.py`) waits a moment longer and then ends
it, for a single operation in C (`10**10**8`) cannot be interrupted from within.

Memory is bounded twice. The arrays under tensors are counted by a ledger that numpy asks for their memory (see
`engine/kernels/memory.c`), and what is too large is refused before it is allocated. Lists, text and all the rest are bounded
by the kernel, counted from what the interpreter and numpy already took; where the ledger was not compiled, arrays too.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cache, partial

from . import processes
from .sealed import program_frame
from .supervision import TIMEOUT_CODE as TIMEOUT_CODE
from .supervision import timeout_message
from .thrown import Limit, OutputLimit, Timeout
from .whole import may_be_left

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any, TextIO


def parse_size(text: str) -> int:
    """Bytes of `1G`, `512M`, `64K` or a plain number."""
    number, unit = text.strip().upper().removesuffix("IB").removesuffix("B"), 1
    if number[-1:] in ("K", "M", "G", "T"):
        unit = 1024 ** ("KMGT".index(number[-1]) + 1)
        number = number[:-1]
    size = float(number) * unit
    if not 1 <= size < 1 << 62:
        raise ValueError(text)
    return int(size)


def parse_seconds(text: str) -> float:
    """Seconds of `5`, `0.5`, `5s` or `2m`."""
    number, unit = text.strip().lower().removesuffix("s"), 1
    if number.endswith("m"):
        number, unit = number[:-1], 60
    seconds = float(number) * unit
    if not 0 < seconds < 1e9:
        raise ValueError(text)
    return seconds


def start_timer(seconds: float) -> None:
    """Raises `Timeout` in this process when the time is over."""
    import _signal

    if not hasattr(_signal, "setitimer"):
        _start_thread(seconds)
        return

    is_first = True

    def over(number: int, frame: Any) -> None:
        nonlocal is_first
        if not may_be_left(frame) or not is_first and program_frame(frame) is None:  # again only while the program runs
            return
        is_first = False
        raise Timeout(timeout_message(seconds))

    shown = sys.unraisablehook

    def ignored(told: Any) -> None:
        if not isinstance(told.exc_value, Limit):  # that comes again
            shown(told)

    sys.unraisablehook = ignored
    _signal.signal(_signal.SIGALRM, over)
    _signal.setitimer(_signal.ITIMER_REAL, seconds, 0.05)


def end_by_timer() -> None:
    """Has the end of the time end this process at once, as it does what comes after a program: there Python passes errors over."""
    import _signal

    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)


def stop_timer() -> None:
    """Ends the repeated raising, once it has done its work."""
    import _signal

    global _over
    _over = True
    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, 0)


_over = False
"""Whether the thread that watches the time has been told to stop."""


def _start_thread(seconds: float) -> None:
    """Where there are no interval timers a thread throws it at this one, again and again."""
    from _thread import get_ident
    from threading import Thread

    from .thrown import throw

    thread = get_ident()

    class Over(Timeout):
        """What is thrown: a class alone can be."""

        def __init__(self) -> None:
            super().__init__(timeout_message(seconds))

    def watch() -> None:
        end = time.monotonic() + seconds
        while not _over:
            time.sleep(min(max(end - time.monotonic(), 0.05), 1.0))
            frame = sys._current_frames().get(thread)
            if time.monotonic() >= end and not _over and program_frame(frame) is not None and may_be_left(frame):
                throw(thread, Over)

    Thread(target=watch, daemon=True).start()


def bound_memory(size: int, kernels: Any) -> MemoryBound:
    """A bound that holds until the process ends. Raises `Unbounded` where there is none."""
    bound = MemoryBound(size, kernels)
    bound.enter()
    bound.lasts = True
    return bound


def loosen_memory() -> None:
    """Gives an ended program's process some more memory: to explain an error takes some, too."""
    if "resource" in sys.modules:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            soft += SPARE
            resource.setrlimit(resource.RLIMIT_AS, (hard if -1 < hard < soft else soft, hard))


SPARE = 256 << 20
"""Bytes to explain an error with; and what the kernel's bound leaves to libraries, which may not come back without."""


class Unbounded(Exception):
    """This system cannot bound memory."""


@cache
def reserve(_: int) -> None:
    """Has numpy's libraries take the address space that they need in a process, which is not a program's."""
    import numpy

    numpy.ones((160, 160)) @ numpy.ones(
        (160, 160)
    )  # the buffers of BLAS's threads: without them it would end the process


class MemoryBound:
    """A bound on the memory that one session's programs take, while they run.

    The ledger is the session's for good. The process has one limit of the kernel's: it is set when a program starts, counted
    from what the process holds then, and undone when it ends. `kernels` is the engine's module; its compiled part keeps
    the ledger.
    """

    def __init__(self, size: int, kernels: Any) -> None:
        compiled: Any = kernels.compiled if hasattr(kernels.compiled, "ledger") else None
        reserve(os.getpid())
        try:
            import resource
        except ImportError:
            resource = None  # type: ignore[assignment]
        self._resource = None if sys.platform == "darwin" else resource  # macOS takes this limit and does not keep it
        self._compiled: Any = compiled
        self.ledger = None if compiled is None else compiled.ledger(size)
        if compiled is not None:
            kernels.keep_freed(0)  # memory that is kept would count
            processes.ended.append(partial(compiled.ledger_sweep, self.ledger))
        if self.ledger is None and self._resource is None:
            raise Unbounded("this system has no limits on memory, and tensorsh's kernels were not compiled")
        self.size = size
        self._before: tuple[int, int] | None = None
        self.lasts = False

    def count(self) -> None:
        """The arrays that are made in this context are counted from now on."""
        if self.ledger is not None:
            self._compiled.ledger_use(self.ledger)

    def raise_by(self, more: int) -> None:
        """Changes how much there is."""
        self.size += more
        if self.ledger is not None:
            self._compiled.ledger_raise(self.ledger, more)

    def _used(self) -> int:
        try:
            with open("/proc/self/statm", "rb") as file:
                return int(file.read().split()[0]) * self._resource.getpagesize()  # type: ignore[union-attr]
        except (OSError, ValueError):
            return 1 << 30

    def enter(self) -> None:
        """From here on no more memory is given out than is left."""
        resource = self._resource
        if self.lasts or resource is None:
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = self._used() + self.size + SPARE
        for known in (soft, hard):
            if known != resource.RLIM_INFINITY:
                wanted = min(wanted, known)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
        self._before = soft, hard

    def leave(self) -> None:
        """Memory is as it was bounded before."""
        if self._before is not None and not self.lasts:
            self._resource.setrlimit(self._resource.RLIMIT_AS, self._before)  # type: ignore[union-attr]
            self._before = None


class CountingStream:
    """A text stream that takes only so many bytes; streams may share the number of those that are left."""

    def __init__(self, stream: TextIO, limit: int, left: list[int] | None = None) -> None:
        self._stream, self._limit, self.left = stream, limit, [limit] if left is None else left

    def write(self, text: str) -> int:
        text = str.__str__(text)  # a class of the program's own would say how long it is
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        left = self.left[0]
        if size > left:
            self.left[0] = 0
            self._stream.write(text.encode("utf-8", "replace")[:left].decode("utf-8", "ignore"))
            raise OutputLimit(f"OutputLimit: the program printed more than {self._limit} bytes (--max-output)")
        self.left[0] = left - size
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
