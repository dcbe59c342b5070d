"""What processes wait for one another with, and numbers that they share: Python's own, lent method by method."""

from __future__ import annotations

import mmap
import struct
from multiprocessing import get_context
from typing import Any

from ...sandbox.sealed import all_housed
from .inherited import Inherited

_real = get_context("fork")


class Held(Inherited):
    """What can be held: by `acquire` and `release`, or by a `with` statement."""

    _lock: Any

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take it, within so many seconds (None: whenever that is); whether that was possible."""
        return self._lock.acquire(bool(block), timeout)

    def release(self) -> None:
        """Let go of it."""
        self._lock.release()

    def __enter__(self) -> bool:
        return self._lock.__enter__()

    def __exit__(self, *error: object) -> None:
        self._lock.__exit__(*error)

    def __repr__(self) -> str:
        return repr(self._lock)


class Lock(Held):
    """A lock that one process at a time holds."""

    def __init__(self) -> None:
        self._lock = _real.Lock()
        self._enter()


class RLock(Held):
    """A lock that who holds it may take again."""

    def __init__(self) -> None:
        self._lock = _real.RLock()
        self._enter()


class Semaphore(Held):
    """A number that `acquire` lessens, and waits where it is 0.
    value: the number (1)."""

    _make: Any = _real.Semaphore

    def __init__(self, value: int = 1) -> None:
        self._lock = type(self)._make(value)
        self._enter()

    def get_value(self) -> int:
        """The number."""
        return self._lock.get_value()


class BoundedSemaphore(Semaphore):
    """A semaphore that never exceeds its first number. ValueError where it would."""

    _make = _real.BoundedSemaphore


class Condition(Held):
    """A lock that one can wait under until another process gives notice.
    lock: the lock (None: an RLock)."""

    def __init__(self, lock: Any = None) -> None:
        if lock is not None and not isinstance(lock, Held):
            raise AttributeError(f"'{type(lock).__name__}' object has no attribute '_semlock'")
        self._lock = _real.Condition(None if lock is None else lock._lock)
        self._enter()

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take the lock."""
        return self._lock.acquire(block, timeout)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for notice, for so many seconds at most; whether it came."""
        return self._lock.wait(timeout)

    def wait_for(self, predicate: Any, timeout: float | None = None) -> Any:
        """Wait until a function answers with what is true; its answer."""
        return self._lock.wait_for(predicate, timeout)

    def notify(self, n: int = 1) -> None:
        """Give notice to so many."""
        self._lock.notify(n)

    def notify_all(self) -> None:
        """Give notice to all."""
        self._lock.notify_all()


class Event(Inherited):
    """A flag that processes wait for."""

    def __init__(self) -> None:
        self._event = _real.Event()
        self._enter()

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._event.is_set()

    def set(self) -> None:
        """Set it."""
        self._event.set()

    def clear(self) -> None:
        """Unset it."""
        self._event.clear()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set, for so many seconds at most; whether it is."""
        return self._event.wait(timeout)


class Barrier(Inherited):
    """A place where so many processes wait for one another.
    parties: how many. action: what one of them calls when all are there (None). timeout: seconds that each waits (None)."""

    def __init__(self, parties: int, action: Any = None, timeout: float | None = None) -> None:
        self._barrier = _real.Barrier(parties, action, timeout)
        self._enter()

    parties = property(lambda self: self._barrier.parties)
    n_waiting = property(lambda self: self._barrier.n_waiting)
    broken = property(lambda self: self._barrier.broken)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the others; a number of this process among them. BrokenBarrierError if one does not come in time."""
        return self._barrier.wait(timeout)

    def reset(self) -> None:
        """Begin anew."""
        self._barrier.reset()

    def abort(self) -> None:
        """Let nobody wait any more."""
        self._barrier.abort()


all_housed(globals(), "multiprocessing.synchronize")


CODES = "cbBhHiIlLqQfd"


def _memory(typecode: str, count: int) -> Any:
    if not isinstance(typecode, str) or typecode not in CODES or len(typecode) != 1:
        raise TypeError(f"a type of shared numbers is one of {', '.join(CODES)}, not {typecode!r}")
    size = struct.calcsize(typecode)
    return memoryview(mmap.mmap(-1, max(size * count, 1)))[: size * count].cast(typecode)


class Shared(Inherited):
    """Numbers in memory that processes share, and a lock for them."""

    _items: Any
    _lock: Any

    def get_lock(self) -> Any:
        """The lock."""
        if self._lock is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'get_lock'")
        return self._lock

    get_obj = property(lambda self: lambda: self)

    def _begin(self, lock: Any) -> None:
        self._lock = RLock() if lock is True else lock or None
        self._enter()

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take the lock."""
        return self.get_lock().acquire(block, timeout)

    def release(self) -> None:
        """Let go of the lock."""
        self.get_lock().release()

    def __enter__(self) -> bool:
        return self.get_lock().__enter__()

    def __exit__(self, *error: object) -> None:
        self.get_lock().__exit__(*error)


class Value(Shared):
    """A number in shared memory.
    typecode_or_type: its type, as "i" or "d". args: the number (0). lock: a lock of its own (True), another, or none (False)."""

    __module__ = "multiprocessing.sharedctypes"

    def __init__(self, typecode_or_type: str, *args: Any, lock: Any = True) -> None:
        self._items = _memory(typecode_or_type, 1)
        if args:
            self._items[0] = args[0]
        self._begin(lock)

    @property
    def value(self) -> Any:
        """The number."""
        return self._items[0]

    @value.setter
    def value(self, value: Any) -> None:
        self._items[0] = value


class Array(Shared):
    """Numbers in shared memory.
    typecode_or_type: their type, as "i" or "d". size_or_initializer: how many zeros, or the numbers. lock: a lock of its own
    (True), another, or none (False)."""

    __module__ = "multiprocessing.sharedctypes"

    def __init__(self, typecode_or_type: str, size_or_initializer: Any, *, lock: Any = True) -> None:
        given = [0] * size_or_initializer if isinstance(size_or_initializer, int) else list(size_or_initializer)
        self._items = _memory(typecode_or_type, len(given))
        for place, value in enumerate(given):
            self._items[place] = value
        self._begin(lock)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index].tolist() if isinstance(index, slice) else self._items[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        for place, each in (
            zip(range(*index.indices(len(self))), value, strict=True) if isinstance(index, slice) else [(index, value)]
        ):
            self._items[place] = each

    def __iter__(self) -> Any:
        return iter(self._items.tolist())


def RawValue(typecode_or_type: str, *args: Any) -> Value:  # noqa: N802
    """A number in shared memory, without a lock."""
    return Value(typecode_or_type, *args, lock=False)


def RawArray(typecode_or_type: str, size_or_initializer: Any) -> Array:  # noqa: N802
    """Numbers in shared memory, without a lock."""
    return Array(typecode_or_type, size_or_initializer, lock=False)


for _f in (RawValue, RawArray):
    _f.__module__ = "multiprocessing.context"
