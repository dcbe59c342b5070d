"""Schedules with cycles of rate and momentum, restarts, or a look at the loss; and schedules made of others."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from ...engine.arrays.warning import warn
from ...sandbox.classes import shown_state
from .schedule import EPOCH_GIVEN, LRScheduler, check_optimizer, for_groups, rates, set_rate, take
from .schedules import has_state

__all__ = [
    "ChainedScheduler", "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR", "ReduceLROnPlateau", "SequentialLR",
]  # fmt: skip


class CosineAnnealingWarmRestarts(LRScheduler):
    """Rate down to `eta_min` along half a cosine, again and again, over longer and longer times (Loshchilov and Hutter,
    "SGDR:
    stochastic gradient descent with warm restarts", 2016).
    optimizer: the optimizer whose rates change. T_0: epochs of the first time. T_mult: each next time is so many times
    longer (1). eta_min: least rate (0.0). last_epoch: number of the last epoch when a training goes on (-1: at the
    start).
    step(epoch) takes any epoch, also a fraction of one. ValueError for a T_0 or T_mult that is no positive integer.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, T_0=2)
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(3)]
    [[1.0], [0.5], [1.0]]"""

    def __init__(
        self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1  # noqa: N803
    ) -> None:  # fmt: skip
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._scaled()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Go to the next epoch, or to any, also a fraction of one."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_i, self.T_cur = self.T_0, epoch
            if epoch >= self.T_0 and self.T_mult == 1:
                self.T_cur = epoch % self.T_0
            elif epoch >= self.T_0:
                n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
                self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
                self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            values = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_rate(group, lr)
        self._last_lr = rates(self.optimizer)


def _starts_momentum(scheduler: Any, optimizer: Any, base: Any, most: Any, last_epoch: int) -> tuple[list, list]:
    """The bounds of the momentum of each group, which begins at the upper one."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    scheduler.use_beta1 = "betas" in optimizer.defaults
    bases, mosts = for_groups("base_momentum", optimizer, base), for_groups("max_momentum", optimizer, most)
    if last_epoch == -1:
        for low, high, group in zip(bases, mosts, optimizer.param_groups, strict=True):
            _set_momentum(scheduler, group, high)
            group["max_momentum"], group["base_momentum"] = high, low
    return bases, mosts


def _set_momentum(scheduler: Any, group: dict, momentum: float) -> None:
    if scheduler.use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


HEIGHTS = {
    "triangular": lambda x, gamma: 1.0,
    "triangular2": lambda x, gamma: 1 / (2.0 ** (x - 1)),
    "exp_range": lambda x, gamma: gamma**x,
}
"""The height of a cycle by its number, or by that of the step."""


class CyclicLR(LRScheduler):
    """Rate up and down between two bounds, step by step, and the momentum against it (Smith, "Cyclical learning rates
    for training neural networks", 2015).
    optimizer: the optimizer whose rates change. base_lr, max_lr: the bounds, numbers or one for each group.
    step_size_up, step_size_down: steps on the way up (2000) and down (None: as many). mode: 'triangular' (default),
    'triangular2' with half the height each cycle, or 'exp_range' with gamma ** step as height. gamma: for that (1.0).
    scale_fn: a function for the height instead, of the number of the cycle or, with scale_mode 'iterations', of the
    step (None, 'cycle'). cycle_momentum: change the momentum (or beta1), too (True), between base_momentum (0.8) and
    max_momentum (0.9).
    last_epoch: number of the last step when a training goes on (-1: at the start).
    ValueError for another mode and for cycle_momentum with an optimizer that has no momentum.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0, momentum=0.9)
    >>> schedule = optim.lr_scheduler.CyclicLR(sgd, 0.0, 1.0, step_size_up=2)
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(4)]
    [[0.0], [0.5], [1.0], [0.5]]"""

    def __init__(
        self, optimizer: Any, base_lr: Any, max_lr: Any, step_size_up: int = 2000, step_size_down: int | None = None,
        mode: str = "triangular", gamma: float = 1.0, scale_fn: Callable | None = None, scale_mode: str = "cycle",
        cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_groups("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_rate(group, lr)
        self.max_lrs = for_groups("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self._scale_fn_ref = None if scale_fn is not None else HEIGHTS[mode]
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            bounds = _starts_momentum(self, optimizer, base_momentum, max_momentum, last_epoch)
            self.base_momentums, self.max_momentums = bounds
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of a cycle (or at an iteration)."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return HEIGHTS[self.mode](x, self.gamma)

    def get_lr(self) -> list:
        self._scaled()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True)
            for low, high, group in bounds:
                _set_momentum(self, group, high - (high - low) * part * self.scale_fn(at))
        bounds = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * part * self.scale_fn(at) for low, high in bounds]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer and the function."""
        found = super().state_dict()
        function = found.pop("_scale_fn_custom")
        del found["_scale_fn_ref"]
        return found | {"_scale_fn_custom": shown_state(function) if has_state(function) else None}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        take(self, {k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})


class OneCycleLR(LRScheduler):
    """Rate up to a maximum and down to next to nothing, in one cycle over all steps of a training, and the momentum
    against it (Smith and Topin, "Super-convergence", 2017).
    optimizer: the optimizer whose rates change. max_lr: the maximum, a number or one for each group.
    total_steps: number of steps; or epochs and steps_per_epoch, whose product it is. pct_start: share of the way up
    (0.3).
    anneal_strategy: 'cos' (default) or 'linear'. div_factor: the first rate is max_lr / div_factor (25).
    final_div_factor: the last is the first / final_div_factor (1e4). three_phase: down to the first rate as long as up,
    then to the last (False).
    cycle_momentum: change the momentum (or beta1), too (True), between base_momentum (0.85) and max_momentum (0.95).
    last_epoch: number of the last step when a training goes on (-1: at the start).
    ValueError for missing numbers of steps, for a step too many and for other options out of bounds.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0, momentum=0.9)
    >>> optim.lr_scheduler.OneCycleLR(sgd, max_lr=1.0, total_steps=10, div_factor=4).get_last_lr()
    [0.25]"""

    def __init__(
        self, optimizer: Any, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
        cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95, div_factor: float = 25.0,
        final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        counts: dict[str, Any] = {"total_steps": total_steps}
        if total_steps is None:
            counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        for name, count in counts.items():
            whole = isinstance(count, int)
            if name != "total_steps" and not whole or count <= 0 or not whole:
                raise ValueError(f"Expected positive integer {name}, but got {count}")
        self.total_steps = math.prod(counts.values())
        first, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        momentums = ("max_momentum", "base_momentum")
        phases = [(first, "initial_lr", "max_lr", *momentums), (last, "max_lr", "min_lr", *momentums[::-1])]
        if three_phase:
            phases = [
                phases[0],
                (float(2 * pct_start * self.total_steps) - 2, "max_lr", "initial_lr", *momentums[::-1]),
                (last, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        keys = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases = [dict(zip(keys, phase, strict=True)) for phase in phases]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, for_groups("max_lr", optimizer, max_lr), strict=True):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            _starts_momentum(self, optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if not hasattr(self, "_anneal_func_type"):  # a state of old has the function itself
            return self.anneal_func(start, end, part)
        return (self._annealing_linear if self._anneal_func_type == "linear" else self._annealing_cos)(start, end, part)

    @staticmethod
    def _annealing_linear(start: float, end: float, pct: float) -> float:
        return (end - start) * pct + start

    @staticmethod
    def _annealing_cos(start: float, end: float, pct: float) -> float:
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    def get_lr(self) -> list:
        self._scaled()
        at = self.last_epoch
        if at > self.total_steps:
            raise ValueError(f"Tried to step {at} times. The specified number of total steps is {self.total_steps}")
        begins: Any = 0.0
        for phase in self._schedule_phases:
            ends: Any = phase["end_step"]
            if at <= ends or phase is self._schedule_phases[-1]:
                break
            begins = ends
        part = (at - begins) / (ends - begins)
        found = []
        for group in self.optimizer.param_groups:
            found.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                bounds = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(self, group, self._between(*bounds, part))
        return found


class ReduceLROnPlateau(LRScheduler):
    """Rate times a factor when a metric has stopped getting better: ``step(metric)`` after each epoch.
    optimizer: the optimizer whose rates change. mode: 'min' (default) where less is better, or 'max'. factor: below 1
    (0.1).
    patience: epochs without a better value that are let pass (10). threshold: a better value is better by this share,
    or with threshold_mode 'abs' by this much (1e-4, 'rel'). cooldown: epochs after a change that do not count (0).
    min_lr: least rate, a number or one for each group (0). eps: smaller changes are not made (1e-8).
    ValueError for a factor of 1 or more, for other modes and for a list of another length.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.lr_scheduler.ReduceLROnPlateau(sgd, patience=1)
    >>> for loss in [2.0, 1.0, 1.0, 1.0]: schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]"""

    def __init__(
        self, optimizer: Any, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        several = isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        self.default_min_lr = None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * groups
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = rates(optimizer)
        if mode not in {"min", "max"}:
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _reset(self) -> None:
        """Forget the metrics of all epochs."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: Any = None) -> None:  # type: ignore[override]
        """Look at the metric of an epoch."""
        current = float(metrics)
        if epoch is not None:
            warn(EPOCH_GIVEN, UserWarning)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = rates(self.optimizer)

    def _reduce_lr(self, epoch: Any) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when `ReduceLROnPlateau` was "
                    f"initialized ({len(self.min_lrs)}), usually due to a new param group being added to the optimizer. "
                    "Please modify the `min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_rate(group, new)

    in_cooldown = property(lambda self: self.cooldown_counter > 0)

    def _is_better(self, value: float) -> bool:
        down = self.mode == "min"
        if self.threshold_mode == "rel":
            bound = self.best * (1.0 - self.threshold if down else self.threshold + 1.0)
        else:
            bound = self.best - self.threshold if down else self.best + self.threshold
        return value < bound if down else value > bound


class Composed(LRScheduler):
    """Base class of schedules that are made of others, all of one optimizer."""

    _schedulers: Sequence

    def _check(self, schedulers: Sequence, optimizer: Any, words: str) -> Any:
        name = type(self).__name__
        if len(schedulers) < 1:
            raise ValueError(f"{name} expects at least one scheduler{words}, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified "
                    f"when calling `step`, but got one at index {i} in the given schedulers sequence."
                )
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )
        return optimizer

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer, and the state dicts of the schedules."""
        found = {k: v for k, v in super().state_dict().items() if k != "_schedulers"}
        return found | {"_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        take(self, {k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class ChainedScheduler(Composed):
    """Several schedules at once: each step steps all of them, so that their factors multiply.
    schedulers: the schedules, of one optimizer. optimizer: that optimizer (None: the first schedule's).
    The state dict has those of all schedules. ValueError for no schedules, for schedules of several optimizers and for
    ReduceLROnPlateau, TypeError for what has no optimizer.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> parts = [optim.lr_scheduler.ConstantLR(sgd, 0.5), optim.lr_scheduler.ExponentialLR(sgd, 0.5)]
    >>> schedule = optim.lr_scheduler.ChainedScheduler(parts)
    >>> sgd.step(); schedule.step(); schedule.get_last_lr()
    [0.25]"""

    def __init__(self, schedulers: Sequence, optimizer: Any = None) -> None:
        self.optimizer = self._check(schedulers, optimizer, " to be chained")
        self._schedulers = schedulers
        self._last_lr = rates(self.optimizer)

    def step(self) -> None:  # type: ignore[override]
        """Step all schedules."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = rates(self.optimizer)


class SequentialLR(Composed):
    """One schedule after another, each beginning anew at its milestone.
    optimizer: the optimizer whose rates change. schedulers: the schedules, of that optimizer. milestones: the epochs at
    which the next one begins, one less than there are schedules. last_epoch: number of the last epoch (-1: at the
    start).
    ValueError for other numbers of milestones, for schedules of another optimizer and for ReduceLROnPlateau.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> parts = [optim.lr_scheduler.ConstantLR(sgd, 0.5), optim.lr_scheduler.ExponentialLR(sgd, 0.1)]
    >>> schedule = optim.lr_scheduler.SequentialLR(sgd, parts, milestones=[2])
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(4)]
    [[0.5], [0.5], [1.0], [0.1]]"""

    def __init__(self, optimizer: Any, schedulers: list, milestones: list, last_epoch: int = -1) -> None:
        self.optimizer = self._check(schedulers, optimizer, "")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                f"{len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        # Each schedule has taken its first step already: all but the one that begins take it back.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        self._undo(self)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def _undo(self, scheduler: Any) -> None:
        if hasattr(scheduler, "_schedulers"):
            for each in scheduler._schedulers:
                self._undo(each)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Step the schedule whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()
