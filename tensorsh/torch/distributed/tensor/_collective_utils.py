"""``torch.distributed.tensor._collective_utils``: collectives along a dimension of a mesh. For plain Python alone."""

from __future__ import annotations

from typing import Any

from ....engine.loading.table import find_function
from ....engine.tensors.tensor import Tensor
from ..collectives import broadcast
from ..exchanges import scatter
from .placement_types import Shard, pad_tensor

__all__ = ["mesh_broadcast", "mesh_scatter", "pad_tensor", "shard_dim_alltoall", "unpad_tensor"]


def unpad_tensor(tensor: Tensor, pad_dim: int, pad_size: int) -> Tensor:
    """A tensor without the end of a dimension."""
    return tensor.narrow(pad_dim, 0, tensor.shape[pad_dim] - pad_size) if pad_size else tensor


def mesh_broadcast(tensor: Tensor, mesh: Any, mesh_dim: int = 0, async_op: bool = False, *, group_src: int = 0) -> Any:
    """Give all along a dimension the tensor of one of them."""
    return broadcast(tensor, group=mesh.get_group(mesh_dim), async_op=async_op, group_src=group_src)


def mesh_scatter(
    output: Tensor, scatter_list: list[Tensor], mesh: Any, mesh_dim: int = 0, async_op: bool = False, *,
    group_src: int = 0,
) -> Any:  # fmt: skip
    """Give each along a dimension its tensor of the list of one of them."""
    group = mesh.get_group(mesh_dim)
    given = [each.contiguous() for each in scatter_list] if group.rank() == group_src else None
    return scatter(output, given, group=group, async_op=async_op, group_src=group_src)


def shard_dim_alltoall(input: Tensor, gather_dim: int, shard_dim: int, mesh: Any, mesh_dim: int) -> Tensor:
    """A part along one dimension of what is in parts along another."""
    from .._functional_collectives import all_gather_single

    size, own = mesh.size(mesh_dim), mesh.get_local_rank(mesh_dim)
    if input.is_meta:
        whole = find_function("cat")([input] * size, gather_dim)
    else:
        whole = all_gather_single(input, gather_dim, (mesh, mesh_dim))
    return Shard(shard_dim)._split_tensor(whole, size, with_padding=False)[0][own]
