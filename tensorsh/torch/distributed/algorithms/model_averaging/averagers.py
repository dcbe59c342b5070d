"""Averagers: parameters become the mean of all processes now and then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .....sandbox.sealed import OpenSealed
from ...groups import group_of
from .utils import average_parameters_or_parameter_groups

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(metaclass=OpenSealed):
    """The base of averagers.
    process_group: the processes (None: all)."""

    __module__ = "torch.distributed.algorithms.model_averaging.averagers"

    def __init__(self, process_group: Any = None) -> None:
        self.process_group, self.step = group_of(process_group), 0

    def average_parameters(self, params: Iterable) -> None:
        """Average parameters, if it is their turn.
        params: parameters, or groups of an optimizer's."""
        raise NotImplementedError


class PeriodicModelAverager(ModelAverager):
    """Averages at every so many calls.
    period: how many. warmup_steps: calls before the first (0). process_group: the processes (None: all).
    ValueError for a period below 1 or less than no calls before."""

    __module__ = "torch.distributed.algorithms.model_averaging.averagers"

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        self.warmup_steps, self.period = warmup_steps, period

    def average_parameters(self, params: Iterable) -> None:
        """Average parameters, if it is their turn.
        params: parameters, or groups of an optimizer's."""
        if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0:
            average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
