"""Schedules: in which order microbatches go forward and backward through the stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.tape.grad_modes import is_grad_enabled
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import OpenSealed, all_housed
from ...nn.reach import T

__all__ = ["Schedule1F1B", "ScheduleGPipe", "ScheduleInterleaved1F1B", "ScheduleLoopedBFS"]


class PipelineSchedule(metaclass=OpenSealed):
    """The base of schedules.
    stage: the stage of this process, or a list of them. n_microbatches: parts of a batch. loss_fn: `loss_fn(output, target)` at the last stage (None: only forward).
    args_chunk_spec, kwargs_chunk_spec, output_merge_spec: accepted: batches are cut and joined along their first dimension.
    scale_grads: divide gradients by the number of parts (True)."""

    _alone = False
    """Whether there is one stage in each process."""

    def __init__(
        self, stage: Any, n_microbatches: int, loss_fn: Callable | None = None, args_chunk_spec: Any = None,
        kwargs_chunk_spec: Any = None, output_merge_spec: Any = None, scale_grads: bool = True,
    ) -> None:  # fmt: skip
        self._stages = [stage] if self._alone else stage
        self._stage = self._stages[0]
        self._num_stages = self._stage.num_stages
        self._n_microbatches, self._loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads

    def _order(self) -> list[tuple[bool, int, int]]:
        """The forwards (False) and backwards (True) of this process: of which of its stages and which microbatch."""
        raise NotImplementedError

    def _forwards(self) -> list[tuple[bool, int, int]]:
        """All microbatches forward, stage by stage."""
        return [(False, k, i) for k in range(len(self._stages)) for i in range(self._n_microbatches)]

    def step(
        self, *args: Any, target: Any = None, losses: list | None = None, return_outputs: bool = True, loss_kwargs: Any = None,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """One batch, forward and backward; the result at the last stage, None elsewhere.
        args, kwargs: the batch, at the first stage. target: what the loss compares with, at the last. losses: a list to which the
        losses of microbatches are put there. return_outputs: whether there is a result (True). loss_kwargs: for the loss."""
        if self._loss_fn is not None and not is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used under torch.no_grad() context. "
                "Please call eval() instead."
            )
        order = self._order() if self._loss_fn is not None else self._forwards()
        return self._run(order, args, kwargs, target, losses, return_outputs, loss_kwargs or {})

    def eval(self, *args: Any, target: Any = None, losses: list | None = None, **kwargs: Any) -> Any:
        """One batch, forward only; as in PyTorch, gradients that there are are divided where each process has one stage.
        args, kwargs, target, losses: as of `step`."""
        return self._run(self._forwards(), args, kwargs, target, losses, True, {})

    def _run(
        self, order: list, args: tuple, kwargs: dict, target: Any, losses: list | None, returns: bool, loss_kwargs: dict
    ) -> Any:
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")
        count = self._n_microbatches
        parts = [cut(each, count) for each in args]
        named = {name: cut(each, count) for name, each in kwargs.items()}
        targets = cut(target, count)
        outputs: dict[int, Any] = {}
        found: dict[int, Any] = {}
        for back, k, i in order:
            stage = self._stages[k]
            if back:
                stage._backward(i, found.get(i))
                continue
            output = stage._forward(i, tuple(p[i] for p in parts), {name: p[i] for name, p in named.items()})
            if stage.is_last:
                outputs[i] = output
                if self._loss_fn is not None and target is not None:
                    found[i] = self._loss_fn(output, targets[i], **loss_kwargs)
        for stage in self._stages:
            trained = self._alone or any(back for back, _, _ in order)
            stage._finish(count if self.scale_grads and trained else None)
            stage._kept.clear()
        if losses is not None:
            losses[:] = [found[i] for i in sorted(found)]
        if not outputs or not returns:
            return None
        results = [outputs[i] for i in range(count)]
        if isinstance(results[0], Tensor):
            return T.cat(results)
        return tuple(T.cat(list(column)) for column in zip(*results, strict=True))


class PipelineScheduleSingle(PipelineSchedule):
    """The base of schedules with one stage in each process."""

    _alone = True


class PipelineScheduleMulti(PipelineSchedule):
    """The base of schedules with several."""


class ScheduleGPipe(PipelineScheduleSingle):
    """All microbatches forward, then all backward."""

    def _order(self) -> list[tuple[bool, int, int]]:
        return self._forwards() + [(True, 0, i) for i in range(self._n_microbatches)]


class Schedule1F1B(PipelineScheduleSingle):
    """As many microbatches forward as stages follow, then one backward for each forward: fewer are kept at a time. ValueError for fewer
    microbatches than stages."""

    def __init__(self, stage: Any, n_microbatches: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(stage, n_microbatches, *args, **kwargs)
        if n_microbatches < self._num_stages:
            raise ValueError(
                f"Number of microbatches ({n_microbatches}) must be greater than or equal to the number of stages ({self._num_stages})."
            )

    def _order(self) -> list[tuple[bool, int, int]]:
        forwards, ahead = self._forwards(), self._stage.num_stages - self._stage.stage_index
        return alternating(forwards, [(True, 0, i) for _, _, i in forwards], ahead)


class ScheduleLoopedBFS(PipelineScheduleMulti):
    """Several stages in each process: all microbatches forward through one stage after another, then all back."""

    def _order(self) -> list[tuple[bool, int, int]]:
        forwards = self._forwards()
        return forwards + [(True, k, i) for _, k, i in reversed(forwards)]


class ScheduleInterleaved1F1B(PipelineScheduleMulti):
    """Several stages in each process: microbatches go through them in rounds, and from when the first comes back, one goes back for each
    that goes forward (Narayanan et al., 2021, arXiv:2104.04473). ValueError where rounds do not divide the microbatches."""

    def __init__(self, stages: Any, n_microbatches: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(stages, n_microbatches, *args, **kwargs)
        rounds = max(1, n_microbatches // self._stage.group_size)
        if n_microbatches % rounds:
            raise ValueError(
                "Interleaved 1F1B requires the number of microbatches to be a "
                f"multiple of the number of rounds ({rounds}), but got {n_microbatches}."
            )
        self._each = n_microbatches // rounds

    def _order(self) -> list[tuple[bool, int, int]]:
        count, each = len(self._stages), self._each
        turns = [
            (k, i)
            for start in range(0, self._n_microbatches, each)
            for k in range(count)
            for i in range(start, start + each)
        ]
        ahead = (count - 1) * each + 2 * (self._stage.group_size - 1 - self._stage.group_rank) + 1
        return alternating([(False, k, i) for k, i in turns], [(True, count - 1 - k, i) for k, i in turns], ahead)


def alternating(forwards: list, backwards: list, ahead: int) -> list:
    """So many forwards, then a backward and a forward in turn, then the other backwards."""
    order = forwards[:ahead]
    for at, back in enumerate(backwards):
        order += [back, *forwards[ahead + at : ahead + at + 1]]
    return order


all_housed(globals())


def cut(value: Any, count: int) -> list:
    """The parts of a value along its first dimension; what is no tensor is each part's."""
    return list(T.tensor_split(value, count)) if isinstance(value, Tensor) else [value] * count
