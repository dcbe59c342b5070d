"""The collectives as methods of a group: ``group.allreduce(t)``, whose `Work` is waited for. Ranks are those within the group."""

from __future__ import annotations

from datetime import timedelta
from inspect import signature
from typing import Any

from ...engine.tensors.tensor import Tensor
from ...sandbox.wrapping import wraps
from . import collectives, exchanges, objects, point_to_point
from .collectives import SUM, check_root, waiting
from .groups import ProcessGroup
from .options import Options
from .sparse_tensors import is_sparse
from .work import Work


def one(given: Any, title: str, wanted: str = "requires non-empty tensor list", root: int = 0) -> Any:
    """The tensor of a list of one; a tensor itself."""
    tensors = [given] if isinstance(given, Tensor) else list(given)
    if not 0 <= root < max(len(tensors), root == 0):
        raise RuntimeError(f"ProcessGroupGloo::{title}: invalid root tensor: {root}")
    if not tensors:
        raise RuntimeError(f"ProcessGroupGloo::{title}: {wanted}")
    alike(tensors, tensors[0], title)
    if len(tensors) > 1:
        raise RuntimeError(
            f"ProcessGroupGloo::{title}: " + (wanted if "single" in wanted else "a process gives one tensor")
        )
    return tensors[0]


def alike(tensors: list, first: Any, title: str, sizes: bool = True) -> None:
    """RuntimeError where tensors are not of a layout, a dtype and the sizes of another."""
    for name, of in (("layout", lambda t: t.layout), ("type", lambda t: t.dtype), ("size", lambda t: tuple(t.shape))):
        for i, each in enumerate(tensors if sizes or name != "size" else ()):
            if of(each) != of(first):
                raise RuntimeError(
                    f"ProcessGroupGloo::{title}: invalid tensor {name} at index {i} (expected {of(first)}, got {of(each)})"
                )


def within(group: ProcessGroup, timeout: timedelta | None, call: Any, *arguments: Any, **named: Any) -> Work:
    """A collective of a group that waits no longer than a time."""
    with waiting(group, timeout):
        return call(*arguments, group=group, async_op=True, **named)


def allreduce(self: ProcessGroup, tensors: Any, op: Any = SUM, timeout: timedelta | None = None) -> Work:
    """Reduce the tensors of all processes into each of them. tensors: a tensor, or a list of one."""
    return within(self, timeout, collectives.all_reduce, one(tensors, "allreduce"), op)


def allreduce_coalesced(self: ProcessGroup, tensors: list, op: Any = SUM) -> Work:
    """Reduce several tensors."""
    said = "ProcessGroupGloo::allreduce_coalesced: "
    if not tensors:
        raise RuntimeError(f"{said}requires non-empty tensor list")
    alike(tensors, tensors[0], "allreduce_coalesced", sizes=False)
    if is_sparse(tensors[0]):
        raise RuntimeError(f"{said}unsupported layout")
    return within(self, None, exchanges.reduce_together, tensors, op)


def broadcast(
    self: ProcessGroup,
    tensors: Any,
    root: int = 0,
    timeout: timedelta | None = None,
    rootTensor: int = 0,  # noqa: N803
) -> Work:
    """Give all processes the tensor of one of them. tensors: a tensor, or a list of one. root: which one."""
    check_root(self, root, "broadcast")
    wanted = f"invalid root tensor: {rootTensor}"
    return within(self, timeout, collectives.broadcast, one(tensors, "broadcast", wanted, rootTensor), group_src=root)


def allgather(self: ProcessGroup, output_tensors: list, input_tensor: Any, timeout: timedelta | None = None) -> Work:
    """Give all processes the tensors of all. output_tensors: a tensor for each process, or a list of such a list."""
    given = one(input_tensor, "allgather", "requires non-empty input tensor list")
    if not output_tensors or isinstance(output_tensors[0], (list, tuple)) and len(output_tensors) != 1:
        raise RuntimeError("ProcessGroupGloo::allgather: requires input/output tensor lists to have the same length")
    return within(self, timeout, collectives.all_gather, _inner(output_tensors), given)


def reduce(
    self: ProcessGroup, tensors: Any, root: int = 0, op: Any = SUM, timeout: timedelta | None = None,
    rootTensor: int = 0,  # noqa: N803
) -> Work:  # fmt: skip
    """Reduce the tensors of all processes into that of one. root: which one."""
    check_root(self, root, "reduce")
    given = one(tensors, "reduce", "requires a single-element tensor list", rootTensor)
    return within(self, timeout, exchanges.reduce, given, op=op, group_dst=root)


def gather(
    self: ProcessGroup, output_tensors: list, input_tensor: Any, root: int = 0, timeout: timedelta | None = None
) -> Work:
    """Give one process the tensors of all. output_tensors: there a tensor for each process, elsewhere an empty list."""
    check_root(self, root, "gather")
    given = one(input_tensor, "gather", "requires a single-element input tensor list")
    outputs = rooted(self, root, output_tensors, given, "gather", "output")
    return within(self, timeout, exchanges.gather, given, outputs, group_dst=root)


def scatter(
    self: ProcessGroup, output_tensor: Any, input_tensors: list, root: int = 0, timeout: timedelta | None = None
) -> Work:
    """Give each process its part of one's list. input_tensors: there a tensor for each process, elsewhere an empty list."""
    check_root(self, root, "scatter")
    output = one(output_tensor, "scatter", "requires a single-element output tensor list")
    inputs = rooted(self, root, input_tensors, output, "scatter", "input")
    return within(self, timeout, exchanges.scatter, output, inputs, group_src=root)


def reduce_scatter(
    self: ProcessGroup, output: Any, input: list, op: Any = SUM, timeout: timedelta | None = None
) -> Work:
    """Reduce lists of tensors, and give each process its part. input: a tensor for each process."""
    return within(self, timeout, exchanges.reduce_scatter, one(output, "reduce_scatter"), _inner(input), op)


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
    return point_to_point.isend(one(tensors, "send"), None, self, tag, dstRank)


def recv(self: ProcessGroup, tensors: list, srcRank: int, tag: int) -> Work | None:  # noqa: N803
    """Begin to receive a tensor from a process of the group."""
    return point_to_point.irecv(one(tensors, "recv"), None, self, tag, srcRank)


def recv_anysource(self: ProcessGroup, tensors: list, tag: int) -> Work | None:
    """Begin to receive a tensor from whichever process sends one."""
    return point_to_point.irecv(one(tensors, "recv"), None, self, tag)


def allgather_into_tensor_coalesced(self: ProcessGroup, outputs: list, inputs: list) -> Work:
    """Give all processes the tensors of all, joined, for each pair of tensors. outputs, inputs: the pairs."""
    works = [exchanges.all_gather_single(a, b, self, True) for a, b in zip(outputs, inputs, strict=True)]
    return works[-1]  # type: ignore[return-value] - it follows the others


def reduce_scatter_tensor_coalesced(self: ProcessGroup, outputs: list, inputs: list, op: Any = SUM) -> Work:
    """Reduce tensors, and give each process its part of each. outputs, inputs: the pairs."""
    works = [exchanges.reduce_scatter_single(a, b, op, self, True) for a, b in zip(outputs, inputs, strict=True)]
    return works[-1]  # type: ignore[return-value]


def rooted(group: ProcessGroup, root: int, lists: list, model: Any, title: str, what: str) -> list | None:
    """The tensors that one process gives to all, or gets of all; None on the others."""
    said = f"ProcessGroupGloo::{title}: "
    if group._me != root:
        if lists:
            raise RuntimeError(f"{said}requires empty {what} on non-root")
        return None
    nested = not lists or isinstance(lists[0], (list, tuple))
    if nested and len(lists) != 1:
        raise RuntimeError(f"{said}requires a single-element {what} list containing a list with {group.size()} tensors")
    found = list(_inner(lists))
    if len(found) != group.size():
        raise RuntimeError(
            f"{said}Incorrect {what} list size {len(found)}. {what.capitalize()} list size should be {group.size()}, "
            "same as size of the process group."
        )
    alike(found, model, title)
    return found


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
    send, recv, recv_anysource, monitored_barrier, allgather_into_tensor_coalesced, reduce_scatter_tensor_coalesced,
):  # fmt: skip
    _method.__qualname__, _method.__module__ = f"ProcessGroup.{_method.__name__}", ProcessGroup.__module__
    setattr(ProcessGroup, _method.__name__, told_by_options(_method))
