"""Messages from one process to another."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed
from .collectives import check_tensor, find, member
from .groups import Call, ProcessGroup, Unfinished, group_of, world
from .held import Held, octets
from .transport import finished
from .work import Work

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]

SMALL = 1 << 20
"""Bytes of a message, at most, that is copied so that its sender need not wait."""


class Message(Call):
    """A message, which needs the other side alone."""

    def __init__(self, title: str, other: int | None) -> None:
        super().__init__(title)
        self.source = other
        self.met = True


def tag_of(group: ProcessGroup, tag: int) -> int:
    """The number that keeps a group's messages apart from those of others; the next one is that of objects."""
    return ((group._number % 512) * 32768 + tag % 16384 * 2) % (world.transport.tags - 1)  # type: ignore[union-attr]


def start(
    group: ProcessGroup, title: str, other: int | None, steps: Any, lane: Any, tensors: list, works: list | None = None
) -> Work:
    absent = set() if other is None else {other}
    check = group._checker(Message(title, other), absent, time.monotonic() + group._timeout)
    work = Work(steps, check, tensors, world.progress, -1 if other is None else group._ranks[other])
    if works is not None:
        works.append(work)
    world.progress.begin(lane, work)  # type: ignore[union-attr]
    return work


def checked(group: ProcessGroup, given: int | None, place: int | None, kind: str) -> int:
    """The place in a group of the other side."""
    other = member(group, given, place)
    if other == group._me:
        raise ValueError(f"Invalid {kind} rank: {kind} rank should not be the same as the rank of the current process.")
    if not 0 <= other < group.size():
        raise ValueError(f"Invalid {kind} rank {other}: the group has {group.size()} processes")
    return other


def begin_send(group: ProcessGroup, data: np.ndarray, other: int, tag: int, tensors: list) -> Work:
    """Begins to send bytes; few of them are copied, and their sender goes on."""
    small = data.size <= SMALL
    request = world.transport.world.Isend(data.copy() if small else data, group._ranks[other], tag)  # type: ignore[union-attr]
    if small:
        world.sent = [each for each in world.sent if not each.Test()] + [request]
    return start(group, "send", other, finished(*([] if small else [request])), object(), tensors)


def begin_receive(
    group: ProcessGroup, array: np.ndarray, other: int | None, tag: int, tensors: list, take: Callable[[], None]
) -> Work:
    """Begins to receive bytes into an array; messages of one kind are received in the order of these calls."""
    works: list[Work] = []

    def steps() -> Any:
        works[0]._source = yield from receive(group, array, other, tag)
        take()

    return start(group, "recv", other, steps(), (group._number, other, tag), tensors, works)


def receive(group: ProcessGroup, array: np.ndarray, other: int | None, tag: int) -> Any:
    """The steps that receive a message; the rank it came from."""
    MPI, comm = world.transport.MPI, world.transport.world  # type: ignore[union-attr]
    status = MPI.Status()
    source = MPI.ANY_SOURCE if other is None else group._ranks[other]
    while (message := comm.Improbe(source, tag, status)) is None:
        yield
    count, came = status.Get_count(MPI.BYTE), status.Get_source()
    if count > array.size:
        yield from finished(message.Irecv(np.empty(count, np.uint8)))
        raise Unfinished(
            f"recv on rank {world.rank} from rank {came}: a message of {count} bytes came for a tensor of {array.size} bytes"
        )
    yield from finished(message.Irecv(array[:count]))
    return came


def send_bytes(group: ProcessGroup, array: np.ndarray, dst: int | None, group_dst: int | None) -> None:
    """Sends an array's bytes apart from tensors, which cannot be taken for them."""
    begin_send(group, octets(array), checked(group, dst, group_dst, "destination"), tag_of(group, 0) + 1, []).wait()


def recv_bytes(group: ProcessGroup, array: np.ndarray, src: int | None, group_src: int | None) -> int:
    """Receives them; the rank they came from."""
    other = None if src is None and group_src is None else checked(group, src, group_src, "source")
    work = begin_receive(group, octets(array), other, tag_of(group, 0) + 1, [], lambda: None)
    work.wait()
    return work.source_rank()


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Begin to send a tensor to a process; its memory is left alone until `wait()` has returned."""
    check_tensor(tensor, "tensor")
    found = find(group, "isend")
    if found is None:
        return None
    other = checked(found, dst, group_dst, "destination")
    return begin_send(found, Held(tensor).octets(), other, tag_of(found, tag), [tensor])


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Begin to receive a tensor from a process, or from any that sends one."""
    check_tensor(tensor, "tensor")
    found = find(group, "irecv")
    if found is None:
        return None
    anybody = src is None and group_src is None
    other = None if anybody else checked(found, src, group_src, "source")
    held = Held(tensor)
    array = held.octets()
    return begin_receive(found, array, other, tag_of(found, tag), [tensor], lambda: held.put(array))


def send(tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send a tensor to a process."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive a tensor from a process, or from any; the rank it came from."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp(metaclass=Sealed):
    """A message for `batch_isend_irecv`: isend or irecv, the tensor, the other process."""

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(
        self, op: Any, tensor: Tensor, peer: int | None = None, group: Any = None, tag: int = 0, group_peer: int | None = None
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = (
            op, tensor, peer, group, tag, group_peer,
        )  # fmt: skip

    def __repr__(self) -> str:
        found = group_of(self.group)
        peer = found._place.get(self.peer, self.peer) if self.group_peer is None else self.group_peer
        source, target = (found._me, peer) if self.op is isend else (peer, found._me)
        return (
            f"P2POp({self.op.__name__} pg={found.group_name}, group_src={source}, group_dst={target},  {self.tensor.shape}, "
            f"{self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin several messages; their handles."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    group = p2p_op_list[0].group
    if any(each.group != group for each in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    works = []
    for each in p2p_op_list:
        work = each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer)
        if work is not None:
            works.append(work)
    return works
