"""Operations that are under way: their handles, and the thread that looks after those nobody waits for."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ...sandbox import process
from ...sandbox.sealed import Sealed
from .transport import Patience, Steps, Transport, abandon

__all__ = ["Work"]


class Work(metaclass=Sealed):
    """A collective or message under way: `wait()` for its end, ask whether it `is_completed()`."""

    __module__ = "torch.distributed.distributed_c10d"

    __slots__ = (
        "_steps", "_check", "_result", "_progress", "_source", "_spoil", "_error", "_future", "_done", "_moving", "_after",
        "__weakref__",
    )  # fmt: skip

    def __init__(self, steps: Any, check: Any, result: Any, progress: Any, source: int = -1, spoil: Any = None) -> None:
        self._steps: Steps | None = steps
        self._check, self._result, self._progress, self._source = check, result, progress, source
        self._spoil = spoil
        self._error: BaseException | None = None
        self._future: Any = None
        self._done = steps is None
        self._moving: Any = None
        self._after: list[Callable[[], None]] = []

    def _advance(self) -> bool:
        """Takes one step; whether that was the last."""
        try:
            self._moving = next(self._steps)  # type: ignore[arg-type]
            self._check(time.monotonic())
            return False
        except StopIteration:
            pass
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            self._error = error
            if abandon(self._steps) and self._spoil is not None:
                self._spoil(error)
        self._steps, self._done = None, True
        self._progress.ended(self)
        return True

    def _tell(self) -> None:
        """Calls what waits for the end."""
        after, self._after = self._after, []
        for function in after:
            function()

    def is_completed(self) -> bool:
        """Whether it has ended, well or not."""
        if not self._done:
            self._progress.step()
        self._progress.tell()
        return self._done

    def is_success(self) -> bool:
        """Whether it has ended well."""
        return self.is_completed() and self._error is None

    def exception(self) -> BaseException | None:
        """The error it has ended with."""
        return self._error

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait for its end: True, or its error."""
        if not self._done:
            end = None if not timeout else time.monotonic() + timeout.total_seconds()
            self._progress.wait(self, end)
        self._progress.tell()
        if self._error is not None:
            raise self._error
        return True

    def _settle(self) -> None:
        """Waits for the end, however it is."""
        if not self._done:
            self._progress.wait(self)
        self._progress.tell()

    def synchronize(self) -> None:
        """As `wait`: there is no stream of a device to wait on."""
        self.wait()

    def result(self) -> list:
        """The tensors it has written."""
        self.wait()
        return list(self._result)

    def source_rank(self) -> int:
        """The rank that a message came from, or RuntimeError for what is none."""
        if self._source < 0:
            raise RuntimeError(
                "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call."
            )
        return self._source

    def get_future(self) -> Any:
        """A `torch.futures.Future` of the tensors it writes."""
        if self._future is None:
            from ..futures import Future

            self._future = future = Future()
            future._cause = self._settle

            def tell() -> None:
                if self._error is not None:
                    future.set_exception(self._error)
                else:
                    future.set_result(list(self._result))

            with self._progress.lock:
                if not self._done:
                    self._after.append(tell)
                    return self._future
            tell()
        return self._future


class Progress:
    """The operations under way, in lanes: those of one lane follow each other, as the collectives of a group do."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.lock = threading.RLock()
        self.lanes: dict[Any, deque[Work]] = {}
        self.waiters = 0
        self.helped = False
        self.news = threading.Event()
        self.thread: threading.Thread | None = None
        self.untold: deque[Work] = deque()

    def ended(self, work: Work) -> None:
        """Tells those who wait for an operation: at once in plain Python, in a script when it asks next, so that functions of a
        script run within its limits and not in a thread beside it."""
        if work._after:
            if process.plain:
                work._tell()
            else:
                self.untold.append(work)

    def tell(self) -> None:
        """Calls the functions of scripts that wait for operations."""
        while self.untold and threading.current_thread() is not self.thread:
            self.untold.popleft()._tell()

    def begin(self, lane: Any, work: Work) -> None:
        """Starts an operation, or lets it wait for those before it in its lane."""
        with self.lock:
            line = self.lanes.setdefault(lane, deque())
            line.append(work)
            if len(line) == 1:
                self._advance(lane, line)
                self.helped = True
            if not self.lanes:
                return
            if self.thread is None:
                self.thread = threading.Thread(target=self._look_after, name="torch.distributed", daemon=True)
                self.thread.start()
        self.news.set()

    def idle(self, lane: Any) -> bool:
        return lane not in self.lanes

    def _advance(self, lane: Any, line: deque[Work]) -> bool:
        moved = False
        while line and line[0]._advance():
            line.popleft()
            moved = True
        if not line:
            del self.lanes[lane]
        return moved

    def step(self) -> bool:
        """Looks after everything once; whether something ended."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            return any([self._advance(lane, line) for lane, line in list(self.lanes.items())])
        finally:
            self.lock.release()

    def help(self) -> None:
        """Looks after everything once, from time to time in the midst of a program: the thread beside it need not look as often."""
        if self.lanes:
            self.helped = True
            self.step()

    def wait(self, work: Work, end: float | None = None) -> None:
        """Waits for an operation, looking after all."""
        self.waiters += 1
        patience, before = Patience(), None
        try:
            while not work._done:
                if self.step() or work._moving is not before:
                    patience.turns, before = 0, work._moving
                if patience.pause(before) and end is not None and time.monotonic() > end and not work._done:
                    raise RuntimeError("Timed out waiting for the operation")
        finally:
            self.waiters -= 1

    def _look_after(self) -> None:
        turns = 0
        while True:
            if not self.lanes:
                self.news.wait()
                self.news.clear()
                turns = 0
            elif self.waiters or self.helped:
                self.helped = False
                time.sleep(0.001)
            else:
                turns = 0 if self.step() else turns + 1
                time.sleep(0.0001 if turns < 100 else 0.0005)
