"""Schedules: in which order microbatches go forward and backward through the stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import OpenSealed, all_housed
from ...nn.reach import T

__all__ = ["Schedule1F1B", "ScheduleGPipe"]


class PipelineScheduleSingle(metaclass=OpenSealed):
    """The base of schedules of one stage in each process.
    stage: it. n_microbatches: parts of a batch. loss_fn: `loss_fn(output, target)` at the last stage (None: only forward).
    args_chunk_spec, kwargs_chunk_spec, output_merge_spec: accepted: batches are cut and joined along their first dimension.
    scale_grads: divide gradients by the number of parts (True)."""

    def __init__(
        self, stage: Any, n_microbatches: int, loss_fn: Callable | None = None, args_chunk_spec: Any = None,
        kwargs_chunk_spec: Any = None, output_merge_spec: Any = None, scale_grads: bool = True,
    ) -> None:  # fmt: skip
        if n_microbatches < 1:
            raise ValueError(f"the number of microbatches must be positive, not {n_microbatches}")
        self._stage, self._n_microbatches, self._loss_fn, self.scale_grads = stage, n_microbatches, loss_fn, scale_grads

    def _order(self) -> list[tuple[bool, int]]:
        """The forwards (False) and backwards (True) of this stage, with the microbatches."""
        raise NotImplementedError

    def step(
        self, *args: Any, target: Any = None, losses: list | None = None, return_outputs: bool = True, loss_kwargs: Any = None,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """One batch, forward and backward; the result at the last stage, None elsewhere.
        args, kwargs: the batch, at the first stage. target: what the loss compares with, at the last. losses: a list to which the
        losses of microbatches are put there. return_outputs: whether there is a result (True). loss_kwargs: for the loss."""
        order = self._order() if self._loss_fn is not None else [(False, i) for i in range(self._n_microbatches)]
        return self._run(order, args, kwargs, target, losses, return_outputs, loss_kwargs or {})

    def eval(self, *args: Any, target: Any = None, losses: list | None = None, **kwargs: Any) -> Any:
        """One batch, forward only.
        args, kwargs, target, losses: as of `step`."""
        with no_grad():
            return self._run([(False, i) for i in range(self._n_microbatches)], args, kwargs, target, losses, True, {})

    def _run(
        self, order: list, args: tuple, kwargs: dict, target: Any, losses: list | None, returns: bool, loss_kwargs: dict
    ) -> Any:
        stage, count = self._stage, self._n_microbatches
        parts = [cut(each, count) for each in args]
        named = {name: cut(each, count) for name, each in kwargs.items()}
        targets = cut(target, count)
        outputs: dict[int, Any] = {}
        found: dict[int, Any] = {}
        for back, i in order:
            if back:
                stage._backward(i, found.get(i))
                continue
            outputs[i] = stage._forward(i, tuple(p[i] for p in parts), {name: p[i] for name, p in named.items()})
            if stage.is_last and self._loss_fn is not None and target is not None:
                found[i] = self._loss_fn(outputs[i], targets[i], **loss_kwargs)
        stage._finish(count if self.scale_grads and any(back for back, _ in order) else None)
        stage._kept.clear()
        if losses is not None:
            losses[:] = [found[i] for i in sorted(found)]
        if not stage.is_last or not returns:
            return None
        results = [outputs[i] for i in range(count)]
        if isinstance(results[0], Tensor):
            return T.cat(results)
        return tuple(T.cat(list(column)) for column in zip(*results, strict=True))


class ScheduleGPipe(PipelineScheduleSingle):
    """All microbatches forward, then all backward."""

    def _order(self) -> list[tuple[bool, int]]:
        numbers = range(self._n_microbatches)
        return [(False, i) for i in numbers] + [(True, i) for i in numbers]


class Schedule1F1B(PipelineScheduleSingle):
    """As many microbatches forward as stages follow, then one backward for each forward: fewer are kept at a time."""

    def _order(self) -> list[tuple[bool, int]]:
        ahead = min(self._n_microbatches, self._stage.num_stages - self._stage.stage_index)
        order = [(False, i) for i in range(ahead)]
        for i in range(self._n_microbatches):
            order.append((True, i))
            if i + ahead < self._n_microbatches:
                order.append((False, i + ahead))
        return order


all_housed(globals())


def cut(value: Any, count: int) -> list:
    """The parts of a value along its first dimension; what is no tensor is each part's."""
    return list(T.tensor_split(value, count)) if isinstance(value, Tensor) else [value] * count
