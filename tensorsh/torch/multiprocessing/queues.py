"""Queues and pipes between processes. What is put is on its way at once; what finds no room goes on in a thread."""

from __future__ import annotations

import time
from collections import deque
from queue import Empty, Full
from threading import Condition as Turn
from threading import Thread
from typing import Any

from .channels import End, Ended, Message, pair
from .inherited import Inherited
from .locks import BoundedSemaphore, Condition, Semaphore
from .processes import ending


class Sender:
    """Messages that found no room, and the thread that sends them."""

    def __init__(self, end: End) -> None:
        self.end, self.turn = end, Turn()
        self.waiting: deque[Message] = deque()
        self.thread: Thread | None = None
        self.leaves = False

    def send(self, message: Message) -> None:
        with self.turn:
            if not self.waiting and self.end.send(message, block=False):
                return
            self.waiting.append(message)
            if self.thread is None or not self.thread.is_alive():
                self.thread = Thread(target=self.run, daemon=True)
                self.thread.start()
                ending.append(self.finish)

    def run(self) -> None:
        while True:
            with self.turn:
                if not self.waiting:
                    self.thread = None
                    return
                message = self.waiting[0]
            try:
                self.end.send(message)
            except (Ended, OSError):
                self.waiting.clear()
                return
            self.waiting.popleft()

    def finish(self) -> None:
        """Wait until all is sent."""
        thread = self.thread
        if thread is not None and not self.leaves:
            thread.join()


class Queue(Inherited):
    """A queue of processes: what one puts, another gets, in turn. Tensors are shared by the two, not copied.
    maxsize: how much may wait in it (0: as much as comes).
    queue.Empty and queue.Full where something is not there, or has no room, in time.
    >>> q = torch.multiprocessing.Queue()
    >>> q.put(torch.ones(2)); q.get()
    tensor([1., 1.])"""

    __module__ = "multiprocessing.queues"

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        self._near, self._far = pair()
        self._room = BoundedSemaphore(maxsize) if maxsize > 0 else None
        self._count = Semaphore(0)
        self._sender: tuple[int, Sender] | None = None
        self._closed = False
        self._enter()

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put something in; Full if there is no room in so many seconds (None: wait), or at once where it does not block."""
        import os

        if self._closed:
            raise ValueError(f"Queue {self!r} is closed")
        message = Message(obj)
        if self._room is not None and not self._room.acquire(block, timeout):
            raise Full
        if self._sender is None or self._sender[0] != os.getpid():
            self._sender = os.getpid(), Sender(self._near)
        self._count.release()
        self._sender[1].send(message)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take out the first; Empty if there is none in so many seconds (None: wait), or at once where it does not block."""
        if self._closed:
            raise ValueError(f"Queue {self!r} is closed")
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = 0 if not block else None if until is None else max(until - time.monotonic(), 0)
            try:
                found = self._far.get(left)
                break
            except TimeoutError:
                if not block or until is not None and time.monotonic() >= until:
                    raise Empty from None
        self._count.acquire(False)
        if self._room is not None:
            self._room.release()
        return found

    def put_nowait(self, obj: Any) -> None:
        """`put` that does not wait."""
        self.put(obj, False)

    def get_nowait(self) -> Any:
        """`get` that does not wait."""
        return self.get(False)

    def qsize(self) -> int:
        """How much is in it, roughly."""
        return self._count.get_value()

    def empty(self) -> bool:
        """Whether nothing is there to get."""
        return not self._far.wait(0)

    def full(self) -> bool:
        """Whether nothing can be put."""
        return self._room is not None and self._room.get_value() == 0

    def close(self) -> None:
        """This process puts nothing more."""
        self._closed = True

    def join_thread(self) -> None:
        """Wait until all that was put is on its way."""
        if self._sender is not None:
            self._sender[1].finish()

    def cancel_join_thread(self) -> None:
        """Let this process end with things that are not on their way yet."""
        if self._sender is not None:
            self._sender[1].leaves = True


class JoinableQueue(Queue):
    """A queue that can be waited for: until `task_done` was called for each thing that was put."""

    __module__ = "multiprocessing.queues"

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        super().__init__(maxsize)
        self._unfinished, self._all = Semaphore(0), Condition()

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Put something in."""
        self._unfinished.release()
        super().put(obj, block, timeout)

    def task_done(self) -> None:
        """Say that one thing that was got is dealt with. ValueError if that is said too often."""
        with self._all:
            if not self._unfinished.acquire(False):
                raise ValueError("task_done() called too many times")
            if self._unfinished.get_value() == 0:
                self._all.notify_all()

    def join(self) -> None:
        """Wait until all is dealt with."""
        with self._all:
            if self._unfinished.get_value():
                self._all.wait()


class SimpleQueue(Inherited):
    """A queue without bounds and times."""

    __module__ = "multiprocessing.queues"

    def __init__(self, *, ctx: Any = None) -> None:
        self._queue = Queue()
        self._enter()

    def put(self, obj: Any) -> None:
        """Put something in."""
        self._queue.put(obj)

    def get(self) -> Any:
        """Take out the first."""
        return self._queue.get()

    def empty(self) -> bool:
        """Whether nothing is there to get."""
        return self._queue.empty()

    def close(self) -> None:
        """No more use is made of it."""
        self._queue.close()


class Connection(Inherited):
    """An end of a pipe."""

    __module__ = "multiprocessing.connection"

    def __init__(self, end: End, readable: bool = True, writable: bool = True) -> None:
        self._end: End | None = end
        self.readable, self.writable = readable, writable
        self._enter()

    closed = property(lambda self: self._end is None, doc="Whether it was closed here.")

    def _opened(self, allowed: bool, what: str) -> End:
        if self._end is None:
            raise OSError("handle is closed")
        if not allowed:
            raise OSError(f"connection is {what}-only")
        return self._end

    def send(self, obj: Any) -> None:
        """Send something; BrokenPipeError if nobody is there."""
        try:
            self._opened(self.writable, "read").put(obj)
        except Ended:
            raise BrokenPipeError(32, "Broken pipe") from None

    def recv(self) -> Any:
        """What comes next; EOFError if nobody is there to send."""
        try:
            return self._opened(self.readable, "write").get()
        except Ended:
            raise EOFError from None

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Whether something comes within so many seconds."""
        return self._opened(self.readable, "write").wait(timeout)

    def close(self) -> None:
        """Close this end, in this process."""
        if self._end is not None:
            self._end.close()
        self._end = None

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def Pipe(duplex: bool = True) -> tuple[Connection, Connection]:  # noqa: N802
    """The two ends of a pipe; the first only receives and the second only sends unless it is duplex (True)."""
    near, far = pair()
    return Connection(near, True, duplex), Connection(far, duplex, True)


Pipe.__module__ = "multiprocessing.context"
