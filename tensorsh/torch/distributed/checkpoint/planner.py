"""Planners: what of a state dict is written or read, under which names. A program derives its own to change that."""

from __future__ import annotations

from typing import Any

from ....sandbox.sealed import OpenSealed

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner", "LoadPlanner", "SavePlanner"]


class SavePlanner(metaclass=OpenSealed):
    """What a checkpoint is to hold: `state_dict` after `set_up_planner` was called."""

    __module__ = "torch.distributed.checkpoint.planner"
    state_dict: Any = None

    def set_up_planner(self, state_dict: Any, storage_meta: Any = None, is_coordinator: bool = False) -> None:
        """Take what a call of `save` was given.
        state_dict: that. storage_meta: None. is_coordinator: whether this process writes what lies where."""
        self.state_dict, self.is_coordinator = state_dict, is_coordinator


class LoadPlanner(metaclass=OpenSealed):
    """What a checkpoint is read into: `state_dict` after `set_up_planner` was called."""

    __module__ = "torch.distributed.checkpoint.planner"
    state_dict: Any = None
    allow_partial_load = False

    def set_up_planner(self, state_dict: Any, metadata: Any = None, is_coordinator: bool = False) -> None:
        """Take what a call of `load` was given.
        state_dict: that. metadata: what lies where. is_coordinator: whether this is the first process."""
        self.state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator


class DefaultSavePlanner(SavePlanner):
    """Writes all of a state dict, nested values by their paths, each part once.
    flatten_state_dict, flatten_sharded_tensors, dedup_replicated_tensors, dedup_save_to_lowest_rank, enable_plan_caching:
    accepted."""

    __module__ = "torch.distributed.checkpoint.default_planner"

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False, enable_plan_caching: bool = False,
    ) -> None:  # fmt: skip
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors


class DefaultLoadPlanner(LoadPlanner):
    """Reads all of a state dict.
    flatten_state_dict, flatten_sharded_tensors: accepted. allow_partial_load: leave what the checkpoint has not as it is (False)."""

    __module__ = "torch.distributed.checkpoint.default_planner"

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ) -> None:
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load
