"""``torch.distributed.nn.functional``: collectives that gradients flow through, and whose results are new tensors."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.warning import deprecated
from ....engine.tape.function import Function
from ....engine.tensors.tensor import Tensor
from .. import collectives, exchanges
from ..collectives import SUM
from ..starting import get_rank, get_world_size

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce", "reduce_scatter", "scatter",
]  # fmt: skip


def empty_like(t: Any) -> Any:
    from ...root import torch

    return torch.zeros_like(t)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, tensor: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        tensor = tensor.clone()
        collectives.broadcast(tensor, src, group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        gradient = _Reduce.apply(ctx.src, SUM, ctx.group, grad)
        return None, None, gradient if get_rank() == ctx.src else gradient * 0


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.dst, ctx.group = dst, group
        tensor = tensor.clone()
        exchanges.reduce(tensor, dst, op, group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, grad)


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Any, tensor: Tensor) -> tuple:
        ctx.dst, ctx.group = dst, group
        parts = [empty_like(tensor) for _ in range(get_world_size(group))]
        exchanges.gather(tensor, parts if get_rank() == dst else None, dst, group)
        return tuple(parts)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        if any(each.shape != tensors[0].shape for each in tensors):
            raise AssertionError
        output = empty_like(tensors[0])
        exchanges.scatter(output, list(tensors) if get_rank() == src else None, src, group)
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad)


class _Reduce_Scatter(Function):  # noqa: N801 - its node's name
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Tensor, *parts: Tensor) -> Tensor:
        ctx.group = group
        exchanges.reduce_scatter(tensor, list(parts), op, group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, None, *_AllGather.apply(ctx.group, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> tuple:
        ctx.group = group
        parts = [empty_like(tensor) for _ in range(get_world_size(group))]
        collectives.all_gather(parts, tensor, group)
        return tuple(parts)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        parts = _AlltoAll.apply(ctx.group, [empty_like(each) for each in grads], *grads)
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return None, total


class _AlltoAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, outputs: list, *tensors: Tensor) -> tuple:
        ctx.group, ctx.given = group, [empty_like(each) for each in tensors]
        exchanges.all_to_all(outputs, list(tensors), group)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        return None, None, *_AlltoAll.apply(ctx.group, ctx.given, *grads)


class _AlltoAllSingle(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, output: Tensor, wanted: Any, sent: Any, tensor: Tensor) -> Tensor:
        ctx.group, ctx.given, ctx.wanted, ctx.sent = group, empty_like(tensor), sent, wanted
        exchanges.all_to_all_single(output, tensor, wanted, sent, group)
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        gradient = _AlltoAllSingle.apply(ctx.group, ctx.given, ctx.wanted, ctx.sent, grad.contiguous())
        return None, None, None, None, gradient


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.group, ctx.op = group, op
        tensor = tensor.clone()
        collectives.all_reduce(tensor, op, group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)


@deprecated("torch.distributed.nn.functional.broadcast")
def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """One process's tensor; its gradient is the sum of all."""
    return _Broadcast.apply(src, group, tensor)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple:
    """The tensors of all processes, in one of them; zeros in the others."""
    return _Gather.apply(dst, group, tensor)


def scatter(tensors: list, src: int = 0, group: Any = None) -> Tensor:
    """This process's part of one's list."""
    return _Scatter.apply(src, group, *tensors)


def reduce(tensor: Tensor, dst: int, op: Any = SUM, group: Any = None) -> Tensor:
    """The reduced tensors of all processes, in one of them."""
    return _Reduce.apply(dst, op, group, tensor)


@deprecated("torch.distributed.nn.functional.reduce_scatter")
def reduce_scatter(output: Tensor, input_list: list, op: Any = SUM, group: Any = None) -> Tensor:
    """This process's part of the reduced lists of all."""
    return _Reduce_Scatter.apply(op, group, output, *input_list)


@deprecated("torch.distributed.nn.functional.all_gather")
def all_gather(tensor: Tensor, group: Any = None) -> tuple:
    """The tensors of all processes."""
    return _AllGather.apply(group, tensor)


def all_to_all(output_tensor_list: list, input_tensor_list: list, group: Any = None) -> tuple:
    """A part of each process's list."""
    return _AlltoAll.apply(group, output_tensor_list, *input_tensor_list)


@deprecated("torch.distributed.nn.functional.all_to_all_single")
def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: Any = None, input_split_sizes: Any = None, group: Any = None
) -> Tensor:
    """Parts of all processes' tensors, joined."""
    return _AlltoAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


@deprecated("torch.distributed.nn.functional.all_reduce")
def all_reduce(tensor: Tensor, op: Any = SUM, group: Any = None) -> Tensor:
    """The reduced tensors of all processes."""
    return _AllReduce.apply(op, group, tensor)
