"""Functions and modules whose forward and backward passes are CUDA graphs: `torch.cuda.make_graphed_callables`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.tape.function import Function
from ...engine.tensors.tensor import Tensor
from ..autograd import grad
from ..nn.modules.module import Module
from ..utils._pytree import tree_flatten, tree_unflatten
from .graphs import CUDAGraph, graph
from .streams import aside


class Graphed:
    """One function's recording: what it reads, what it gives, and the two graphs between."""

    def __init__(self, function: Callable, args: tuple, unused: bool) -> None:
        self.function, self.args, self.unused = function, args, unused
        own = tuple(function.parameters()) if isinstance(function, Module) else ()
        self.inputs = (*args, *own)
        self.wanted = tuple(x for x in self.inputs if x.requires_grad)
        self.forward, self.backward = CUDAGraph(), CUDAGraph()
        self.called = function.forward if isinstance(function, Module) else function

    def warm_up(self, times: int) -> None:
        """Run both passes, so that kernels are compiled and workspaces taken before the recording."""
        with aside():
            for _ in range(times):
                self.gradients(self.outcome()[0], None)

    def outcome(self) -> tuple:
        """The flat results of a call, and their structure."""
        return tree_flatten(self.called(*self.args))

    def gradients(self, outputs: Any, ahead: Any) -> Any:
        roots = tuple(o for o in outputs if o.requires_grad)
        if not roots or not self.wanted:
            return ()
        ahead = tuple(o.new_ones(o.shape) for o in roots) if ahead is None else ahead
        return grad(roots, self.wanted, ahead, allow_unused=self.unused)

    def record_forward(self, pool: Any) -> None:
        with graph(self.forward, pool):
            self.outputs, self.structure = self.outcome()

    def record_backward(self, pool: Any) -> None:
        self.ahead = tuple(o.new_empty(o.shape) if o.requires_grad else None for o in self.outputs)
        with graph(self.backward, pool):
            found = self.gradients(self.outputs, tuple(g for g in self.ahead if g is not None))
        found = iter(found or [None] * len(self.wanted))
        self.found = tuple(next(found) if x.requires_grad else None for x in self.inputs)
        self.outputs = tuple(o.detach() for o in self.outputs)

    def call(self) -> Callable:
        """The function of tensors that replays the graphs."""
        recorded = self

        class Replayed(Function):
            @staticmethod
            def forward(ctx: Any, *inputs: Tensor) -> Any:
                for mine, given in zip(recorded.args, inputs, strict=False):
                    if mine.data_ptr() != given.data_ptr():
                        mine.data.copy_(given)
                recorded.forward.replay()
                return tuple(o.detach() for o in recorded.outputs)

            @staticmethod
            def backward(ctx: Any, *ahead: Any) -> Any:
                for mine, given in zip(recorded.ahead, ahead, strict=True):
                    if mine is not None and mine.data_ptr() != given.data_ptr():
                        mine.copy_(given)
                recorded.backward.replay()
                return tuple(None if g is None else g.detach() for g in recorded.found)

        def replayed(*args: Tensor) -> Any:
            out = Replayed.apply(*args, *recorded.inputs[len(recorded.args) :])
            return tree_unflatten(list(out), recorded.structure)

        return replayed

    def exchanged(self) -> Any:
        """The graphed function; of a module, the module itself, which calls the graphs in the mode it was recorded in."""
        replayed = self.call()
        if not isinstance(self.function, Module):
            return replayed
        module, mode, eager = self.function, self.function.training, self.called
        module.forward = lambda *args: replayed(*args) if module.training == mode else eager(*args)
        return module


def graphed(many: list[tuple[Callable, tuple]], warmups: int, unused: bool, pool: Any) -> tuple:
    """Functions as graphs of one memory: forward passes in their order, backward passes in the other."""
    made = []
    for function, args in many:
        if not all(isinstance(x, Tensor) and x.is_cuda for x in args):
            raise TypeError("sample_args of make_graphed_callables must be CUDA tensors, and nothing else.")
        made.append(Graphed(function, args, unused))
    for each in made:
        each.warm_up(warmups)
    for each in made:
        each.record_forward(pool)
    for each in reversed(made):
        each.record_backward(pool)
    return tuple(each.exchanged() for each in made)
