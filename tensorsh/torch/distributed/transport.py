"""What carries bytes between ranks: MPI, begun when the first group of processes is.

All is non-blocking MPI, looked after by whoever waits, so that every wait has an end: a clock, a rank that is gone, Ctrl-C.
A collective begins with a header of a few bytes to every rank of its group. Once those of all are there, each rank knows
that all are in the same call with the same shapes; MPI itself would end the program of ranks that are not.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Generator, Iterable
from typing import Any

import numpy as np

from ...ranks import world as places
from ...ranks.client import Client, Gone
from .errors import DistBackendError

Steps = Generator[Any, None, Any]
"""An operation under way: each step looks whether it is done."""

HEADER = 256
PIECE = 1 << 22
"""Bytes that are reduced in one call: more at once is slower."""
MOVING = True
"""What a step gives where all ranks are there and data is on its way."""
LONG_SPINS = 20000
LONG_TURN, CROWDED, MOMENT, QUICK = 0.0008, 500, 0.00001, 60
"""Seconds of a turn that another process had, for how many pauses one sleeps then, how long, and after how many looks."""
LONGER = 10
"""How many times as long one sleeps in the end, where what one waits for takes its time: each sleep costs the others a turn."""
SPINS = 200
"""How often a wait gives its turn away before it sleeps."""
SHARED, EACH = "/dev/shm", 3 << 19
"""Where MPI has its shared memory, and how many bytes of it a rank needs."""
INSTALL = 'pip install "tensorsh[distributed]"'


class Transport:
    """MPI in this process: the world of its ranks, and the service that tells who is gone."""

    alone = False
    """Whether this process is the only one, which needs no MPI."""

    def __init__(self, keys: Client | None, size: int) -> None:
        self.keys = keys
        self._looked = 0.0
        self._gone: dict[int, str] = {}
        if size == 1 and not places.managed():  # nobody to speak with: MPI is not needed, and need not be installed
            self.rank, self.size, self.alone = 0, 1, True
            return
        self.MPI = MPI = load()
        self.rank, self.size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
        self.world = MPI.COMM_WORLD.Dup()
        self.control = MPI.COMM_WORLD.Dup()
        self.tags = MPI.COMM_WORLD.Get_attr(MPI.TAG_UB) or 32767
        if self.size > len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else True:
            Patience.crowded, Patience.quick = CROWDED, 0
        wake_on_time()
        places.attached = keys is None and self.size > 1
        atexit.register(leave, self)

    def communicator(self, ranks: list[int], number: int) -> Any:
        """The communicator of a group, made by its members together."""
        group = self.world.Get_group().Incl(ranks)
        made = self.world.Create_group(group, number % 16384)
        group.Free()
        return made

    def gone(self, now: float) -> dict[int, str]:
        """The ranks that are gone, looked up not too often."""
        if self.keys is not None and now - self._looked > 0.05:
            self._looked = now
            try:
                self._gone = self.keys.ended()
            except Gone:
                self.keys = None
        return self._gone

    def exchange(self, ranks: list[int], me: int, tag: int, text: str, absent: set[int]) -> Steps:
        """Sends a header to the ranks of a group and gives theirs; `absent` holds those that did not come yet."""
        mine = np.zeros(HEADER, np.uint8)
        data = text.encode()[:HEADER]
        mine[: len(data)] = np.frombuffer(data, np.uint8)
        BYTE, control = self.MPI.BYTE, self.control
        everyone = np.zeros((len(ranks), HEADER), np.uint8)
        everyone[me] = mine
        others = [i for i in range(len(ranks)) if i != me]
        absent.update(others)
        waiting = {i: control.Irecv([everyone[i], BYTE], ranks[i], tag) for i in others}
        sends = [control.Isend([mine, BYTE], ranks[i], tag) for i in others]
        while waiting:
            came = [i for i, request in waiting.items() if request.Test()]
            for i in came:
                del waiting[i]
                absent.discard(i)
            if waiting:
                yield
        while not self.MPI.Request.Testall(sends):
            yield
        return everyone


def text_of(header: np.ndarray) -> str:
    """What a header says."""
    return header.tobytes().rstrip(b"\0").decode(errors="replace")


def finished(*requests: Any) -> Steps:
    """Waits for requests of MPI."""
    for request in requests:
        while not request.Test():
            yield MOVING


class Patience:
    """How one waits: by giving one's turn away at first, by sleeping later. Where data is moving, MPI moves it only when it is
    asked, and sleep comes much later.

    On a crowded machine whoever gives its turn away gets it back after milliseconds, whoever sleeps for a moment is woken at
    once: a turn that took long is the sign of that, and for a while one sleeps.
    """

    __slots__ = ("turns",)
    crowded = 0
    """For how many pauses one sleeps instead of giving turns away; where ranks share cores, always."""
    quick = QUICK

    def __init__(self) -> None:
        self.turns = 0

    def pause(self, moving: Any) -> bool:
        """Lets others go on; whether this is a time to look after clocks and ranks that are gone."""
        self.turns = turns = self.turns + 1
        spins = LONG_SPINS if moving else SPINS
        if turns < spins:
            if Patience.crowded:
                if turns > Patience.quick:
                    Patience.crowded -= Patience.quick > 0
                    time.sleep(MOMENT * min(1 + turns // 8, LONGER))
            else:
                began = time.perf_counter()
                os.sched_yield()
                if time.perf_counter() - began > LONG_TURN:
                    Patience.crowded = CROWDED
            return not turns % SPINS
        time.sleep(min(0.00005 * (1 + (turns - spins) // 20), 0.001))
        return True


def wait(steps: Steps, check: Any) -> Any:
    """Carries an operation to its end and gives its value; `check(now)` raises where it must not go on."""
    patience, before = Patience(), None
    try:
        while True:
            moving = next(steps)
            if moving is not before:
                patience.turns, before = 0, moving
            if patience.pause(moving):
                check(time.monotonic())
    except StopIteration as end:
        return end.value


_abandoned: list[Any] = []


def abandon(steps: Any) -> bool:
    """Keeps an operation that was left in the middle, with the memory that MPI may still write to; False where it had ended."""
    if steps.gi_frame is None:
        return False
    _abandoned.append(steps)
    return True


def in_pieces(array: np.ndarray) -> Iterable[np.ndarray]:
    """The parts of a flat array that are sent one after the other."""
    step = max(PIECE // max(array.itemsize, 1), 1)
    return (array[i : i + step] for i in range(0, array.size, step)) if array.size else ()


_loaded: Any = None


def load() -> Any:
    """MPI, initialized; ImportError names the extra where it is not installed."""
    global _loaded
    if _loaded is not None:
        return _loaded
    try:
        import mpi4py
    except ImportError:
        raise ImportError(f"torch.distributed needs mpi4py and an MPI library: {INSTALL}", name="mpi4py") from None
    check_shared_memory(int(os.environ.get("PMI_SIZE", "0")))
    mpi4py.rc.finalize = False
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise ImportError(f"mpi4py finds no MPI library ({error}): {INSTALL}", name="mpi4py") from None
    if MPI.COMM_WORLD.Get_size() > 1:
        MPI.COMM_WORLD.Barrier()  # everybody has the shared memory open by now
    forget_shared_memory()
    _loaded = MPI
    return MPI


def check_shared_memory(ranks: int) -> None:
    """Raises where MPI would be ended by the system for want of shared memory."""
    if sys.platform != "linux" or not os.path.isdir(SHARED):
        return
    found = os.statvfs(SHARED)
    free = found.f_bavail * found.f_frsize
    if free < ranks * EACH:
        raise DistBackendError(
            f"shared memory is full: {ranks} ranks need {ranks * EACH >> 20} MB in {SHARED}, and {free >> 20} MB are free; remove what "
            "others have left there, or make it larger"
        )


def forget_shared_memory() -> None:
    """Takes the names of MPI's shared memory away: it lasts as long as the processes that hold it, however they end."""
    if sys.platform != "linux":
        return
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        names = {line.split(None, 5)[5].strip() for line in file if "/dev/shm/mpich_shm_" in line}
    for name in names:
        try:
            os.unlink(name)
        except OSError:
            pass  # another rank was first


def wake_on_time() -> None:
    """Asks the system to wake this thread when its sleep is over, not up to 50 microseconds later with others."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(29, 1, 0, 0, 0)  # PR_SET_TIMERSLACK


READING = 0.2
"""Seconds for mpiexec to read what was written: at an abort it may leave the rest unread."""


def leave(transport: Transport) -> None:
    """At the end of the process: says goodbye, or ends MPI where mpiexec waits for that; not after an error, when MPI would
    wait for the others."""
    if places.failed or getattr(sys, "last_value", None) is not None:
        if (
            places.attached and not transport.MPI.Is_finalized()
        ):  # mpiexec is told to end the others, and with which code
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            time.sleep(READING)
            transport.MPI.COMM_WORLD.Abort(1)
        return
    if transport.keys is not None:
        transport.keys.leave()
    elif places.attached and not transport.MPI.Is_finalized():
        transport.MPI.Finalize()
