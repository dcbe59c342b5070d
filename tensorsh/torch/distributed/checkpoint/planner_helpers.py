"""``torch.distributed.checkpoint.planner_helpers``: values and their parts as items of plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....engine.tensors.shape import Size
from ....engine.tensors.tensor import Tensor
from ..tensor.moving import placed
from .metadata import BytesStorageMetadata, ChunkStorageMetadata, MetadataIndex, TensorProperties, TensorStorageMetadata
from .planner import LoadItemType, ReadItem, SavePlan, TensorWriteData, WriteItem, WriteItemType

__all__ = ["create_read_items_for_chunk_list"]


def chunk_of(tensor: Any) -> ChunkStorageMetadata | None:
    """The part of a tensor that is here; None for a tensor in parts, none of which is."""
    placements = getattr(tensor, "_placements", None)
    if placements is None:
        return ChunkStorageMetadata(Size((0,) * tensor.dim()), Size(tensor._array.shape))
    if tensor._mesh.get_coordinate() is None:
        return None
    if any(each.is_partial() for each in placements):
        raise RuntimeError("a checkpoint keeps tensors, not terms of them: call redistribute() first")
    sizes, low = placed(tensor._shape, tensor._mesh, placements)
    return ChunkStorageMetadata(Size(low), Size(sizes))


def _create_write_item_for_tensor(fqn: str, tensor: Tensor) -> WriteItem:
    chunk = chunk_of(tensor)
    assert chunk is not None
    whole = getattr(tensor, "_placements", None) is None
    about = TensorWriteData(chunk, TensorProperties.create_from_tensor(tensor), Size(tensor.shape))
    kind = WriteItemType.TENSOR if whole else WriteItemType.SHARD
    return WriteItem(MetadataIndex(fqn, chunk.offsets), kind, tensor_data=about)


def _create_write_items(fqn: str, value: Any) -> list[WriteItem]:
    """The items of a value: none of a tensor in parts that lie elsewhere."""
    if not isinstance(value, Tensor):
        return [WriteItem(MetadataIndex(fqn), WriteItemType.BYTE_IO)]
    return [] if chunk_of(value) is None else [_create_write_item_for_tensor(fqn, value)]


def create_read_items_for_chunk_list(
    fqn: str, checkpoint_md: TensorStorageMetadata, local_chunks: list[ChunkStorageMetadata]
) -> list[ReadItem]:
    """The items by which parts of a tensor are read.
    fqn: its name. checkpoint_md: the parts that there are. local_chunks: those that are wanted."""
    found = []
    for number, mine in enumerate(local_chunks):
        for place, theirs in enumerate(checkpoint_md.chunks):
            low = [max(a, b) for a, b in zip(mine.offsets, theirs.offsets, strict=True)]
            ends = zip(mine.offsets, mine.sizes, theirs.offsets, theirs.sizes, strict=True)
            lengths = [min(a + n, b + m) - first for (a, n, b, m), first in zip(ends, low, strict=True)]
            if any(n <= 0 for n in lengths):
                continue
            here = Size(first - a for first, a in zip(low, mine.offsets, strict=True))
            there = Size(first - b for first, b in zip(low, theirs.offsets, strict=True))
            to, source = MetadataIndex(fqn, mine.offsets, number), MetadataIndex(fqn, theirs.offsets, place)
            found.append(ReadItem(LoadItemType.TENSOR, to, here, source, there, Size(lengths)))
    return found


def _create_read_items(fqn: str, md: Any, value: Any) -> list[ReadItem]:
    """The items by which a value is read."""
    if isinstance(md, BytesStorageMetadata):
        index, zero = MetadataIndex(fqn), Size((0,))
        return [ReadItem(LoadItemType.BYTE_IO, index, zero, index, zero, zero)]
    if not isinstance(value, Tensor):
        raise ValueError(f"Invalid checkpoint metadata for {fqn}, expected BytesStorageMetadata but found {type(md)}")
    chunk = chunk_of(value)
    return [] if chunk is None else create_read_items_for_chunk_list(fqn, md, [chunk])


def dedup_save_plans(all_plans: list[SavePlan], save_to_lowest_rank: bool = False) -> list[SavePlan]:
    """Plans in which each item is once: in that of the process which has least to write so far, or of the first that has it."""
    having: dict[MetadataIndex, list[int]] = {}
    items = {item.index: item for plan in all_plans for item in plan.items}
    for number, plan in enumerate(all_plans):
        for item in plan.items:
            if number not in having.setdefault(item.index, []):
                having[item.index].append(number)
    sizes, kept = [0] * len(all_plans), {}
    for index, numbers in having.items():
        kept[index] = chosen = min(numbers) if save_to_lowest_rank else min(numbers, key=sizes.__getitem__)
        sizes[chosen] += items[index].tensor_storage_size() or 1
    return [
        replace(plan, items=[item for item in plan.items if kept[item.index] == number])
        for number, plan in enumerate(all_plans)
    ]


def dedup_tensors(all_plans: list[SavePlan]) -> list[SavePlan]:
    """Plans in which each item is once, in the first that has it."""
    return dedup_save_plans(all_plans, save_to_lowest_rank=True)


def find_state_dict_object(state_dict: dict, index: MetadataIndex) -> Any:
    """The value of a name; of a tensor in parts, the part that is here."""
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    value = state_dict[index.fqn]
    if isinstance(value, Tensor):
        return value if getattr(value, "_placements", None) is None else value.to_local()  # type: ignore[attr-defined]
    if index.offset is not None:
        raise ValueError(f"FQN: '{index.fqn}' is not a ShardedTensor, can't find by offset: '{index.offset}'")
    return value
