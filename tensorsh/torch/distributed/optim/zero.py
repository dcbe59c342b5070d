"""An optimizer of which each process keeps a part: it steps its share of the parameters and gives them to the others."""

from __future__ import annotations

import copy
from typing import Any

from ....engine.tensors.tensor import Tensor
from ...optim.optimizer import Optimizer
from ...questions import typename
from ..algorithms.join import Join, Joinable, JoinHook
from ..collectives import broadcast
from ..groups import group_of
from ..objects import broadcast_object_list

__all__ = ["ZeroRedundancyOptimizer"]

UNCONSOLIDATED = (
    "Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to={})` on all ranks beforehand "
    "if you meant to save the global state."
)


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer whose state lies in parts in the processes of a group.
    params: the parameters, the same everywhere. optimizer_class: what each process steps its share with, and defaults: its
    options. process_group: the processes (None: all). parameters_as_bucket_view: accepted (False). overlap_with_ddp: not
    available (False).
    RuntimeError for the state dict before consolidate_state_dict().
    >>> opt = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)  # doctest: +SKIP"""

    def __init__(
        self, params: Any, optimizer_class: Any, process_group: Any = None, parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise ValueError("overlap_with_ddp=True is not available: leave it out, and step after backward")
        if isinstance(params, Tensor):
            raise TypeError(f"`params` argument should be an iterable of Tensors, but got {typename(params)}")
        try:
            params = list(params)
        except TypeError:
            raise TypeError(
                f"`params` argument should be an iterable of Tensors or dicts, but got {typename(params)}"
            ) from None
        if not params:
            raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
        if optimizer_class is None:
            raise AssertionError("The local optimizer class has not been set")
        self.process_group = group_of(process_group)
        self.world_size, self.rank = self.process_group.size(), self.process_group.rank()
        self._optim_defaults, self._optim_constructor = dict(defaults), optimizer_class
        self._begun = False
        super().__init__(params, dict(defaults))
        kinds = [typename(p) for group in self.param_groups for p in group["params"]]
        sparse = self.param_groups[0]["params"][0].is_sparse
        if sparse or set(kinds) != {kinds[0]}:
            named = kinds[0] if sparse else f"both {kinds[0]} and {next(k for k in kinds if k != kinds[0])}"
            raise ValueError(
                f"ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got {named}"
            )
        self._owner: dict[int, int] = {}
        self._loads = [0] * self.world_size
        self._shares: list[list[list[Any]]] = [[] for _ in range(self.world_size)]
        self.optim = optimizer_class([self._shared(group) for group in self.param_groups], **defaults)
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            for key, value in own.items():
                group.setdefault(key, value)
        self.state = self.optim.state
        self._all_state_dicts: list[Any] = []
        self._begun = True

    def _shared(self, group: dict) -> dict:
        """The share of a group that is this process's: the next parameter goes to whoever has the fewest elements."""
        for share in self._shares:
            share.append([])
        for p in sorted(group["params"], key=lambda t: t.numel(), reverse=True):
            rank = self._loads.index(min(self._loads))
            self._shares[rank][-1].append(p)
            self._owner[id(p)] = rank
            self._loads[rank] += p.numel()
        return {**group, "params": self._shares[self.rank][-1]}

    def add_param_group(self, param_group: dict) -> None:
        """Take more parameters, the same in all processes."""
        super().add_param_group(param_group)
        if self._begun:
            group = self.param_groups[-1]
            self.optim.add_param_group(self._shared(group))
            for key, value in self.optim.param_groups[-1].items():
                group.setdefault(key, value)

    def step(self, closure: Any = None, **kwargs: Any) -> Any:
        """Step the share of this process, and get the others'."""
        if self._join is not None:
            Join._told(self, False)
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            own.update({key: value for key, value in group.items() if key != "params"})
        loss = self.optim.step(**kwargs if closure is None else {"closure": closure, **kwargs})
        self._spread()
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            group.update({key: value for key, value in own.items() if key != "params"})
        return loss

    def _spread(self) -> None:
        """Give all processes the parameters of each."""
        for group in self.param_groups:
            for p in group["params"]:
                broadcast(p.detach(), group_src=self._owner[id(p)], group=self.process_group)

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a process does that is through: it steps its share all the same."""
        return Steps(self)

    join_device = property(lambda self: self.param_groups[0]["params"][0].device)
    join_process_group = property(lambda self: self.process_group)

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the whole state together in one process."""
        self._all_state_dicts = []
        for rank in range(self.world_size):
            held = [self.optim.state_dict() if rank == self.rank else None]
            broadcast_object_list(held, group_src=rank, group=self.process_group)
            if self.rank == to:
                self._all_state_dicts.append(held[0])

    def state_dict(self) -> dict[str, Any]:
        """The whole state, once it was brought together here."""
        if not self._all_state_dicts:
            raise RuntimeError(UNCONSOLIDATED.format(self.rank))
        found = super().state_dict()
        numbers = {id(p): n for n, p in enumerate(p for group in self.param_groups for p in group["params"])}
        found["state"] = {}
        for share, saved in zip(self._shares, self._all_state_dicts, strict=True):
            for number, p in enumerate(p for members in share for p in members):
                if number in saved["state"]:
                    found["state"][numbers[id(p)]] = saved["state"][number]
        found["state"] = dict(sorted(found["state"].items()))
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take a whole state: each process its share."""
        numbers = {id(p): n for n, p in enumerate(p for group in self.param_groups for p in group["params"])}
        own = self.optim.state_dict()
        own["state"] = {
            number: copy.deepcopy(state_dict["state"][numbers[id(p)]])
            for number, p in enumerate(p for members in self._shares[self.rank] for p in members)
            if numbers[id(p)] in state_dict["state"]
        }
        for group, saved, mine in zip(self.param_groups, state_dict["param_groups"], own["param_groups"], strict=True):
            values = {key: value for key, value in saved.items() if key != "params"}
            group.update(values)
            mine.update(values)
        self.optim.load_state_dict(own)
        self.state = self.optim.state


ZeroRedundancyOptimizer.__module__ = "torch.distributed.optim.zero_redundancy_optimizer"


class Steps(JoinHook):
    """What a process that is through does in the others' steps."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer

    def main_hook(self) -> None:
        """Step."""
        before, self._optimizer._join = self._optimizer._join, None
        try:
            self._optimizer.step()
        finally:
            self._optimizer._join = before
