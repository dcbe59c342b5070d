"""Groups of processes: the world that `init_process_group` makes, and the groups within it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from ...engine.arrays.state import state
from ...engine.arrays.warning import warn
from ...ranks.service import ENDED
from ...sandbox.sealed import Sealed
from . import transport as carrier
from .constants import default_pg_timeout
from .errors import DistBackendError
from .transport import Transport, text_of
from .work import Progress, Work

__all__ = ["GroupMember", "ProcessGroup", "group"]

INCOMPATIBLE = "(): incompatible function arguments. The following argument types are supported:"
NOT_IN_MAP = "Process group {} is not initialized in the world group map. Please initialize the group first."
NOT_REGISTERED = "Group {} is not registered, please create group with torch.distributed.new_group API"
APART = "/apart"
"""The end of the name of a group for a thread beside the program, which may go on when that has ended."""
UNINITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."


class ProcessGroup(metaclass=Sealed):
    """Processes that take part in collectives together: `rank()` of this one among `size()`."""

    __module__ = "torch.distributed.distributed_c10d"
    __slots__ = (
        "_ranks", "_number", "_backend", "_told", "_timeout", "_title", "_about", "_place", "_me", "_store", "_broken", "_count", "_comm", "_link",
        "__weakref__",
    )  # fmt: skip

    def __init__(self, ranks: list[int], number: int, backend: str, timeout: float, title: str, about: str) -> None:
        self._ranks, self._number, self._told, self._timeout = ranks, number, backend, timeout
        self._backend = backend.rpartition(":")[2] if "," not in backend else "undefined"
        self._title, self._about = title, about
        self._place = {rank: place for place, rank in enumerate(ranks)}
        self._me = self._place[world.rank]
        self._store: Any = None
        self._broken = ""
        self._count = 0
        self._comm: Any = None
        self._link: Any = None

    def rank(self) -> int:
        """The number of this process in the group."""
        return self._me

    def size(self) -> int:
        """The number of processes."""
        return len(self._ranks)

    def name(self) -> str:
        """The name of what carries its messages."""
        return "gloo" if self._backend == "undefined" else self._backend

    group_name = property(lambda self: self._title)
    group_desc = property(lambda self: self._about)
    bound_device_id = property(lambda self: None)

    def get_group_store(self) -> Any:
        """The keys that its processes share."""
        return self._store

    def set_timeout(self, timeout: timedelta) -> None:
        """How long its collectives wait for their processes."""
        self._timeout = timeout.total_seconds()

    def _run(self, call: Call, begin: Callable[[], Any], result: Any, async_op: bool) -> Work | None:
        """Carries out a collective: the headers of all, then `begin()`'s steps. A `Work` where it may go on by itself."""
        if not isinstance(async_op, bool):
            raise TypeError(INCOMPATIBLE)
        if self._broken:
            raise DistBackendError(self._broken)
        self._count += 1
        absent: set[int] = set()
        steps = self._steps(call, self._count, begin, absent)
        check = self._checker(call, absent, time.monotonic() + self._timeout)
        progress = world.progress
        assert progress is not None
        if not async_op and progress.idle(self._number):
            try:
                carrier.wait(steps, check)
            except BaseException as error:
                if carrier.abandon(steps):
                    self._spoil(error)
                raise
            return None
        work = Work(steps, check, result, progress, spoil=self._spoil)
        progress.begin(self._number, work)
        if async_op:
            return work
        work.wait()
        return None

    def _spoil(self, error: BaseException) -> None:
        """Lets nobody use the group after a call that was left in the middle: what the others send now would be mistaken."""
        self._broken = str(error) or "a collective of this process group was interrupted"

    def _steps(self, call: Call, count: int, begin: Callable[[], Any], absent: set[int]) -> Any:
        transport = world.transport
        assert transport is not None
        if len(self._ranks) > 1:
            if self._comm is None:
                yield from self._connect(absent)
            text = call.header(count)
            headers = yield from transport.exchange(self._ranks, self._me, self._number, text, absent)
            if not (headers == headers[self._me]).all():
                raise self._mismatch([text_of(header) for header in headers])
        call.met = True
        return (yield from begin())

    def _connect(self, absent: set[int]) -> Any:
        """The group's own communicator, made at its first collective: those that never speak need none."""
        transport = world.transport
        assert transport is not None
        if len(self._ranks) == transport.size and self._number == 1:
            self._comm = transport.world
        else:
            yield from transport.exchange(self._ranks, self._me, self._number, "connect", absent)
            self._comm = transport.communicator(self._ranks, self._number)

    def _mismatch(self, texts: list[str]) -> Mismatch:
        mine = texts[self._me]
        other = next(i for i, text in enumerate(texts) if text != mine)
        shown = "Detected mismatch between collectives on ranks. Rank {} is running collective: {}, but Rank {} is running collective: {}."
        return Mismatch(shown.format(self._ranks[self._me], mine, self._ranks[other], texts[other]))

    def _checker(self, call: Call, absent: set[int], end: float) -> Callable[[float], None]:
        """What a wait asks now and then: whether a rank that it needs is gone, whether the time is over."""
        transport, needed = world.transport, self._ranks
        assert transport is not None

        def check(now: float) -> None:
            call.watch(now)
            gone = transport.gone(now)
            for rank, how in gone.items():
                place = self._place.get(rank)
                if place is None or place == self._me or not call.needs(place):
                    continue
                if how != ENDED or place in absent:  # who ended as it should has done its part of what it came to
                    raise Unfinished(f"{call.title} cannot end: rank {rank} {how}", [place])
            if now > end:
                late = [needed[i] for i in sorted(absent)]
                who = f"rank{'s' if len(late) > 1 else ''} {', '.join(map(str, late))} did not arrive"
                raise Unfinished(
                    f"Timed out after {self._timeout:g} s in {call.title} on rank {needed[self._me]}: "
                    + (who if late else "not every rank finished it"),
                    sorted(absent),
                )

        return check


class Mismatch(DistBackendError):
    """Ranks that are in different calls."""

    __module__, __qualname__ = "torch.distributed", "DistBackendError"


class Unfinished(DistBackendError):
    """A call that can never end, or did not in time: `late` are the places of those that did not come."""

    __module__, __qualname__ = "torch.distributed", "DistBackendError"

    def __init__(self, told: str, late: Sequence[int] = ()) -> None:
        super().__init__(told)
        self.late = late


Mismatch.__name__ = Unfinished.__name__ = "DistBackendError"


class Call:
    """What a rank is about to do, which its header tells the others."""

    __slots__ = ("title", "shape", "dtype", "rest", "met", "source", "watch")

    def __init__(self, title: str, shape: Any = (), dtype: str = "", rest: str = "") -> None:
        self.title, self.shape, self.dtype, self.rest = title, shape, dtype, rest
        self.met = False
        self.source: int | None = None
        self.watch: Callable[[float], None] = lambda now: None

    def header(self, count: int) -> str:
        shape = ", ".join(map(str, self.shape))
        tensor = f", TensorShape=[{shape}], TensorDtypes={self.dtype}" if self.dtype else ""
        rest = f", {self.rest}" if self.rest else ""
        return f"CollectiveFingerPrint(SequenceNumber={count}, OpType={self.title.upper()}{tensor}{rest})"

    def needs(self, place: int) -> bool:
        """Whether the call cannot end without a rank."""
        return self.source is None or self.source == place


class Own:
    """What each session has for itself: others see none of its groups. It is replaced, never changed."""

    def __init__(self, first: Any) -> None:
        self.first = first

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"distributed_{name}"

    def __get__(self, whole: Any, owner: Any = None) -> Any:
        return state.__dict__.get(self.name, self.first)

    def __set__(self, whole: Any, value: Any) -> None:
        state.__dict__[self.name] = value


class World:
    """The state of `torch.distributed` in this process, and of the session whose program runs."""

    default = Own(None)
    groups = Own(MappingProxyType({}))
    named = Own(0)
    meshes = Own(())
    """The meshes whose `with` blocks the program is in."""
    counting = Own(())
    """What is told of each collective of tensors in parts."""

    def __init__(self) -> None:
        self.transport: Transport | None = None
        self.progress: Progress | None = None
        self.rank, self.size = 0, 1
        self.count = 0
        self.sent: list[Any] = []
        """Messages that were copied, until they have arrived."""
        self.beside: list[Any] = []
        """Threads that speak with other processes beside the program."""

    group_count = property(lambda self: self.count, doc="How many groups were made.")

    def counted(self, name: str) -> None:
        """Tell who counts of a collective."""
        for add in self.counting:
            add(name)

    def add(self, made: ProcessGroup) -> None:
        """Enter a group under its name."""
        self.groups = {**self.groups, made._title: made}

    def number(self) -> int:
        """The number of the next group: all processes make their groups in the same order."""
        self.count += 1
        return self.count

    def title(self) -> str:
        """The name of the next group; the world's is 0."""
        self.named += 1
        return str(self.named - 1)


world = World()


def seconds_of(timeout: Any) -> float:
    """A timeout in seconds; 30 minutes for None."""
    if timeout is None:
        timeout = default_pg_timeout
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    return timeout.total_seconds()


class _GroupNames(Sealed):
    WORLD = property(lambda self: world.default)


class GroupMember(metaclass=_GroupNames):
    """Stands for membership: `NON_GROUP_MEMBER` is what `new_group` gives a process that is not in the group."""

    __module__ = "torch.distributed.distributed_c10d"
    NON_GROUP_MEMBER = -100


class group(metaclass=_GroupNames):  # noqa: N801
    """`group.WORLD`, the group of all processes."""

    __module__ = "torch.distributed.distributed_c10d"


def default_group() -> ProcessGroup:
    """The group of all processes; ValueError before init_process_group."""
    if world.default is None:
        raise ValueError(UNINITIALIZED)
    return world.default


def group_of(given: Any, told: str = NOT_IN_MAP) -> ProcessGroup:
    """The group that an argument means: None is the default one. ValueError with these words where it is none."""
    if given is None:
        return default_group()
    if isinstance(given, ProcessGroup):
        if world.groups.get(given._title) is given or given._title.endswith(APART):
            return given
    raise ValueError(told.format(given))


def outside(given: Any) -> bool:
    """Whether this process is not in the group."""
    return type(given) is int and given == GroupMember.NON_GROUP_MEMBER


def warn_outside(name: str) -> None:
    rank = -1 if world.default is None else world.rank
    warn(f"Running {name} on global rank {rank} which does not belong to the given group.")
