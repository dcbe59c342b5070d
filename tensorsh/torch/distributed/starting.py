"""The beginning and end of groups of processes, and what there is to know of them."""

from __future__ import annotations

import os
import threading
import time
from datetime import timedelta
from typing import Any
from zlib import crc32

from ...language import plain_tracebacks
from ...sandbox import process
from . import groups
from . import transport as carrier
from .backends import check_backend
from .groups import NOT_REGISTERED, GroupMember, ProcessGroup, default_group, group_of, outside, seconds_of, world
from .rendezvous import Meeting, meet, meet_by_store
from .stores import PrefixStore, Store
from .work import Progress

__all__ = [
    "destroy_process_group", "get_backend", "get_backend_config", "get_global_rank", "get_group_rank", "get_node_local_rank",
    "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group", "is_available",
    "is_initialized", "is_torchelastic_launched", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "split_group",
]  # fmt: skip


def is_available() -> bool:
    """Whether several processes can work together."""
    return True


def is_initialized() -> bool:
    """Whether the group of all processes was made."""
    return world.default is not None


def is_torchelastic_launched() -> bool:
    """Whether a launcher has started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: timedelta | None = None, world_size: int = -1,
    rank: int = -1, store: Store | None = None, group_name: str = "", pg_options: Any = None, device_id: Any = None,
    _ranks: list[int] | None = None,
) -> None:  # fmt: skip
    """Meet the other processes of this program and make the group of all of them.
    backend: "gloo" or "mpi" (both MPI, on the CPU), "nccl" (GPUs). init_method: where they meet: "env://", "tcp://HOST:PORT" or
    "file://PATH". timeout: how long this and each collective waits (30 minutes). rank, world_size: this one's number, and
    how many there are, where the environment does not say so. store: keys they share already.
    ValueError for a second time or a lacking number; DistNetworkError names the ranks that did not arrive."""
    if world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if store is not None and world_size <= 0:
        raise AssertionError("world_size must be positive if using store")
    if store is not None and rank < 0:
        raise AssertionError("rank must be non-negative if using store")
    name = check_backend(backend)
    seconds = seconds_of(timeout)
    if store is not None:
        met = meet_by_store(store, rank, world_size, seconds)
    else:
        met = meet(init_method or "env://", rank, world_size, seconds)
        met.store.set_timeout(timedelta(seconds=seconds))
    _begin(met)
    number = world.number()
    ranks = list(range(met.size))
    world.named = 0
    world.default = made = ProcessGroup(ranks, number, name, seconds, world.title(), "default_pg")
    world.add(made)
    made._store = PrefixStore(f"default_pg/{number}", met.store)
    if process.plain:
        plain_tracebacks.here.rank = met.rank


def _begin(met: Meeting) -> None:
    """Starts MPI, once in a process."""
    if world.transport is None or world.size == 1 < met.size and world.transport.alone:
        transport = carrier.Transport(met.client, met.size)
        if transport.size != met.size or transport.rank != met.rank:
            raise RuntimeError(
                f"MPI has started this process as rank {transport.rank} of {transport.size}, not as rank {met.rank} of "
                f"{met.size}: start it with `tensorsh run -n {met.size} FILE` or mpiexec"
            )
        world.transport, world.progress = transport, Progress(transport)
        world.rank, world.size = met.rank, met.size
    elif (world.rank, world.size) != (met.rank, met.size):
        raise RuntimeError(
            f"this process is rank {world.rank} of {world.size} for good, and cannot become rank {met.rank} of {met.size}"
        )


class ProcessGroupGloo(ProcessGroup):
    """A group that processes make by a store which they share, beside that of `init_process_group`."""

    __module__ = "torch.distributed.distributed_c10d"
    __slots__ = ("options",)

    class _Options:
        """How it goes: `_timeout`; others are accepted."""

        _timeout: Any = None

    def __init__(self, store: Store, rank: int, size: int, options: Any = None, timeout: Any = None) -> None:
        timeout = getattr(options, "_timeout", None) if timeout is None else timeout
        seconds = timeout if isinstance(timeout, float) else seconds_of(timeout)
        _begin(meet_by_store(store, rank, size, seconds))
        number = world.number()
        super().__init__(list(range(size)), number, "gloo", seconds, f"gloo{number}", "undefined")
        self._store = store
        world.add(self)
        self.options = ProcessGroupGloo._Options()
        self._set_default_timeout(timedelta(seconds=seconds))

    def _set_default_timeout(self, timeout: timedelta) -> None:
        self.options._timeout = timeout
        self.set_timeout(timeout)

    @staticmethod
    def create_device(hostname: str = "", interface: str = "", lazy_init: bool | None = None) -> Any:
        """Accepted: the processes find each other by themselves."""
        return hostname or interface


def joined(thread: threading.Thread, timeout: float | None = None) -> None:
    """Wait until a thread has done its work, for some seconds at most; in steps, between which a time limit is heard in any thread.
    An error thrown into Python's own `join` would leave the thread marked as ended."""
    end = None if timeout is None else time.monotonic() + timeout
    while thread in world.beside and (end is None or time.monotonic() < end):
        time.sleep(0.002)


def destroy_process_group(group: Any = None) -> None:
    """End a group, or all of them; what is under way is waited for."""
    if outside(group):
        return
    if group is None and world.default is None:
        raise AssertionError("Process group cannot be None")
    found = group_of(group, "Invalid process group specified")
    for thread in list(world.beside):
        joined(thread)
    if found is not world.default:
        world.groups = {title: each for title, each in world.groups.items() if each is not found}
        return
    world.groups, world.default = {}, None


def new_group(
    ranks: Any = None, timeout: timedelta | None = None, backend: Any = None, pg_options: Any = None,
    use_local_synchronization: bool = False, group_desc: str | None = None, device_id: Any = None, sort_ranks: bool = True,
) -> Any:  # fmt: skip
    """Make a group of some processes. All processes call this in the same order, also those that are not in it, which
    get `GroupMember.NON_GROUP_MEMBER`. use_local_synchronization: only its processes call it (others get None)."""
    parent = default_group()
    seconds = parent._timeout if timeout is None else seconds_of(timeout)
    name = parent._told if backend is None else check_backend(backend)
    if ranks is None:
        ranks = list(parent._ranks)
    ranks = [int(rank) for rank in ranks]
    ranks = sorted(ranks) if sort_ranks else ranks
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    if not ranks:
        raise TypeError("__init__(): incompatible constructor arguments. The following argument types are supported:")
    if len(ranks) > world.size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in ranks:
        if rank < 0 or rank >= world.size:
            raise ValueError(
                f"Rank {rank} is out of range. Valid ranks are 0 to {world.size - 1} (world_size={world.size})"
            )
    number, title = _alone(ranks) if use_local_synchronization else (world.number(), world.title())
    if world.rank not in ranks and use_local_synchronization:
        return None
    if world.rank not in ranks:
        return GroupMember.NON_GROUP_MEMBER
    made = ProcessGroup(ranks, number, name, seconds, title, group_desc or "undefined")
    made._store = PrefixStore(str(number), parent._store)
    world.add(made)
    return made


def _alone(ranks: list[int]) -> tuple[int, str]:
    """The number and name of a group that its members make without the others, whom nobody tells how many groups there are."""
    if world.rank not in ranks:
        return 0, ""
    title = f"{ranks} {sum(group._ranks == ranks for group in world.groups.values())}"
    room = getattr(world.transport, "tags", 1 << 20) - (1 << 16)
    if room <= 0:
        raise RuntimeError("this MPI has too few tags for groups with use_local_synchronization")
    return (1 << 15) + crc32(title.encode()) % room, title


APART = 8192
"""What makes the number of a group's other self of its number."""


def apart(group: ProcessGroup) -> ProcessGroup:
    """The same processes once more, which make it together: what a thread says in its name meets nothing of the program's."""
    number, title = group._number + APART, f"{group._title}{groups.APART}"
    return ProcessGroup(group._ranks, number, group._told, group._timeout, title, "apart")


def new_subgroups(
    group_size: int | None = None, group: Any = None, timeout: timedelta | None = None, backend: Any = None, pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list]:  # fmt: skip
    """Make groups of equal size of neighbouring ranks; this process's group, and all of them."""
    size = get_world_size()
    if group_size is None:
        group_size = int(os.environ.get("LOCAL_WORLD_SIZE", size))
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={group_size}'")
    lists = [list(range(start, start + group_size)) for start in range(0, size, group_size)]
    return new_subgroups_by_enumeration(lists, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Any, timeout: timedelta | None = None, backend: Any = None, pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list]:  # fmt: skip
    """Make groups of the ranks that are listed; this process's group, and all of them."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    own, made, seen = None, [], set()
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in seen:
                raise ValueError(
                    f"Rank {rank} has appeared in both subgroup {[r for r in ranks_per_subgroup_list if rank in r][0]} and {ranks}"
                )
            seen.add(rank)
        made.append(new_group(ranks, timeout, backend, pg_options, group_desc=group_desc))
        if world.rank in ranks:
            own = made[-1]
    return own, made


def split_group(
    parent_pg: Any = None, split_ranks: Any = None, timeout: timedelta | None = None, pg_options: Any = None,
    group_desc: str | None = None, backend: Any = None,
) -> Any:  # fmt: skip
    """Make groups of the ranks that are listed, each in one of them at most; this process's group or None."""
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    own = None
    for ranks in split_ranks:
        made = new_group(ranks, timeout, backend, group_desc=group_desc)
        own = own if outside(made) else made
    return own


def get_rank(group: Any = None) -> int:
    """The number of this process in a group; -1 where it is not in it."""
    if outside(group):
        return -1
    default = default_group()
    if group is None or group is default:
        return world.rank
    return group_of(group, NOT_REGISTERED)._me


def get_world_size(group: Any = None) -> int:
    """The number of processes in a group; -1 where this one is not in it."""
    if outside(group):
        return -1
    return (group if isinstance(group, ProcessGroup) else group_of(group)).size()


def get_backend(group: Any = None) -> str:
    """The name of a group's backend."""
    if outside(group):
        raise ValueError("Invalid process group specified")
    return group_of(group)._told


def get_backend_config(group: Any = None) -> str:
    """The backends of a group by device."""
    name = get_backend(group)
    return (
        name
        if ":" in name
        else f"cuda:{name}"
        if name == "nccl"
        else f"cpu:{name},cuda:{name}"
        if name in ("gloo", "mpi")
        else "cpu:gloo,cuda:nccl"
    )


def get_pg_count() -> int:
    """How many groups there are."""
    return len(world.groups)


def get_process_group_ranks(group: Any = None) -> list[int]:
    """The ranks, among all processes, of a group's."""
    return list(group_of(group)._ranks)


def get_group_rank(group: Any, global_rank: int) -> int:
    """A process's number in a group, from that among all."""
    found = group_of(group, NOT_REGISTERED)
    if found is world.default:  # as PyTorch, of any number
        return global_rank
    if global_rank not in found._place:
        raise ValueError(f"Global rank {global_rank} is not part of group {found}")
    return found._place[global_rank]


def get_global_rank(group: Any, group_rank: int) -> int:
    """A process's number among all, from that in a group."""
    found = group_of(group, NOT_REGISTERED)
    if found is world.default:
        return group_rank
    if not 0 <= group_rank < found.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {found}")
    return found._ranks[group_rank]


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's number among those of its machine."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )
