"""``torch.distributed.checkpoint.default_planner``: the module in which PyTorch has the planners that are used by default."""

from .planner import DefaultLoadPlanner, DefaultSavePlanner

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]
