"""What a group's own methods are told in one object: ``options = AllreduceOptions(); options.reduceOp = ReduceOp.MAX``."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from ...sandbox.sealed import Sealed
from .reduce_ops import ReduceOp

UNSET = timedelta(milliseconds=-1)
NAMES = {"reduceOp": "op", "rootRank": "root", "rootTensor": "rootTensor", "timeout": "timeout"}
"""Fields, and the argument of a method that each is."""


class Options(metaclass=Sealed):
    """How a collective goes: `timeout` bounds it, `asyncOp` is accepted."""

    __module__ = "torch.distributed.distributed_c10d"
    __slots__ = ("asyncOp", "timeout")

    def __init__(self) -> None:
        self.asyncOp, self.timeout = True, UNSET

    @classmethod
    def _arguments(cls, given: Options) -> dict[str, Any]:
        """The arguments that an object holds."""
        named = {argument: getattr(given, field) for field, argument in NAMES.items() if hasattr(given, field)}
        return named if named["timeout"] != UNSET else {k: v for k, v in named.items() if k != "timeout"}


class Reducing(Options):
    __slots__ = ("reduceOp",)

    def __init__(self) -> None:
        super().__init__()
        self.reduceOp = ReduceOp.SUM


class Rooted(Options):
    __slots__ = ("rootRank", "rootTensor")

    def __init__(self) -> None:
        super().__init__()
        self.rootRank = self.rootTensor = 0


class AllreduceOptions(Reducing):
    """How `ProcessGroup.allreduce` goes: `reduceOp`, `timeout`."""

    __slots__ = ()


class AllreduceCoalescedOptions(AllreduceOptions):
    """How `ProcessGroup.allreduce_coalesced` goes: `reduceOp`."""

    __slots__ = ()


class ReduceScatterOptions(Reducing):
    """How `ProcessGroup.reduce_scatter` goes: `reduceOp`, `timeout`."""

    __slots__ = ()


class BroadcastOptions(Rooted):
    """How `ProcessGroup.broadcast` goes: from `rootRank`, `timeout`."""

    __slots__ = ()


class GatherOptions(Rooted):
    """How `ProcessGroup.gather` goes: to `rootRank`, `timeout`."""

    __slots__ = ()


class ScatterOptions(Rooted):
    """How `ProcessGroup.scatter` goes: from `rootRank`, `timeout`."""

    __slots__ = ()


class ReduceOptions(Rooted):
    """How `ProcessGroup.reduce` goes: `reduceOp`, to `rootRank`, `timeout`."""

    __slots__ = ("reduceOp",)

    def __init__(self) -> None:
        super().__init__()
        self.reduceOp = ReduceOp.SUM


class BarrierOptions(Options):
    """How `ProcessGroup.barrier` goes: `timeout`; `device` and `device_ids` are accepted."""

    __slots__ = ("device", "device_ids")

    def __init__(self) -> None:
        super().__init__()
        self.device, self.device_ids = None, []


class AllToAllOptions(Options):
    """How `ProcessGroup.alltoall` goes: `timeout`."""

    __slots__ = ()


__all__ = [
    "AllToAllOptions", "AllreduceCoalescedOptions", "AllreduceOptions", "BarrierOptions", "BroadcastOptions", "GatherOptions",
    "ReduceOptions", "ReduceScatterOptions", "ScatterOptions",
]  # fmt: skip
