"""The collectives that move parts: from one process to all, from all to one, from each to each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays.errors import cpp_name
from ...engine.arrays.warning import deprecated
from ...engine.tensors.tensor import Tensor
from . import nccl
from .collectives import (
    SUM,
    check_complex,
    check_count_of,
    check_dtypes,
    check_list,
    check_root,
    check_shape,
    check_tensor,
    dtype_name,
    find,
    is_gloo,
    member,
    reduce_array,
    world,
)
from .groups import Call, ProcessGroup
from .held import Held, gather_bytes, octets, told
from .reduce_ops import Reduction, kind_of
from .transport import finished
from .work import Work


def reduce(
    tensor: Tensor, dst: int | None = None, op: Any = SUM, group: Any = None, async_op: bool = False, group_dst: int | None = None
) -> Work | None:  # fmt: skip
    """Reduce the tensors of all processes into that of one; the others keep theirs."""
    check_tensor(tensor, "tensor")
    check_complex(tensor, op, "reduce")
    found = find(group, "reduce")
    if found is None:
        return None
    root = member(found, dst, group_dst)
    check_root(found, root, "reduce")
    how = Reduction(op, dtype_name(tensor), tensor._array.dtype, is_gloo(found))

    held = Held(tensor)

    def begin() -> Any:
        link = yield from nccl.link(found, held)
        if link is not None:
            return (yield from nccl.reduce(held, link, how, found, root))
        reduced = yield from reduce_array(found, held.flat(), how, root)
        if root == found._me:
            held.put(reduced)

    call = Call("reduce", tensor.shape, told(tensor), f"{kind_of(op)}, Root={root}")
    return found._run(call, begin, [tensor], async_op)


OPTIONS = (
    "TensorOptions(dtype={}, device={}, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
    "memory_format=(nullopt))"
)


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give all processes the tensors of all, joined in one along the first dimension or stacked along a new one."""
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    found = find(group, "all_gather_into_tensor")
    if found is None:
        return None
    n, shape = found.size(), tuple(input_tensor.shape)
    joined = (n * shape[0], *shape[1:]) if shape else (n,)
    fits = output_tensor.numel() == n * input_tensor.numel()  # all that NCCL and MPI look at
    if tuple(output_tensor.shape) != joined if is_gloo(found) else not fits:
        parts = output_tensor.chunk(n)  # type: ignore[attr-defined] - as gloo cuts it
        check_count_of(parts, n)
        for i, each in enumerate(parts):
            check_shape(each, input_tensor, "allgather", i)
    if output_tensor.dtype != input_tensor.dtype:
        expected, got = (OPTIONS.format(cpp_name(t), t.device.type) for t in (input_tensor, output_tensor))
        raise RuntimeError(
            f"ProcessGroupGloo::allgather: invalid tensor type at index 0 (expected {expected}, got {got})"
        )

    given, taken = Held(input_tensor), Held(output_tensor)

    def begin() -> Any:
        link = yield from nccl.link(found, given, taken)
        if link is not None:
            return (yield from nccl.gather(given, taken, link))
        rows = yield from gather_bytes(found, given.octets())
        taken.put(rows.reshape(-1))

    call = Call("all_gather_single", shape, told(input_tensor))
    return found._run(call, begin, [output_tensor], async_op)


all_gather_into_tensor = deprecated("torch.distributed.all_gather_into_tensor")(all_gather_single)
_all_gather_base = deprecated("torch.distributed._all_gather_base")(all_gather_single)


SIDES = {"gather": ("destination", "output"), "scatter": ("source", "input")}
"""The process that has the list of a call, and what the list is to it."""


def rooted(title: str, tensor: Tensor, given: Any, rank: Any, group: Any, group_rank: Any) -> tuple:
    """The group of a call in which one process has a list, that process, and the list; None for a process outside the group."""
    check_tensor(tensor, "tensor")
    if given:
        given = check_list(given, f"{title}_list")
        check_dtypes(tensor, *given)
    found = find(group, title)
    if found is None:
        return None, None, given
    root = member(found, 0 if rank is None and group_rank is None else rank, group_rank)
    check_root(found, root, title)
    side, what = SIDES[title]
    if root == found._me:
        if not given:
            raise ValueError(f"Argument ``{title}_list`` must be specified on {side} rank.")
        check_count(given, found, title, what)
        for i, each in enumerate(given):
            check_shape(each, tensor, title, i)
    elif given:
        raise ValueError(f"Argument ``{title}_list`` must NOT be specified on non-{side} ranks.")
    return found, root, given


def gather(
    tensor: Tensor, gather_list: list | None = None, dst: int | None = None, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Give one process the tensors of all, in a list."""
    found, root, gather_list = rooted("gather", tensor, gather_list, dst, group, group_dst)
    if found is None:
        return None
    held, parts = Held(tensor), [Held(each) for each in gather_list or ()]

    def begin() -> Any:
        mine = held.octets()
        rows = np.empty((found.size(), mine.size), np.uint8) if root == found._me else None
        if found.size() > 1:
            yield from finished(found._comm.Igather(mine, rows, root))
        elif rows is not None:
            rows[0] = mine
        if rows is not None:
            for each, part in zip(parts, rows, strict=True):
                each.put(part)

    call = Call("gather", tensor.shape, told(tensor), f"Root={root}")
    return found._run(call, begin, list(gather_list or ()), async_op)


def check_count(given: list, group: ProcessGroup, title: str, what: str) -> None:
    if len(given) != group.size():
        raise RuntimeError(
            f"ProcessGroupGloo::{title}: Incorrect {what} list size {len(given)}. {what.title()} list size should be "
            f"{group.size()}, same as size of the process group."
        )


def scatter(
    tensor: Tensor, scatter_list: list | None = None, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Give each process its part of a list that one of them has."""
    found, root, scatter_list = rooted("scatter", tensor, scatter_list, src, group, group_src)
    if found is None:
        return None
    held, parts = Held(tensor), [Held(each) for each in scatter_list or ()]

    def begin() -> Any:
        mine, rows = held.flat(), None
        if root == found._me:
            rows = np.concatenate([each.octets() for each in parts])
        if found.size() > 1:
            yield from finished(found._comm.Iscatter(rows, octets(mine), root))
        elif rows is not None:
            octets(mine)[:] = rows
        held.put(mine)

    call = Call("scatter", tensor.shape, told(tensor), f"Root={root}")
    return found._run(call, begin, [tensor], async_op)


def reduce_scatter(
    output: Tensor, input_list: list, op: Any = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce lists of tensors, and give each process its part of the reduced list."""
    check_tensor(output, "output")
    input_list = check_list(input_list, "input_list")
    check_dtypes(output, *input_list) if input_list else None
    check_complex(output, op, "reduce_scatter")
    found = find(group, "reduce_scatter")
    if found is None:
        return None
    if len(input_list) != found.size():
        raise RuntimeError("invalid input tensor list size, must be world size")
    for i, each in enumerate(input_list):
        check_shape(each, output, "reduce_scatter", i)
    return _reduce_scatter(found, output, [Held(each) for each in input_list], op, "reduce_scatter", async_op)


def reduce_scatter_single(
    output: Tensor, input: Tensor, op: Any = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce tensors, and give each process its part of the reduced one."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_dtypes(output, input)
    check_complex(output, op, "reduce_scatter_tensor")
    found = find(group, "reduce_scatter_tensor")
    if found is None:
        return None
    if output.numel() * found.size() != input.numel():
        raise RuntimeError("input tensor must be the same size as output size times world size")
    return _reduce_scatter(found, output, [Held(input)], op, "reduce_scatter_single", async_op)


reduce_scatter_tensor = deprecated("torch.distributed.reduce_scatter_tensor")(reduce_scatter_single)
_reduce_scatter_base = deprecated("torch.distributed._reduce_scatter_base")(reduce_scatter_single)


def _reduce_scatter(found: ProcessGroup, output: Tensor, parts: list[Held], op: Any, title: str, async_op: bool) -> Any:
    how = Reduction(op, dtype_name(output), output._array.dtype, is_gloo(found))

    taken = Held(output)

    def begin() -> Any:
        link = (yield from nccl.link(found, parts[0], taken)) if len(parts) == 1 else None
        if link is not None:
            return (yield from nccl.reduce_scatter(parts[0], taken, link, how, found))
        given = np.concatenate([each.flat() for each in parts]).astype(how.compute, copy=False)
        if how.factor is not None:
            given = given * how.factor
        mine = np.empty(taken.size, how.compute)
        if found.size() > 1:
            operation = getattr(world.transport.MPI, how.name)  # type: ignore[union-attr]
            yield from finished(found._comm.Ireduce_scatter_block(given, mine, operation))
        else:
            mine[:] = given
        if how.average:
            np.true_divide(mine, found.size(), out=mine)
        taken.put(mine.astype(taken.dtype, copy=False))

    call = Call(title, output.shape, told(output), str(kind_of(op)))
    return found._run(call, begin, [output], async_op)


ALL_TO_ALL = "/__w/pytorch/pytorch/third_party/gloo/gloo/alltoall"
"""Where gloo stops."""


def all_to_all(
    output_tensor_list: list, input_tensor_list: list, group: Any = None, async_op: bool = False
) -> Work | None:
    """Send each process its part of a list, and get a part of each one's."""
    output_tensor_list = check_list(output_tensor_list, "output_tensor_list")
    input_tensor_list = check_list(input_tensor_list, "input_tensor_list")
    check_dtypes(*output_tensor_list, *input_tensor_list) if output_tensor_list and input_tensor_list else None
    found = find(group, "all_to_all")
    if found is None:
        return None
    for given, what in ((input_tensor_list, "input"), (output_tensor_list, "output")):
        if len(given) != found.size():
            raise RuntimeError(
                f"ProcessGroupGloo::alltoall: {what} tensor list size {len(given)} does not match world size {found.size()}"
            )
    given, taken = [Held(each) for each in input_tensor_list], [Held(each) for each in output_tensor_list]
    sent, wanted = [each.size for each in given], [each.size for each in taken]
    if sum(sent) != sum(wanted):
        raise RuntimeError("ProcessGroupGloo::alltoall: input and output tensors must have the same size")

    def take(came: np.ndarray) -> None:
        at = 0
        for each in taken:
            each.put(came[at : at + each.size])
            at += each.size

    joined = lambda: np.concatenate([each.flat() for each in given])
    return _all_to_all(found, joined, sent, wanted, take, input_tensor_list[0], output_tensor_list, async_op)


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: list | None = None, input_split_sizes: list | None = None,
    group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Send each process a part of a tensor along the first dimension, and get parts of all, joined."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_dtypes(output, input)
    if not (input.is_contiguous() and output.is_contiguous()):
        raise ValueError("Tensors must be contiguous")
    found = find(group, "all_to_all_single")
    if found is None:
        return None
    if not output_split_sizes and not input_split_sizes and output.numel() != input.numel():
        raise RuntimeError(f"[enforce fail at {ALL_TO_ALL}.cc:30] in->size == out->size. ")
    sent, wanted = splits(input, input_split_sizes, found), splits(output, output_split_sizes, found)
    given, taken = Held(input), Held(output)
    return _all_to_all(found, given.flat, sent, wanted, taken.put, input, [output], async_op)


def splits(t: Tensor, sizes: Any, group: ProcessGroup) -> list[int]:
    """How many elements go to each process, or come from it."""
    rows = t.shape[0] if t.dim() else 1
    if not sizes:
        if rows % group.size():
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        return [t.numel() // group.size()] * group.size()
    sizes = [int(size) for size in sizes]
    if len(sizes) != group.size():
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(sizes) != rows or min(sizes) < 0:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    each = t.numel() // rows if rows else 0
    return [size * each for size in sizes]


def _all_to_all(
    found: ProcessGroup, given: Any, sent: list[int], wanted: list[int], take: Any, model: Tensor, result: list, async_op: bool
) -> Any:  # fmt: skip
    def begin() -> Any:
        sizes = np.array([sent, wanted], np.int64)
        table = np.empty((found.size(), *sizes.shape), np.int64)
        table[found._me] = sizes
        if found.size() > 1:
            yield from finished(found._comm.Iallgather(sizes, table))
        wrong = np.argwhere(table[:, 0, :] != table[:, 1, :].T)
        if len(wrong):
            if (table[found._me, 0] != table[found._me, 1])[found._me]:
                raise RuntimeError(
                    f"[enforce fail at {ALL_TO_ALL}v.cc:138] inLengthPerRank[myRank] == outLengthPerRank[myRank]. "
                )
            source, target = (found._ranks[i] for i in wrong[0])
            count, place = table[wrong[0][0], 0, wrong[0][1]], table[wrong[0][1], 1, wrong[0][0]]
            raise RuntimeError(
                f"all_to_all: rank {source} sends {count} elements to rank {target}, which expects {place}"
            )
        array = given()
        came = np.empty(sum(wanted), array.dtype)
        if found.size() > 1:
            size = array.itemsize
            yield from finished(
                found._comm.Ialltoallv(
                    [octets(array), [n * size for n in sent]], [octets(came), [n * size for n in wanted]]
                )
            )
        else:
            came[:] = array
        take(came)

    return found._run(Call("all_to_all", (), told(model)), begin, result, async_op)


@deprecated("torch.distributed.all_reduce_coalesced")
def all_reduce_coalesced(tensors: list, op: Any = SUM, group: Any = None, async_op: bool = False) -> Any:
    """`all_reduce` of several tensors in one call. async_op: give a Future of them."""
    work = reduce_together(tensors, op, group, async_op)
    return None if work is None else work.get_future()


def reduce_together(tensors: list, op: Any = SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """The same, with a Work."""
    if isinstance(tensors, Tensor):
        tensors = [tensors]
    tensors = check_list(tensors, "tensor")
    check_dtypes(*tensors)
    check_complex(tensors[0], op, "all_reduce")
    found = find(group, "all_reduce_coalesced")
    if found is None:
        return None
    how = Reduction(op, dtype_name(tensors[0]), tensors[0]._array.dtype, is_gloo(found))

    held = [Held(each) for each in tensors]

    def begin() -> Any:
        reduced = yield from reduce_array(found, np.concatenate([each.flat() for each in held]), how)
        at = 0
        for each in held:
            each.put(reduced[at : at + each.size])
            at += each.size

    call = Call("all_reduce_coalesced", [each.numel() for each in tensors], dtype_name(tensors[0]), str(kind_of(op)))
    return found._run(call, begin, tensors, async_op)


@deprecated("torch.distributed.all_gather_coalesced")
def all_gather_coalesced(
    output_tensor_lists: list, input_tensor_list: list, group: Any = None, async_op: bool = False
) -> Any:
    """`all_gather` of several tensors: a list of tensors for each process. async_op: give a Future of all tensors."""
    input_tensor_list = check_list(input_tensor_list, "tensor_list")
    if not isinstance(output_tensor_lists, list):
        raise RuntimeError("Invalid function argument: output_tensor_lists should be a list")
    found = find(group, "all_gather_coalesced")
    if found is None:
        return None
    if len(output_tensor_lists) != found.size():
        raise RuntimeError("output lists should be equal to world size")
    output_tensor_lists = [check_list(given, "output_tensor_lists") for given in output_tensor_lists]
    for given in output_tensor_lists:
        for i, each in enumerate(given):
            check_shape(each, input_tensor_list[i], "allgather_coalesced", i)

    held, taken = (
        [Held(each) for each in input_tensor_list],
        [[Held(t) for t in given] for given in output_tensor_lists],
    )

    def begin() -> Any:
        mine = np.concatenate([each.octets() for each in held])
        rows = yield from gather_bytes(found, mine)
        for row, given in zip(rows, taken, strict=True):
            at = 0
            for each in given:
                size = each.size * each.dtype.itemsize
                each.put(row[at : at + size].copy())
                at += size

    sizes = [each.numel() * each.element_size() for each in input_tensor_list]
    result = [each for given in output_tensor_lists for each in given]
    work = found._run(Call("all_gather_coalesced", sizes, "uint8"), begin, result, async_op)
    return None if work is None else work.get_future()
