"""The collectives: every process of a group gives a tensor, and gets those of others, or what they reduce to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import numpy as np

from ...engine.tensors.tensor import Tensor
from . import nccl
from .groups import INCOMPATIBLE, Call, ProcessGroup, group_of, outside, seconds_of, warn_outside, world
from .held import Held, gather_bytes, octets, told
from .reduce_ops import RedOpType, ReduceOp, Reduction, kind_of, supports_complex
from .sparse_tensors import is_sparse, sum_sparse
from .transport import finished, in_pieces
from .work import Work

SUM = ReduceOp.SUM


def check_tensor(value: Any, name: str) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n             but got {type(value)} instead."
        )


def check_list(value: Any, name: str) -> list[Tensor]:
    """The tensors of a list, in a list that nobody else has."""
    found = list(value) if isinstance(value, list) else None
    if found is None or not all(isinstance(each, Tensor) for each in found):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n             but got {type(value)} instead."
        )
    return found


def check_dtypes(*tensors: Any) -> None:
    first = tensors[0].dtype
    for each in tensors:
        if each.dtype != first:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {first} and  {each.dtype}")


def dtype_name(t: Tensor) -> str:
    return t.dtype.name


def find(group: Any, name: str) -> ProcessGroup | None:
    """The group of a collective; None, with a warning, where this process is not in it."""
    if outside(group):
        warn_outside(name)
        return None
    return group_of(group)


def member(group: ProcessGroup, given: int | None, place: int | None, name: str = "root") -> int:
    """The place in a group of a rank, which is given among all processes or in the group."""
    if given is not None and place is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if place is not None:
        return place
    if given is None:
        raise ValueError("Must specify global_rank or group_rank")
    if given not in group._place:
        if group is world.default:
            return given
        raise ValueError(f"Global rank {given} is not part of group {group}")
    return group._place[given]


def check_root(group: ProcessGroup, root: int, title: str) -> None:
    if not 0 <= root < group.size():
        raise RuntimeError(f"ProcessGroupGloo::{title}: invalid root rank: {root}")


def is_gloo(group: ProcessGroup) -> bool:
    return group._backend in ("gloo", "undefined")


def reduce_array(group: ProcessGroup, array: np.ndarray, how: Reduction, root: int | None = None) -> Any:
    """The steps that reduce a flat array over a group, piece by piece; the reduced array."""
    buffer = array if how.compute == array.dtype else array.astype(how.compute)
    if how.factor is not None:
        buffer = buffer * how.factor
    if group.size() > 1:
        MPI, comm = world.transport.MPI, group._comm  # type: ignore[union-attr]
        operation = getattr(MPI, how.name)
        flying: list[Any] = []  # two pieces at a time: one is reduced while the next is on its way
        for piece in in_pieces(buffer):
            if root is None:
                flying.append(comm.Iallreduce(MPI.IN_PLACE, piece, operation))
            elif root == group._me:
                flying.append(comm.Ireduce(MPI.IN_PLACE, piece, operation, root))
            else:
                flying.append(comm.Ireduce(piece, None, operation, root))
            if len(flying) > 1:
                yield from finished(flying.pop(0))
        yield from finished(*flying)
    if how.average:
        np.true_divide(buffer, group.size(), out=buffer)
    return buffer if buffer.dtype == array.dtype else buffer.astype(array.dtype)


def check_complex(t: Tensor, op: Any, name: str) -> None:
    if t._array.dtype.kind == "c" and not supports_complex(op):
        raise ValueError(f"{name} does not support {kind_of(op)} on complex tensors")


def all_reduce(tensor: Tensor, op: Any = SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Reduce the tensors of all processes, elementwise, into each of them."""
    check_tensor(tensor, "tensor")
    if not isinstance(op, (ReduceOp, RedOpType)):
        raise TypeError(INCOMPATIBLE)
    check_complex(tensor, op, "all_reduce")
    found = find(group, "all_reduce")
    if found is None:
        return None
    if is_sparse(tensor):
        return sum_sparse(tensor, op, found, async_op)
    how = Reduction(op, dtype_name(tensor), tensor._array.dtype, is_gloo(found))

    held = Held(tensor)

    def begin() -> Any:
        link = yield from nccl.link(found, held)
        if link is not None:
            yield from nccl.reduce(held, link, how, found)
        else:
            held.put((yield from reduce_array(found, held.flat(), how)))

    call = Call("all_reduce", tensor.shape, told(tensor), str(kind_of(op)))
    return found._run(call, begin, [tensor], async_op)


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Give all processes the tensor of one of them."""
    if not outside(group):
        group_of(group)
    check_tensor(tensor, "tensor")
    found = find(group, "broadcast")
    if found is None:
        return None
    root = member(found, src, group_src)
    check_root(found, root, "broadcast")

    held = Held(tensor)

    def begin() -> Any:
        link = yield from nccl.link(found, held)
        if link is not None:
            return (yield from nccl.broadcast(held, link, root))
        array = held.flat()
        if found.size() > 1:
            for piece in in_pieces(octets(array)):
                yield from finished(found._comm.Ibcast(piece, root))
        if found._me != root:
            held.put(array)

    call = Call("broadcast", tensor.shape, told(tensor), f"Root={root}")
    return found._run(call, begin, [tensor], async_op)


def all_gather(tensor_list: list, tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Give all processes the tensors of all, in a list of tensors of the same shape."""
    tensor_list = check_list(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    check_dtypes(*tensor_list, tensor) if tensor_list else None
    found = find(group, "all_gather")
    if found is None:
        return None
    check_count_of(tensor_list, found.size())
    for i, each in enumerate(tensor_list):
        check_shape(each, tensor, "allgather", i)

    held, parts = Held(tensor), [Held(each) for each in tensor_list]

    def begin() -> Any:
        gathered = yield from gather_bytes(found, held.octets())
        for each, part in zip(parts, gathered, strict=True):
            each.put(part)

    call = Call("all_gather", tensor.shape, told(tensor))
    return found._run(call, begin, tensor_list, async_op)


def check_count_of(tensors: Sequence, size: int) -> None:
    if len(tensors) != size:
        raise RuntimeError(
            f"ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length {size}, got {len(tensors)})"
        )


def check_shape(t: Tensor, model: Tensor, title: str, index: int) -> None:
    if t.shape != model.shape:
        expected, got = (", ".join(map(str, shape)) for shape in (model.shape, t.shape))
        raise RuntimeError(
            f"ProcessGroupGloo::{title}: invalid tensor size at index {index} (expected ({expected}), got ({got}))"
        )


@contextmanager
def waiting(group: ProcessGroup, timeout: timedelta | None) -> Iterator[None]:
    """A context in which a group waits no longer than a time, where one is given."""
    before = group._timeout
    if timeout is not None:
        group._timeout = seconds_of(timeout)
    try:
        yield
    finally:
        group._timeout = before


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None
) -> Work | None:
    """Wait until all processes have come here."""
    found = find(group, "barrier")
    if found is None:
        return None

    with waiting(found, timeout):
        return found._run(Call("barrier"), finished, [], async_op)
