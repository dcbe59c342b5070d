"""Workers of a DataLoader: processes beside this one that read items, and send batches in memory that both share.

Each is a copy of the process that iterates, seeded as PyTorch seeds it. What it raises is raised where the batch is wanted, with the
diagnostic of where it arose; one that is killed, exits or takes too long is told of at once.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ....engine.kernels import use_threads
from ....language.diagnostics import told
from ....sandbox.processes import Child, start
from ....sandbox.sealed import program_frame
from ...multiprocessing.channels import End, Ended, Message, pair
from ...settings import manual_seed
from .fetching import Fetcher, Pass, WorkerInfo, become

BATCH, FAILED, ENDED = range(3)
AHEAD = 64
"""Requests that lie in a worker's socket at most: a worker that waits to be read reads no more of them."""
GRACE = 5.0
"""Seconds that workers have to end when all was read."""
MP_STATUS_CHECK_INTERVAL = 5.0
"""Seconds after which PyTorch looks whether workers live; here their end is heard at once."""
SHORT_GRACE = 0.5
"""The same, where somebody stopped in the middle."""


# In a worker


def serve(end: End, loader: Any, info: WorkerInfo, base: int) -> int:
    """What a worker does: makes the batches it is asked for until nobody asks any more."""
    use_threads(1)
    seed(info.seed, base, info.id)
    become(info)
    if hasattr(loader.dataset, "_begin_pass"):
        from .datapipes import apply_sharding

        apply_sharding(loader.dataset, info.num_workers, info.id)
    generation, fetcher, failed = -1, None, None
    try:
        if loader.worker_init_fn is not None:
            loader.worker_init_fn(info.id)
    except Exception as error:
        failed = failure(error)
    try:
        while True:
            request = end.get(keep=False)
            if request is None:
                return 0
            number, index, numbers, shared = request
            kind: int = BATCH
            try:
                if number != generation:
                    fetcher, generation = None, number
                if failed is not None:
                    kind, value, failed = FAILED, failed, None
                else:
                    if fetcher is None:
                        fetcher = Fetcher(loader, shared)
                    value = fetcher.fetch(numbers)
                message = Message((number, index, kind, value), lends=False)
            except Exception as error:
                if isinstance(error, StopIteration) and fetcher is not None and fetcher.iterable:
                    message = Message((number, index, ENDED, None))
                else:
                    message = Message((number, index, FAILED, failure(error)))
            end.send(message)
            del request, message
            value = None
    except Ended:
        return 0


def failure(error: Exception) -> tuple:
    """An error as it is sent: its class, if that can be sent, its name, its diagnostic."""
    kind: Any = type(error)
    try:
        Message(kind)
    except Exception:
        kind = None
    return kind, type(error).__name__, told(error)


def seed(own: int, base: int, number: int) -> None:
    """The random numbers of a worker: torch's, Python's and numpy's."""
    manual_seed(own)
    python, numpy = generators()
    python.seed(own)
    numpy.seed(numpy_seed(base, number))


def generators() -> tuple[Any, Any]:
    """The modules `random` and `numpy.random` as the program has them."""
    frame = program_frame(sys._getframe())
    find: Callable = __import__ if frame is None else frame.f_builtins["__import__"]
    return find("random"), find("numpy").random


def numpy_seed(base: int, number: int) -> list[int]:
    """numpy's seed in a worker: `numpy.random.SeedSequence` of the base seed and the worker's number, mixed by PyTorch itself."""
    mask = 0xFFFFFFFF
    factor = 0x43B0D7E5

    def mixed(value: int) -> int:
        nonlocal factor
        value = (value ^ factor) & mask
        factor = factor * 0x931E8875 & mask
        value = value * factor & mask
        return value ^ value >> 16

    pool = [mixed(entropy) for entropy in (number, base & mask, base >> 32, 0)]
    for source in range(4):
        for target in range(4):
            if source != target:
                other = mixed(pool[source])
                result = (pool[target] * 0xCA01F9DD - other * 0x4973F715) & mask
                pool[target] = result ^ result >> 16
    factor, found = 0x8B51F9DD, []
    for value in pool:
        value = (value ^ factor) & mask
        factor = factor * 0x58F38DED & mask
        value = value * factor & mask
        found.append(value ^ value >> 16)
    return found


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """numpy's seed in a worker, by PyTorch's name."""
    return numpy_seed(base_seed, worker_id)


# Where batches are wanted


class Worker:
    """A worker as the process sees it that iterates."""

    __slots__ = ("child", "done", "end", "lost", "number", "outstanding", "waiting")

    def __init__(self, number: int, loader: Any, base: int) -> None:
        self.number = number
        self.waiting: deque[Message] = deque()
        """Requests that have not been sent."""
        self.outstanding = 0
        self.done = False
        self.lost: float | None = None
        """When it was found to be gone; all that it has sent was taken then."""
        self.end, other = pair()
        info = WorkerInfo(number, loader.num_workers, base + number, loader.dataset)
        near = self.end

        def work() -> int:
            near.close()
            return serve(other, loader, info, base)

        try:
            self.child: Child = start(work)
        finally:
            other.close()

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        self.child.wait(timeout)

    def is_alive(self) -> bool:
        return self.child.poll() is None

    @property
    def exitcode(self) -> int | None:
        return self.child.poll()

    def terminate(self) -> None:
        self.child.kill(signal.SIGTERM)

    pid = property(lambda self: self.child.pid)

    def ask(self, request: Any) -> None:
        """Ask for a batch; None: for no more."""
        self.waiting.append(Message(request))
        self.send()

    def send(self) -> None:
        """Send what is waiting, as far as there is room for it."""
        try:
            while self.waiting and self.outstanding < AHEAD and self.end.send(self.waiting[0], block=False):
                self.waiting.popleft()
                self.outstanding += 1
        except Ended:
            self.waiting.clear()


class WorkersPass(Pass):
    """Passes over a loader's dataset, read by workers; they stay for the next if the loader's are persistent."""

    __module__, __qualname__ = "torch.utils.data.dataloader", "_MultiProcessingDataLoaderIter"
    _workers: tuple | list = ()

    def _begin(self) -> None:
        loader = self._loader
        self._generation = 0
        self._process = os.getpid()
        self._workers = []
        generators()  # imported once, and not by each worker
        for number in range(loader.num_workers):
            self._workers.append(Worker(number, loader, self._base))
        self._drawn()  # as PyTorch does, which resets a pass that has just begun
        self._prime()

    def restart(self) -> None:
        """Begin anew with the same workers."""
        loader = self._loader
        if not self._workers:
            return self._begin()
        self._numbers = iter(loader.sampler if loader.batch_sampler is None else loader.batch_sampler)
        self._generation += 1
        self._seed, self._yielded, self._told = self._drawn(), 0, self._loader._IterableDataset_len_called
        for worker in self._workers:
            worker.waiting.clear()
        return self._prime()

    def _prime(self) -> None:
        self._sent = self._wanted = 0
        self._turn = 0
        # What was asked for and not given out: whose it is, and what came of it.
        self._tasks: dict[int, tuple] = {}
        self._load = [0] * len(self._workers)
        for worker in self._workers:
            worker.done = False
        for _ in range(self._loader.prefetch_factor * len(self._workers)):
            self._ask()

    def _ask(self) -> None:
        """Ask the next worker for the next batch."""
        try:
            numbers = next(self._numbers)
        except StopIteration:
            return
        workers = self._workers
        for _ in workers:
            worker = workers[self._turn % len(workers)]
            self._turn += 1
            active = sum(not each.done for each in workers) or 1
            full = self._loader.prefetch_factor * len(workers) // active
            if not worker.done and (self._loader.in_order or self._load[worker.number] < full):
                break
        else:
            return
        self._tasks[self._sent] = (worker.number,)
        self._load[worker.number] += 1
        worker.ask((self._generation, self._sent, numbers, self._seed))
        self._sent += 1

    def _next(self) -> Any:
        if not self._workers:
            raise StopIteration
        while True:
            while self._wanted < self._sent:
                task = self._tasks.get(self._wanted)
                if task is not None and (len(task) > 1 or not self._workers[task[0]].done):
                    break
                self._tasks.pop(self._wanted, None)
                self._wanted += 1
            else:
                if not self._loader.persistent_workers:
                    self._end(GRACE)
                raise StopIteration
            if len(task) > 1:
                del self._tasks[self._wanted]
                self._wanted += 1
                return self._given(*task)
            index, kind, value, number = self._receive()
            if index not in self._tasks:
                continue
            if kind == ENDED:
                worker = self._workers[number]
                worker.done = True
                self._load[number] -= 1
                if not self._loader.persistent_workers:
                    worker.ask(None)
                self._ask()
                continue
            if not self._loader.in_order:
                del self._tasks[index]
                return self._given(number, kind, value)
            self._tasks[index] = (number, kind, value)

    def _given(self, number: int, kind: int, value: Any) -> Any:
        self._load[number] -= 1
        self._ask()
        if kind == FAILED:
            raise caught(*value, number) from None
        return value

    def _receive(self) -> tuple:
        """The next result of any worker: its index, kind, value and worker."""
        seconds = self._loader.timeout
        until = time.monotonic() + seconds if seconds else None
        waiting = select.poll()
        ends = {}
        for worker in self._workers:
            if not worker.done and worker.lost is None:
                ends[worker.end.fileno()] = worker
                waiting.register(worker.end.fileno(), select.POLLIN)
        while True:
            wanted = self._workers[self._tasks[self._wanted][0]] if self._loader.in_order else None
            for worker in self._workers:
                if worker.lost is not None and (
                    wanted in (None, worker) or time.monotonic() - worker.lost > SHORT_GRACE
                ):  # batches of others that come before its own are given out if they are nearly there
                    self._fail(worker)
            left = 0.5 if until is None else min(until - time.monotonic(), 0.5)
            for fd, _ in waiting.poll(max(left, 0) * 1000):
                worker = ends[fd]
                try:
                    generation, index, kind, value = worker.end.take(keep=False)
                except TimeoutError:
                    continue
                except Ended:
                    worker.lost = time.monotonic()
                    waiting.unregister(fd)
                    continue
                worker.outstanding -= 1
                worker.send()
                if generation == self._generation:
                    return index, kind, value, worker.number
            if until is not None and time.monotonic() >= until:
                self._end(SHORT_GRACE)
                raise RuntimeError(f"DataLoader timed out after {seconds} seconds")

    def _fail(self, worker: Worker) -> None:
        """Say what became of a worker that is gone."""
        code = worker.child.wait(GRACE)
        pid = worker.child.pid
        self._end(SHORT_GRACE)
        if code is not None and code < 0:
            import signal

            why = f"is killed by signal: {signal.strsignal(-code)}. "
        else:
            why = f"exited unexpectedly with exit code {code}. {DETAILS}"
        raise RuntimeError(f"DataLoader worker (pid(s) {pid}) exited unexpectedly") from RuntimeError(
            f"DataLoader worker (pid {pid}) {why}"
        )

    def _end(self, grace: float) -> None:
        """Let the workers go, and see that they do."""
        import signal

        workers, self._workers = self._workers, ()
        for worker in workers:  # which is told, too: those begun after it hold its end
            with suppress(Ended, OSError):
                worker.end.send(Message(None), block=False)
            worker.end.close()
        until = time.monotonic() + grace
        for worker in workers:
            if worker.child.wait(max(until - time.monotonic(), 0)) is None:
                worker.child.kill(signal.SIGKILL)
                worker.child.wait(GRACE)

    def __del__(self) -> None:
        if self._workers and self._process == os.getpid() and not sys.is_finalizing():  # a copy in a worker ends nobody
            self._end(SHORT_GRACE)


DETAILS = "Details are lost due to multiprocessing. Rerunning with num_workers=0 may give better error trace."


class KeyErrorMessage(str):
    """A text that a KeyError shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def caught(kind: Any, name: str, diagnostic: str, number: int) -> BaseException:
    """The error to raise for one that a worker caught: of its class, where that takes a text."""
    text = f"Caught {name} in DataLoader worker process {number}.\nOriginal Traceback (most recent call last):\n{diagnostic}\n"
    text = text.replace("(most recent call last):\nTraceback (most recent call last):\n", "(most recent call last):\n")
    try:
        return kind(KeyErrorMessage(text) if kind is KeyError else text)
    except Exception:
        return RuntimeError(text)
