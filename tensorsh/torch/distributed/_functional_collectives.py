"""``torch.distributed._functional_collectives``: collectives that change no tensor, and give new ones with gradients.

PyTorch's results wait by themselves when they are first used; here they have waited, so that `wait_tensor` gives them back.
"""

from __future__ import annotations

from typing import Any

from ...engine.arrays.warning import DEPRECATED, deprecated, warn
from ...engine.tape.function import Function
from ...engine.tensors.tensor import Tensor
from .._ops import DEFINED
from . import collectives, exchanges
from .device_mesh import DeviceMesh
from .groups import ProcessGroup, group_of, world
from .nn.functional import _AllReduce
from .reduce_ops import ReduceOp
from .starting import new_group

__all__ = [
    "all_gather_into_tensor_coalesced", "all_gather_single", "all_gather_single_autograd", "all_gather_single_coalesced",
    "all_gather_tensor", "all_gather_tensor_autograd", "all_reduce", "reduce_scatter_single_autograd", "reduce_scatter_single_coalesced",
    "all_reduce_coalesced", "all_to_all_single", "all_to_all_single_autograd", "broadcast", "permute_tensor",
    "reduce_scatter_single", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd", "reduce_scatter_tensor_coalesced", "wait_tensor",
]  # fmt: skip


def _group(given: Any) -> ProcessGroup:
    """The group that an argument means: a group, its name, ranks, a mesh of one dimension, or a mesh and a dimension of it."""
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], DeviceMesh):
        return given[0].get_group(given[1])
    if isinstance(given, DeviceMesh):
        if given.ndim != 1:
            raise AssertionError("Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D")
        return given.get_group()
    if isinstance(given, str):
        if given not in world.groups:
            raise RuntimeError(f"Could not resolve the process group registered under the name {given}")
        return world.groups[given]
    if isinstance(given, (list, tuple)):
        warn(DEPRECATED["ranks"], FutureWarning)
        ranks = [int(each) for each in given]
        known = [each for each in world.groups.values() if isinstance(each, ProcessGroup) and each._ranks == ranks]
        return known[0] if known else group_of(new_group(ranks))
    return group_of(given)


def _way(name: str) -> Any:
    found = getattr(ReduceOp, name.upper(), None) if isinstance(name, str) else None
    if found is None:
        raise RuntimeError(f"Unrecognized reduce_op: {name}")
    return found


class _Gathered(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.group = group
        world.counted("all_gather_into_tensor")
        whole = tensor.new_empty((tensor.shape[0] * group.size(), *tensor.shape[1:]))
        exchanges.all_gather_single(whole, tensor.contiguous(), group)
        return whole

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, _Scattered.apply("sum", ctx.group, grad)


class _Scattered(Function):
    @staticmethod
    def forward(ctx: Any, op: str, group: Any, tensor: Tensor) -> Tensor:
        ctx.op, ctx.group = op, group
        world.counted("reduce_scatter_tensor")
        part = tensor.new_empty((tensor.shape[0] // group.size(), *tensor.shape[1:]))
        exchanges.reduce_scatter_single(part, tensor.contiguous(), _way(op), group)
        return part

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        grad = _Gathered.apply(ctx.group, grad)
        return None, None, grad / ctx.group.size() if ctx.op == "avg" else grad


class _Sent(Function):
    @staticmethod
    def forward(ctx: Any, wanted: Any, sent: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.wanted, ctx.sent, ctx.group = sent, wanted, group
        world.counted("all_to_all_single")
        rows = tensor.shape[0] if wanted is None else sum(wanted)
        output = tensor.new_empty((rows, *tensor.shape[1:]))
        exchanges.all_to_all_single(output, tensor.contiguous(), wanted, sent, group)
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, None, _Sent.apply(ctx.wanted, ctx.sent, ctx.group, grad)


def _parts(tensor: Tensor, count: int, dim: int) -> Tensor:
    """Equal parts along the first dimension, joined along another."""
    from ..root import torch

    return torch.cat(torch.chunk(tensor, count, dim=0), dim=dim)


def wait_tensor(tensor: Tensor) -> Tensor:
    """The tensor, which is there."""
    return tensor


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Tensor:  # noqa: N803 - PyTorch's name
    """The reduced tensors of all processes. reduceOp: sum, avg, max, min, product, band, bor or bxor. group: the processes."""
    world.counted("all_reduce")
    return _AllReduce.apply(_way(reduceOp), _group(group), self)


def all_reduce_coalesced(self: list, reduceOp: str, group: Any, tag: str = "") -> list:  # noqa: N803
    """The reduced tensors of all processes, for each of a list."""
    return [all_reduce(each, reduceOp, group) for each in self]


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Tensor:
    """The tensor of the process `src`, a number among all."""
    output = self.clone()
    world.counted("broadcast")
    collectives.broadcast(output, src, _group(group))
    return output


def all_gather_single(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """The tensors of all processes, joined along `gather_dim`."""
    if not self.is_contiguous():
        raise AssertionError("tensor must be contiguous")
    found = _group(group)
    whole = _Gathered.apply(found, self)
    return whole if gather_dim == 0 else _parts(whole, found.size(), gather_dim)


def all_gather_single_coalesced(self: list, group: Any, tag: str = "") -> list:
    """The tensors of all processes, joined along the first dimension, for each of a list."""
    return [all_gather_single(each, 0, group) for each in self]


def reduce_scatter_single(self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = "") -> Tensor:  # noqa: N803
    """This process's part along `scatter_dim` of the reduced tensors of all."""
    found = _group(group)
    if self.shape[scatter_dim] % found.size() != 0:
        raise AssertionError(
            f"input dimension {scatter_dim} ({self.shape[scatter_dim]} must be a multiple of group_size {found.size()})"
        )
    if scatter_dim != 0:
        from ..root import torch

        self = torch.cat(torch.chunk(self, found.size(), dim=scatter_dim))
    return _Scattered.apply(reduceOp.lower(), found, self)


def reduce_scatter_single_coalesced(inputs: list, reduceOp: str, scatter_dim: list, group: Any, tag: str = "") -> list:  # noqa: N803
    """This process's parts of the reduced tensors of all, for each of a list."""
    return [reduce_scatter_single(each, reduceOp, dim, group) for each, dim in zip(inputs, scatter_dim, strict=True)]


def all_to_all_single(
    self: Tensor, output_split_sizes: list | None, input_split_sizes: list | None, group: Any, tag: str = ""
) -> Tensor:
    """Rows of all processes' tensors. output_split_sizes, input_split_sizes: how many come and go; None for equally many."""
    return _Sent.apply(output_split_sizes, input_split_sizes, _group(group), self)


def permute_tensor(self: Tensor, src_dst: list, group: Any, tag: str = "") -> Tensor:
    """The tensor that another process has sent here. src_dst: to whom each process sends, by its number in the group."""
    found = _group(group)
    sent, wanted = [0] * found.size(), [0] * found.size()
    for source, target in enumerate(src_dst):
        if source == found.rank():
            sent[target] = self.numel()
        if target == found.rank():
            wanted[source] = self.numel()
    return all_to_all_single(self.reshape(-1), wanted, sent, found).reshape(self.shape)


all_gather_single_autograd, reduce_scatter_single_autograd = all_gather_single, reduce_scatter_single
all_to_all_single_autograd = all_to_all_single
_PLACE = "torch.distributed._functional_collectives."
all_gather_tensor = deprecated(f"{_PLACE}all_gather_tensor")(all_gather_single)
all_gather_tensor_autograd = deprecated(f"{_PLACE}all_gather_tensor_autograd")(all_gather_single)
all_gather_into_tensor_coalesced = deprecated(f"{_PLACE}all_gather_into_tensor_coalesced")(all_gather_single_coalesced)
reduce_scatter_tensor = deprecated(f"{_PLACE}reduce_scatter_tensor")(reduce_scatter_single)
reduce_scatter_tensor_autograd = deprecated(f"{_PLACE}reduce_scatter_tensor_autograd")(reduce_scatter_single)
reduce_scatter_tensor_coalesced = deprecated(f"{_PLACE}reduce_scatter_tensor_coalesced")(
    reduce_scatter_single_coalesced
)
DEFINED["c10d_functional"] = DEFINED["_c10d_functional"] = {
    "all_gather_into_tensor": lambda input, group_size, group_name: all_gather_single(input, 0, group_name),
    "all_reduce": all_reduce,
    "all_to_all_single": all_to_all_single,
    "broadcast": broadcast,
    "reduce_scatter_tensor": lambda input, op, group_size, group: reduce_scatter_single(input, op, 0, group),
    "wait_tensor": wait_tensor,
}
