"""``torch.optim.swa_utils``: models whose parameters are averages over the steps of a training."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ..nn.modules.batchnorm import BatchNorm
from ..nn.modules.module import Module
from ..nn.reach import T
from .schedule import LRScheduler, for_groups

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """The exponential moving average, for all parameters at once."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable:
    """The mean over all updates, for all parameters at once."""

    @no_grad()
    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        count = num_averaged + 1
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 / count)
            else:
                average.addcdiv_(current - average, count)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable:
    """The exponential moving average, for one parameter."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable:
    """The mean over all updates, for one parameter."""

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """Copy of a model whose parameters are averages of those the model has had: ``update_parameters(model)`` takes in
    those of now (Izmailov and others, "Averaging weights leads to wider optima and better generalization", 2018).
    model: the model. device: where the copy lives (None: with the model). avg_fn: a function of (average, current,
    number of models so far) that gives the new average of a tensor; multi_avg_fn: one of lists of tensors, which
    changes the averages (None for both: the mean over all updates; get_ema_avg_fn and get_ema_multi_avg_fn make moving
    ones).
    use_buffers: average buffers, too, instead of copying them (False). AssertionError where both functions are given.
    >>> layer = nn.Linear(1, 1, bias=False)
    >>> average = optim.swa_utils.AveragedModel(layer)
    >>> for value in (1.0, 3.0):
    ...     _ = nn.init.constant_(layer.weight, value)
    ...     average.update_parameters(layer)
    >>> average.module.weight.item()
    2.0"""

    def __init__(
        self, model: Any, device: Any = None, avg_fn: Callable | None = None, multi_avg_fn: Callable | None = None,
        use_buffers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", T.tensor(0))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Any) -> None:
        """Take the model's parameters of now into the average."""
        own, new = list(self.module.parameters()), list(model.parameters())
        if self.use_buffers:
            own += self.module.buffers()
            new += model.buffers()
        own, new = [t.detach() for t in own], [t.detach() for t in new]
        count = self.n_averaged
        if count == 0:
            for average, current in zip(own, new, strict=False):
                average.copy_(current)
        elif self.avg_fn is None:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            # As PyTorch does, the function is given the tensors of one dtype at a time.
            for dtype in dict.fromkeys(t.dtype for t in own):
                pairs = [(a, c) for a, c in zip(own, new, strict=False) if a.dtype is dtype]
                update([a for a, _ in pairs], [c for _, c in pairs], count)
        else:
            for average, current in zip(own, new, strict=False):
                average.copy_(self.avg_fn(average, current, count))
        if not self.use_buffers:
            for buffer, current in zip(self.module.buffers(), model.buffers(), strict=True):
                buffer.detach().copy_(current.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Any, model: Any, device: Any = None) -> None:
    """Compute the running statistics of batch normalisation anew, from all that a loader gives."""
    momenta = {module: module.momentum for module in model.modules() if isinstance(module, BatchNorm)}
    if not momenta:
        return
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None
    was_training = model.training
    model.train()
    for batch in loader:
        first = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(first if device is None else first.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


def _linear(t: float) -> float:
    return t


def _cosine(t: float) -> float:
    return (1 - math.cos(math.pi * t)) / 2


class SWALR(LRScheduler):
    """Rate from where it is to a constant one over some epochs, for the part of a training whose parameters are
    averaged (Izmailov and others, 2018).
    optimizer: the optimizer whose rates change. swa_lr: the constant rate, a number or one for each group.
    anneal_epochs: number of epochs (10). anneal_strategy: 'cos' (default) or 'linear'.
    last_epoch: number of the last epoch when a training goes on (-1: at the start). ValueError for others.
    >>> sgd = optim.SGD(model.parameters(), lr=1.0)
    >>> schedule = optim.swa_utils.SWALR(sgd, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> [(schedule.get_last_lr(), sgd.step(), schedule.step())[0] for _ in range(4)]
    [[1.0], [0.75], [0.5], [0.5]]"""

    def __init__(
        self, optimizer: Any, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos", last_epoch: int = -1
    ) -> None:
        for group, rate in zip(optimizer.param_groups, for_groups("swa_lr", optimizer, swa_lr), strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        self._scaled()
        anneal = _cosine if self._anneal_strategy == "cos" else _linear
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        epochs = max(1, self.anneal_epochs)
        before, now = (anneal(max(0, min(1, t / epochs))) for t in (step - 1, step))
        found = []
        for group in self.optimizer.param_groups:
            lr, goal = group["lr"], group["swa_lr"]
            first = goal if before == 1 else (lr - before * goal) / (1 - before)
            found.append(goal * now + first * (1 - now))
        return found


AveragedModel.__module__ = SWALR.__module__ = "torch.optim.swa_utils"
