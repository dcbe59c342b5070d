"""``torch.distributed.checkpoint.default_planner``: planners that write and read all of a state dict."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from typing import Any

from ....engine.tensors.tensor import Tensor
from ... import serialization
from ._traverse import flatten_state_dict, set_element
from .metadata import BytesStorageMetadata, Metadata, MetadataIndex, TensorStorageMetadata
from .planner import LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem, WriteItemType
from .planner_helpers import _create_read_items, _create_write_items, dedup_save_plans, find_state_dict_object

__all__ = [
    "DefaultLoadPlanner", "DefaultSavePlanner", "create_default_global_load_plan", "create_default_global_save_plan",
    "create_default_local_load_plan", "create_default_local_save_plan",
]  # fmt: skip


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """A plan of all that a process has.
    state_dict: values by names. is_coordinator: accepted."""
    return SavePlan([item for name, value in state_dict.items() for item in _create_write_items(name, value)])


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """The plans of all processes, and what lies where.
    all_plans: plans in which each item is once. rewrite_index_hints: let items know their number among the parts."""
    found: dict[str, Any] = {}
    plans = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            name, about = item.index.fqn, item.tensor_data
            if item.type != WriteItemType.SHARD and name in found:
                raise AssertionError("item.index.fqn not in md")
            if about is None:
                found[name] = BytesStorageMetadata()
                items.append(item)
                continue
            whole = found.setdefault(name, TensorStorageMetadata(about.properties, about.size, []))
            index = replace(item.index, index=len(whole.chunks)) if rewrite_index_hints else item.index
            items.append(replace(item, index=index))
            whole.chunks.append(about.chunk)
        plans.append(replace(plan, items=items))
    return plans, Metadata(found)


def _validated(plans: list[SavePlan], metadata: Metadata) -> None:
    """ValueError where the parts of a tensor are not all of it."""
    wrong = []
    for name, about in metadata.state_dict_metadata.items():
        if isinstance(about, BytesStorageMetadata) or not about.size:
            continue
        total, volume = math.prod(about.size), sum(math.prod(chunk.sizes) for chunk in about.chunks)
        if len(plans) > 1 and volume != total:
            wrong.append(f"key:{name} invalid fill tensor-volume: {total} chunks-volume: {volume}")
    if wrong:
        raise ValueError("Failed to validate global plan: " + "; ".join(wrong)[:500])


class DefaultSavePlanner(SavePlanner):
    """Writes all of a state dict, nested values by their paths, each part once.
    flatten_state_dict: nested values by their paths (True). dedup_save_to_lowest_rank: the first process that has a part writes it,
    instead of the one that has least to write (False). flatten_sharded_tensors, dedup_replicated_tensors, enable_plan_caching:
    accepted."""

    __module__ = "torch.distributed.checkpoint.default_planner"

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False, enable_plan_caching: bool = False,
    ) -> None:  # fmt: skip
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self.mappings: dict[str, tuple] = {}

    def set_up_planner(self, state_dict: Any, storage_meta: Any = None, is_coordinator: bool = False) -> None:
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        super().set_up_planner(state_dict, storage_meta, is_coordinator)

    def create_local_plan(self) -> SavePlan:
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        self.plan = replace(plan, planner_data=self.mappings) if self.flatten_state_dict else plan
        return self.plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        plans, metadata = create_default_global_save_plan(dedup_save_plans(all_plans, self.dedup_save_to_lowest_rank))
        if self.flatten_state_dict:
            paths: dict[str, tuple] = {}
            for plan in plans[::-1]:
                paths.update(plan.planner_data)
            metadata.planner_data = paths
        _validated(plans, metadata)
        self.global_plan, self.metadata = plans, metadata
        return plans, metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Any:
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """The value of a name.
        index: the name."""
        return find_state_dict_object(self.state_dict, index)

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """How a value is written: tensors as they are, others as `torch.save` does.
        write_item: its item. object: the value."""
        if write_item.type != WriteItemType.BYTE_IO:
            return object
        written = io.BytesIO()
        serialization.save(object, written)
        return written


def create_default_local_load_plan(state_dict: dict[str, Any], metadata: Metadata, strict: bool = True) -> LoadPlan:
    """A plan of all that a process wants.
    state_dict: values by names. metadata: what there is. strict: RuntimeError where there is no value of a name (True)."""
    wanted: list[ReadItem] = []
    for name, value in state_dict.items():
        about = metadata.state_dict_metadata.get(name)
        if about is None:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
            continue
        if isinstance(about, TensorStorageMetadata) and isinstance(value, Tensor):
            if tuple(about.size) != tuple(value.shape):
                raise ValueError(f"Size mismatch between saved {about.size} and current: {value.shape} for {name}")
        wanted += _create_read_items(name, about, value)
    return LoadPlan(wanted)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """What each process reads: what it wants.
    all_plans: that."""
    return all_plans


class DefaultLoadPlanner(LoadPlanner):
    """Reads all of a state dict.
    flatten_state_dict: nested values by their paths (True). flatten_sharded_tensors: accepted. allow_partial_load: leave what the
    checkpoint has not as it is (False)."""

    __module__ = "torch.distributed.checkpoint.default_planner"

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ) -> None:
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load
        self.original_state_dict: Any = {}
        self.mappings: dict[str, tuple] = {}

    def set_up_planner(self, state_dict: Any, metadata: Any = None, is_coordinator: bool = False) -> None:
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        super().set_up_planner(state_dict, metadata, is_coordinator)

    def create_local_plan(self) -> LoadPlan:
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        found, name = serialization.load(value), read_item.dest_index.fqn
        if self.flatten_state_dict:
            set_element(self.original_state_dict, self.mappings[name], found)
        else:
            self.state_dict[name] = found

    def resolve_tensor(self, read_item: ReadItem) -> Any:
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def lookup_tensor(self, index: MetadataIndex) -> Any:
        """The tensor of a name.
        index: the name."""
        return find_state_dict_object(self.state_dict, index)

    def transform_tensor(self, read_item: ReadItem, tensor: Any) -> Any:
        """The part of a tensor that an item is copied into.
        read_item: the item. tensor: the tensor."""
        return narrowed(tensor, read_item.dest_offsets, read_item.lengths)


def narrowed(tensor: Any, offsets: Any, sizes: Any) -> Any:
    """The part of a tensor that begins somewhere."""
    for dim, (low, size) in enumerate(zip(offsets, sizes, strict=True)):
        if size < tensor.shape[dim]:
            tensor = tensor.narrow(dim, low, size)
    return tensor


def _create_default_local_metadata(state_dict: Any) -> Metadata:
    """What would lie where if this process alone saved a state dict."""
    return create_default_global_save_plan([create_default_local_save_plan(state_dict, True)])[1]
