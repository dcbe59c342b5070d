"""Schedules by one formula: steps, decay, ramps, cosine, functions of the epoch."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from ...sandbox import process
from ...sandbox.classes import is_script_class, shown_state
from .schedule import LRScheduler, take

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "PolynomialLR", "StepLR",
]  # fmt: skip


def has_state(function: Any) -> bool:
    """Whether what is called is an object with attributes of a class of the program's own."""
    if isinstance(function, FunctionType):
        return False
    return is_script_class(type(function)) or process.plain and hasattr(function, "__dict__")


class FunctionLR(LRScheduler):
    """Rates by functions of the epoch."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas: list[Callable] = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer and the functions; of objects that are called, their attributes."""
        found = super().state_dict()
        del found["lr_lambdas"]
        found["lr_lambdas"] = [shown_state(f) if has_state(f) else None for f in self.lr_lambdas]
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        take(self, {k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for function, state in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if state is not None and has_state(function):
                take(function, state)


class LambdaLR(FunctionLR):
    """Initial rate times a function of the epoch: lr = initial * lr_lambda(epoch).
    optimizer: the optimizer whose rates change. lr_lambda: the function, or a list of one for each group.
    last_epoch: number of the last epoch when a training goes on (-1: at the start).
    The state dict has no functions, but the attributes of objects that are called. ValueError for a list of another
    length.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.LambdaLR(sgd, lambda epoch: 0.5 ** epoch)
    >>> sgd.step(); schedule.step(); schedule.get_last_lr()
    [0.5]"""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list:
        self._scaled()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(FunctionLR):
    """Rate times a function of the epoch, each epoch: lr = lr * lr_lambda(epoch).
    optimizer: the optimizer whose rates change. lr_lambda: the function, or a list of one for each group.
    last_epoch: number of the last epoch when a training goes on (-1: at the start).
    ValueError for a list of another length, TypeError for what cannot be called.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.MultiplicativeLR(sgd, lambda epoch: 0.5)
    >>> for _ in range(2): sgd.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.25]"""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        listed = isinstance(lr_lambda, (list, tuple))
        if listed and len(lr_lambda) != len(optimizer.param_groups):
            raise ValueError(f"Expected {len(optimizer.param_groups)} lr_lambdas, but got {len(lr_lambda)}")
        for f in lr_lambda if listed else [lr_lambda]:
            if not callable(f):
                raise TypeError(f"lr_lambda should be a function, but got {type(f).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list:
        now = self._scaled()
        if self._is_initial:
            return now
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, now, strict=True)]


class StepLR(LRScheduler):
    """Rate times gamma every `step_size` epochs: lr = initial * gamma ** (epoch // step_size).
    optimizer: the optimizer whose rates change. step_size: epochs between two changes. gamma: the factor (0.1).
    last_epoch: number of the last epoch when a training goes on (-1: at the start).
    TypeError for what is no optimizer, UserWarning for a step before the optimizer's first.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.StepLR(sgd, step_size=2, gamma=0.5)
    >>> for _ in range(3): sgd.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.5]"""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        steps = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma if steps else None)

    def _get_closed_form_lr(self) -> list:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Rate times gamma at given epochs: lr = initial * gamma ** (number of milestones passed).
    optimizer: the optimizer whose rates change. milestones: the epochs; one that comes twice counts twice. gamma: the
    factor (0.1).
    last_epoch: number of the last epoch when a training goes on (-1: at the start).
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.MultiStepLR(sgd, milestones=[1, 3], gamma=0.5)
    >>> for _ in range(3): sgd.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.25]"""

    def __init__(self, optimizer: Any, milestones: Iterable, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        times = self.milestones.get(self.last_epoch)
        return self._scaled(None if times is None else self.gamma**times)

    def _get_closed_form_lr(self) -> list:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Rate times a factor for the first epochs, then the initial rate: a simple warm-up.
    optimizer: the optimizer whose rates change. factor: the factor, between 0 and 1 (1/3). total_iters: number of these
    epochs (5). last_epoch: number of the last epoch when a training goes on (-1: at the start).
    ValueError for a factor out of bounds.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.ConstantLR(sgd, factor=0.5, total_iters=2)
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(3)]
    [[0.5], [0.5], [1.0]]"""

    def __init__(self, optimizer: Any, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor if self.last_epoch == self.total_iters else None)

    def _get_closed_form_lr(self) -> list:
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Rate times a factor that changes linearly over the first epochs: from start_factor to end_factor, where it stays.
    optimizer: the optimizer whose rates change. start_factor: the first, above 0 (1/3). end_factor: the last, at most 1
    (1.0).
    total_iters: number of epochs between them (5). last_epoch: number of the last epoch when a training goes on (-1: at
    the start).
    ValueError for factors out of bounds.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.LinearLR(sgd, start_factor=0.5, total_iters=2)
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(3)]
    [[0.5], [0.75], [1.0]]"""

    def __init__(
        self, optimizer: Any, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._scaled()
        rise = self.end_factor - self.start_factor
        return self._scaled(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self) -> list:
        rise, passed = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return [base * (self.start_factor + rise * passed / self.total_iters) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Rate times gamma each epoch: lr = initial * gamma ** epoch.
    optimizer: the optimizer whose rates change. gamma: the factor; below 1 the rate falls.
    last_epoch: number of the last epoch when a training goes on (-1: at the start).
    TypeError for what is no optimizer, UserWarning for a step before the optimizer's first.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.ExponentialLR(sgd, gamma=0.5)
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(3)]
    [[1.0], [0.5], [0.25]]"""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        return self._scaled(None if self._is_initial else self.gamma)

    def _get_closed_form_lr(self) -> list:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Rate to zero by a power of the epochs that are left: lr = initial * (1 - epoch / total_iters) ** power, and 0
    after them.
    optimizer: the optimizer whose rates change. total_iters: number of these epochs (5). power: the exponent (1.0: a
    line).
    last_epoch: number of the last epoch when a training goes on (-1: at the start).
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.PolynomialLR(sgd, total_iters=2)
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(3)]
    [[1.0], [0.5], [0.0]]"""

    def __init__(self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._scaled()
        left, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return self._scaled((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Rate down to `eta_min` along half a cosine, and up again: eta_min + (initial - eta_min) * (1 + cos(pi * epoch /
    T_max)) / 2 (Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2016, without the
    restarts).
    optimizer: the optimizer whose rates change. T_max: epochs to the least rate. eta_min: that rate (0.0).
    last_epoch: number of the last epoch when a training goes on (-1: at the start).
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.CosineAnnealingLR(sgd, T_max=2)
    >>> for _ in range(2): sgd.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.0]"""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        now = self._scaled()
        least, epoch = self.eta_min, self.last_epoch
        if self._is_initial:
            return now
        if self._step_count == 1 and epoch > 0:
            return [least + (base - least) * (1 + math.cos(epoch * math.pi / self.T_max)) / 2 for base in self.base_lrs]
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = 1 - math.cos(math.pi / self.T_max)
            return [lr + (base - least) * rise / 2 for base, lr in zip(self.base_lrs, now, strict=True)]
        ratio = (1 + math.cos(math.pi * epoch / self.T_max)) / (1 + math.cos(math.pi * (epoch - 1) / self.T_max))
        return [ratio * (lr - least) + least for lr in now]

    def _get_closed_form_lr(self) -> list:
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs]
