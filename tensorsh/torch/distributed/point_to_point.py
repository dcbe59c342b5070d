"""Messages from one process to another."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed
from .collectives import check_tensor, find, flat, member, octets, put
from .groups import Call, ProcessGroup, Unfinished, world
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


def connected(group: ProcessGroup) -> Any:
    """The steps after which messages of a group can be sent: those of groups within the world go over its own."""
    yield from ()
    return world.transport.world  # type: ignore[union-attr]


def tag_of(group: ProcessGroup, tag: int) -> int:
    """The number that keeps a group's messages apart from those of others."""
    return ((group._number % 1024) * 16384 + tag % 16384) % world.transport.tags  # type: ignore[union-attr]


def start(group: ProcessGroup, title: str, other: int | None, steps: Any, lane: Any, tensors: list) -> Work:
    absent = set() if other is None else {other}
    check = group._checker(Message(title, other), absent, time.monotonic() + group._timeout)
    work = Work(steps, check, tensors, world.progress, -1 if other is None else group._ranks[other])
    world.progress.begin(lane, work)  # type: ignore[union-attr]
    return work


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Begin to send a tensor to a process; its memory is left alone until `wait()` has returned."""
    check_tensor(tensor, "tensor")
    found = find(group, "isend")
    if found is None:
        return None
    other = checked(found, dst, group_dst, "destination")
    data = octets(flat(tensor))
    if data.size <= SMALL:
        data = data.copy()
    request = world.transport.world.Isend(data, found._ranks[other], tag_of(found, tag))  # type: ignore[union-attr]
    steps = finished(request)
    if data.size <= SMALL:
        world.sent = [each for each in world.sent if not each.Test()] + [request]
        steps = finished()
    return start(found, "send", other, steps, object(), [tensor])


def checked(group: ProcessGroup, given: int | None, place: int | None, kind: str) -> int:
    other = member(group, given, place)
    if other == group._me:
        raise ValueError(f"Invalid {kind} rank: {kind} rank should not be the same as the rank of the current process.")
    if not 0 <= other < group.size():
        raise ValueError(f"Invalid {kind} rank {other}: the group has {group.size()} processes")
    return other


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
    works: list[Work] = []

    def steps() -> Any:
        came = yield from receive(found, tensor, other, tag)
        works[0]._source = came

    work = start_later(found, other, steps(), (found._number, other, tag), [tensor], works)
    return work


def start_later(
    group: ProcessGroup, other: int | None, steps: Any, lane: Any, tensors: list, works: list[Work]
) -> Work:
    absent = set() if other is None else {other}
    check = group._checker(Message("recv", other), absent, time.monotonic() + group._timeout)
    work = Work(steps, check, tensors, world.progress)
    works.append(work)
    world.progress.begin(lane, work)  # type: ignore[union-attr]
    return work


def receive(group: ProcessGroup, tensor: Tensor, other: int | None, tag: int) -> Any:
    """The steps that receive a message; the rank it came from."""
    MPI, comm = world.transport.MPI, world.transport.world  # type: ignore[union-attr]
    status = MPI.Status()
    source = MPI.ANY_SOURCE if other is None else group._ranks[other]
    while True:
        message = comm.Improbe(source, tag_of(group, tag), status)
        if message is not None:
            break
        yield
    array = octets(flat(tensor))
    count, came = status.Get_count(MPI.BYTE), status.Get_source()
    if count > array.size:
        spare = np.empty(count, np.uint8)
        yield from finished(message.Irecv(spare))
        raise Unfinished(
            f"recv on rank {world.rank} from rank {came}: a message of {count} bytes came for a tensor of {array.size} bytes"
        )
    yield from finished(message.Irecv(array[:count]))
    put(tensor, array.view(tensor._array.dtype))
    return came


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
            op,
            tensor,
            peer,
            group,
            tag,
            group_peer,
        )


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin several messages; their handles."""
    if not p2p_op_list or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    works = []
    for each in p2p_op_list:
        work = each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer)
        if work is not None:
            works.append(work)
    return works
