"""``torch.distributed.algorithms.join``: processes that have more inputs than others, which take part in their collectives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine.arrays.warning import warn
from ....engine.graph.fields import wrap
from ....sandbox.sealed import OpenSealed, all_housed
from ..collectives import all_reduce

__all__ = ["Join", "JoinHook", "Joinable"]

EARLY = "Detected at least one rank that exhausted inputs. Throwing across all ranks."


class JoinHook(metaclass=OpenSealed):
    """What a process that is through does while others are not: `main_hook` in each of their iterations, `post_hook` once all
    are."""

    def main_hook(self) -> None:
        """Take part in one iteration."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take part in what follows the last."""


class Joinable(metaclass=OpenSealed):
    """What can be trained with uneven inputs."""

    _join: Any = None

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a process does that is through."""
        raise NotImplementedError

    @property
    def join_process_group(self) -> Any:
        """The processes."""
        raise NotImplementedError

    @property
    def join_device(self) -> Any:
        """Where its tensors are."""
        raise NotImplementedError


class Join(metaclass=OpenSealed):
    """A context around a training loop whose number of iterations differs among processes.
    joinables: what is trained, such as DistributedDataParallel. enable: whether to do anything (True).
    throw_on_early_termination: raise in all as soon as one is through (False). kwargs: for the joinables' hooks."""

    def __init__(
        self, joinables: list[Any], enable: bool = True, throw_on_early_termination: bool = False, **kwargs: Any
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = list(joinables)
        self._hooks = [joinable.join_hook(**kwargs) for joinable in self._joinables]
        self._enable, self._throws = enable, throw_on_early_termination
        self._group = self._joinables[0].join_process_group
        self.active = self._group.size()
        self.growing = False

    def __enter__(self) -> None:
        if self._enable:
            for joinable in self._joinables:
                joinable._join = self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if not self._enable:
            return
        try:
            if kind is None:
                self._shadow()
        finally:
            for joinable in self._joinables:
                joinable._join = None

    def _count(self, active: bool, grows: bool) -> None:
        counts = wrap(np.array([active, grows], np.float32))
        all_reduce(counts, group=self._group)
        self.active, self.growing = int(counts._array[0]), bool(counts._array[1])

    def _shadow(self) -> None:
        last, rounds = True, 0
        while True:
            self._count(False, False)
            if not self.active:
                break
            last, rounds = False, rounds + 1
            if self._throws:
                all_reduce(wrap(np.ones(1, np.float32)), group=self._group)
                raise RuntimeError(f"Rank {self._group.rank()} exhausted all inputs.")
            if rounds == 1000:
                warn(
                    "Detected uneven input skew of greater than 1000. This means that rank "
                    f"{self._group.rank()} has at least 1000 fewer inputs than other currently-active ranks. This level of skew "
                    "could lead to performance degradation during training."
                )
            for hook in self._hooks:
                hook.main_hook()
        for hook in self._hooks:
            hook.post_hook(last)

    @staticmethod
    def _told(joinable: Any, grows: bool) -> None:
        """Tell those that are through of an iteration."""
        join = joinable._join
        if join is None or join._joinables[0] is not joinable:
            return
        join._count(True, grows)
        if join._throws:
            through = wrap(np.array([0], np.float32))
            if join.active < join._group.size():
                all_reduce(through, group=join._group)
                raise RuntimeError(EARLY)

    @staticmethod
    def notify_join_context(joinable: Any) -> None:
        """Tell those that are through that an iteration begins."""
        Join._told(joinable, False)


all_housed(globals())
