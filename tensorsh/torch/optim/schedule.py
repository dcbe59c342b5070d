"""LRScheduler: what all learning rate schedules share."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.warning import warn
from ...engine.tensors.tensor import Tensor
from ...sandbox import process
from ...sandbox.classes import allow, checked_state, is_script_class, shown_state
from ...sandbox.sealed import OpenSealed
from ...sandbox.wrapping import wraps
from .optimizer import Optimizer, number

WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in "
    "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
    "skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to call "
    "`optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
EPOCH_GIVEN = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is "
    "used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use "
    "case: https://github.com/pytorch/pytorch/issues/new/choose."
)


def rates(optimizer: Any, key: str = "lr") -> list:
    """The values of an option in all groups."""
    return [group[key].clone() if isinstance(group[key], Tensor) else group[key] for group in optimizer.param_groups]


def set_rate(group: dict, value: Any) -> None:
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(number(value))
    else:
        group["lr"] = value


def for_groups(name: str, optimizer: Any, value: Any) -> list:
    """One value for each group."""
    groups = len(optimizer.param_groups)
    copied = lambda each: each.clone() if isinstance(each, Tensor) else each  # noqa: E731 - which the program may change
    if isinstance(value, (list, tuple)):
        if len(value) != groups:
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups "
                f"has {groups}."
            )
        return [copied(each) for each in value]
    return [copied(value) for _ in range(groups)]


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler(metaclass=OpenSealed):
    """Base class of schedules: a class of one's own defines `get_lr`, which gives the rates of all groups in the epoch
    `last_epoch`, from those before (the groups' "lr") or from the initial ones (`base_lrs`).
    optimizer: the optimizer whose rates change. last_epoch: number of the last epoch when a training goes on, for which
    the groups have "initial_lr" (-1: at the start).
    step(), after the optimizer's, goes to the next epoch, get_last_lr() tells its rates, state_dict() and
    load_state_dict() keep and take over all but the optimizer. TypeError for what is no optimizer, UserWarning for
    steps in the wrong order.
    >>> class Halving(optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self): return [lr / 2 ** self.last_epoch for lr in self.base_lrs]
    >>> Halving(optim.SGD(model.parameters(), lr=0.1)).get_last_lr()
    [0.1]"""

    _get_lr_called_within_step = False
    _is_initial = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("tensorsh."):
            cls.__module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch >= "
                    "0.\nThis typically happens when:\n1. You're trying to resume training from a checkpoint but haven't "
                    "properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a fresh training run (not "
                    "recommended)"
                )
        self.base_lrs = rates(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        watch(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows but the optimizer."""
        return {name: value for name, value in shown_state(self, LRScheduler).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        take(self, state_dict)

    def get_last_lr(self) -> list:
        """The rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list:
        """The rates of the epoch `last_epoch`, from those before; for subclasses to define."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch."""
        if self._step_count == 1:
            step = self.optimizer.__dict__.get("step")
            if step is not None and not getattr(step, "_wrapped_by_lr_sched", False):
                warn(OVERRIDDEN, UserWarning)
            elif not self.optimizer._opt_called:
                warn(WRONG_ORDER, UserWarning)
        self._step_count += 1
        if epoch is not None:
            warn(EPOCH_GIVEN, UserWarning)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed = getattr(self, "_get_closed_form_lr", None)
                values = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_rate(group, value)
        self._last_lr = rates(self.optimizer)

    def _scaled(self, factor: Any = None) -> list:
        """The rates of now, times a factor; as they are where there is none."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")
        if factor is None:
            return rates(self.optimizer)
        return [group["lr"] * factor for group in self.optimizer.param_groups]


LRScheduler.__module__ = "torch.optim.lr_scheduler"
allow(LRScheduler, "_last_lr", "_step_count", "_get_lr_called_within_step", "_schedulers", "_milestones")


def take(target: Any, state: dict) -> None:
    """Set attributes of a schedule, or of a program's object, from a state dict."""
    if not (isinstance(target, LRScheduler) or is_script_class(type(target)) or process.plain):
        raise TypeError(f"a '{type(target).__name__}' object takes no state dict of a schedule")
    target.__dict__.update(checked_state(target, state))


def watch(optimizer: Any) -> None:
    """See to it that the optimizer notes its steps, to warn when the schedule is stepped first."""
    if optimizer.__dict__.get("_watched"):
        return
    optimizer._watched = True
    optimizer._opt_called = False
    if type(optimizer).step is not Optimizer.step:
        from weakref import ref

        own, step = ref(optimizer), type(optimizer).step

        @wraps(step)
        def noted(*args: Any, **kwargs: Any) -> Any:
            target = own()
            target._opt_called = True
            return step(target, *args, **kwargs)

        noted._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
        optimizer.step = noted
