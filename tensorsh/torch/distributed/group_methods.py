"""The collectives as methods of a group: ``group.allreduce(t)``, whose `Work` is waited for. Ranks are those within the group."""

from __future__ import annotations

from datetime import timedelta
from inspect import signature
from typing import Any

from ...sandbox.wrapping import wraps
from . import collectives, exchanges, objects, point_to_point
from .collectives import SUM
from .groups import ProcessGroup, seconds_of
from .options import Options
from .work import Work


def one(given: Any) -> Any:
    """The tensor of a list of one; a tensor itself."""
    if isinstance(given, (list, tuple)):
        if len(given) != 1:
            raise RuntimeError(f"a process gives one tensor, not {len(given)}")
        return given[0]
    return given


def within(group: ProcessGroup, timeout: timedelta | None, call: Any, *arguments: Any, **named: Any) -> Work:
    """A collective of a group that waits no longer than a time."""
    before = group._timeout
    if timeout is not None:
        group._timeout = seconds_of(timeout)
    try:
        return call(*arguments, group=group, async_op=True, **named)
    finally:
        group._timeout = before


def allreduce(self: ProcessGroup, tensors: Any, op: Any = SUM, timeout: timedelta | None = None) -> Work:
    """Reduce the tensors of all processes into each of them. tensors: a tensor, or a list of one."""
    return within(self, timeout, collectives.all_reduce, one(tensors), op)


def allreduce_coalesced(self: ProcessGroup, tensors: list, op: Any = SUM) -> Work:
    """Reduce several tensors."""
    return within(self, None, exchanges.all_reduce_coalesced, tensors, op)


def broadcast(self: ProcessGroup, tensors: Any, root: int = 0, timeout: timedelta | None = None) -> Work:
    """Give all processes the tensor of one of them. tensors: a tensor, or a list of one. root: which one."""
    return within(self, timeout, collectives.broadcast, one(tensors), group_src=root)


def allgather(self: ProcessGroup, output_tensors: list, input_tensor: Any, timeout: timedelta | None = None) -> Work:
    """Give all processes the tensors of all. output_tensors: a tensor for each process, or a list of such a list."""
    return within(self, timeout, collectives.all_gather, _inner(output_tensors), one(input_tensor))


def reduce(self: ProcessGroup, tensors: Any, root: int = 0, op: Any = SUM, timeout: timedelta | None = None) -> Work:
    """Reduce the tensors of all processes into that of one. root: which one."""
    return within(self, timeout, exchanges.reduce, one(tensors), op=op, group_dst=root)


def gather(
    self: ProcessGroup, output_tensors: list, input_tensor: Any, root: int = 0, timeout: timedelta | None = None
) -> Work:
    """Give one process the tensors of all. output_tensors: there a tensor for each process, elsewhere an empty list."""
    return within(self, timeout, exchanges.gather, one(input_tensor), _inner(output_tensors) or None, group_dst=root)


def scatter(
    self: ProcessGroup, output_tensor: Any, input_tensors: list, root: int = 0, timeout: timedelta | None = None
) -> Work:
    """Give each process its part of one's list. input_tensors: there a tensor for each process, elsewhere an empty list."""
    return within(self, timeout, exchanges.scatter, one(output_tensor), _inner(input_tensors) or None, group_src=root)


def reduce_scatter(
    self: ProcessGroup, output: Any, input: list, op: Any = SUM, timeout: timedelta | None = None
) -> Work:
    """Reduce lists of tensors, and give each process its part. input: a tensor for each process."""
    return within(self, timeout, exchanges.reduce_scatter, one(output), _inner(input), op)


def alltoall(self: ProcessGroup, output_tensors: list, input_tensors: list) -> Work:
    """Send each process its part of a list, and get a part of each one's."""
    return within(self, None, exchanges.all_to_all, output_tensors, input_tensors)


def alltoall_base(
    self: ProcessGroup, output: Any, input: Any, output_split_sizes: list, input_split_sizes: list,
    timeout: timedelta | None = None,
) -> Work:  # fmt: skip
    """Send each process rows of a tensor. output_split_sizes, input_split_sizes: how many; empty for equally many."""
    return within(
        self, timeout, exchanges.all_to_all_single, output, input, output_split_sizes or None, input_split_sizes or None
    )


def barrier(self: ProcessGroup, timeout: timedelta | None = None) -> Work:
    """Wait until all processes have come here."""
    return within(self, timeout, collectives.barrier)


def send(self: ProcessGroup, tensors: list, dstRank: int, tag: int) -> Work | None:  # noqa: N803 - PyTorch's name
    """Begin to send a tensor to a process of the group."""
    return point_to_point.isend(one(tensors), None, self, tag, dstRank)


def recv(self: ProcessGroup, tensors: list, srcRank: int, tag: int) -> Work | None:  # noqa: N803
    """Begin to receive a tensor from a process of the group."""
    return point_to_point.irecv(one(tensors), None, self, tag, srcRank)


def recv_anysource(self: ProcessGroup, tensors: list, tag: int) -> Work | None:
    """Begin to receive a tensor from whichever process sends one."""
    return point_to_point.irecv(one(tensors), None, self, tag)


def _inner(given: Any) -> Any:
    """The list of a list that holds one list."""
    return given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else given


def monitored_barrier(self: ProcessGroup, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """Wait until all processes have come here, or say which have not."""
    objects.monitored_barrier(self, timeout, wait_all_ranks)


def told_by_options(call: Any) -> Any:
    """A method whose last argument, or `opts=`, may be an object of options."""
    names = signature(call).parameters

    @wraps(call)
    def method(*arguments: Any, opts: Any = None, **named: Any) -> Any:
        if arguments and isinstance(arguments[-1], Options):
            *arguments, opts = arguments  # type: ignore[assignment]
        if opts is not None:
            named |= {name: value for name, value in Options._arguments(opts).items() if name in names}
        return call(*arguments, **named)

    return method


for _method in (
    allreduce, allreduce_coalesced, broadcast, allgather, reduce, gather, scatter, reduce_scatter, alltoall, alltoall_base, barrier,
    send, recv, recv_anysource, monitored_barrier,
):  # fmt: skip
    _method.__qualname__, _method.__module__ = f"ProcessGroup.{_method.__name__}", ProcessGroup.__module__
    setattr(ProcessGroup, _method.__name__, told_by_options(_method))
