"""A stage: the layers of one process, and what they pass on to those of its neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....engine.arrays.dtype import int64, uint8
from ....engine.graph.fields import wrap
from ....engine.tape.backward import backward
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import OpenSealed
from ...nn.modules.module import Module
from ...nn.reach import T
from ..groups import group_of
from ..objects import read, written
from ..point_to_point import isend, recv

__all__ = ["PipelineStage"]


class PipelineStage(metaclass=OpenSealed):
    """The layers of one part of a pipeline, of which each process has one or, in turn, several. What it takes is what the stage before
    it gives.
    submodule: the layers. stage_index: its number. num_stages: how many there are. device: where it computes. input_args, output_args,
    output_grads, input_grads: accepted. group: the processes (None: all); stage i is in process i modulo their number. dw_builder, get_mesh: accepted.
    ValueError for a number that there is not."""

    __module__ = "torch.distributed.pipelining.stage"

    def __init__(
        self, submodule: Module, stage_index: int, num_stages: int, device: Any, input_args: Any = None, output_args: Any = None,
        output_grads: Any = None, input_grads: Any = None, group: Any = None, dw_builder: Any = None, get_mesh: Any = None,
    ) -> None:  # fmt: skip
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        self.submod, self.stage_index, self.num_stages, self.device = submodule, stage_index, num_stages, device
        self.group = group_of(group)
        self.group_rank, self.group_size = self.group.rank(), self.group.size()
        if self.group_size > num_stages:
            raise RuntimeError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages {num_stages}"
            )
        self._kept: dict[int, tuple] = {}
        self._on_the_way: list[Any] = []

    is_first = property(lambda self: self.stage_index == 0, doc="Whether it takes the batch.")
    is_last = property(lambda self: self.stage_index == self.num_stages - 1, doc="Whether it gives the result.")

    def _near(self, step: int) -> int:
        """The process of the stage before (-1) or behind (1)."""
        return (self.stage_index + step) % self.group_size

    def _send(self, tensors: Iterable, step: int) -> None:
        """Pass tensors on to a neighbour; the tag tells what goes forward and back to several stages of one process apart."""
        tag = 2 * (self.stage_index + step) + (step < 0)
        for t in tensors:
            self._on_the_way.append(isend(t.detach().contiguous(), None, self.group, tag, self._near(step)))

    def _receive(self, forms: Iterable, step: int) -> tuple:
        """What a neighbour passed on: tensors of shapes and dtypes."""
        found = []
        for shape, dtype in forms:
            t = T.empty(shape, dtype=dtype)
            recv(t, None, self.group, 2 * self.stage_index + (step > 0), self._near(step))
            found.append(t)
        return tuple(found)

    def _forward(self, number: int, args: tuple, kwargs: dict) -> Any:
        """The layers of one microbatch: of the batch at the first stage, of what comes from the one before elsewhere."""
        if not self.is_first:
            (size,) = self._receive([((1,), int64)], -1)
            (text,) = self._receive([((int(size),), uint8)], -1)
            args = self._receive(read(text._array), -1)
            for t in args:
                if t.is_floating_point():
                    t.requires_grad_()
        output = self.submod(*args, **kwargs)
        outputs = tuple(output) if isinstance(output, (tuple, list)) else (output,)
        if not self.is_last:
            text = written([(tuple(t.shape), t.dtype) for t in outputs])
            self._send([wrap(np.array([text.size])), wrap(text), *outputs], 1)
        self._kept[number] = args, outputs
        return output

    def _backward(self, number: int, loss: Any) -> None:
        """The gradients of one microbatch: of its loss at the last stage, of what comes from the one behind elsewhere."""
        args, outputs = self._kept.pop(number)
        if self.is_last:
            backward(loss)
            for t in outputs if not self.is_first else ():  # the program gets them without their graph
                if not t._is_view():
                    t.detach_()
        else:
            wanted = [t for t in outputs if t.requires_grad]
            backward(wanted, list(self._receive([(tuple(t.shape), t.dtype) for t in wanted], 1)))
        if not self.is_first:
            trained = [t for t in args if t.requires_grad]
            self._send([wrap(np.zeros_like(t._array)) if t.grad is None else t.grad for t in trained], -1)

    def _finish(self, factor: int | None) -> None:
        """Wait for what is on its way, and divide the gradients by the number of microbatches."""
        for work in self._on_the_way:
            work.wait()
        self._on_the_way.clear()
        if factor is not None:
            with no_grad():
                for p in self.submod.parameters():
                    if isinstance(p.grad, Tensor):
                        p.grad.div_(factor)
