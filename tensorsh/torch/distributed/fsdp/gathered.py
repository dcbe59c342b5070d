"""Parameters in parts that are gathered while they are used, and whose gradients are reduced together once all have come."""

from __future__ import annotations

import mmap
from typing import Any

from ....engine.graph.fields import wrap


class Gathered:
    """The turns of such parameters. Each of those that are trained is used as its `whole`."""

    def __init__(self, trained: list[Any]) -> None:
        self.trained = trained
        self.is_whole, self.reduces, self.reshards, self.arrived = False, True, True, 0
        for each in trained:
            each.whole.register_post_accumulate_grad_hook(self._arrive)

    def _arrive(self, parameter: Any) -> None:
        self.arrived += 1
        if self.arrived == len(self.trained):
            self.finish()

    def finish(self) -> None:
        """Sum the gradients that have arrived, each process its part; the wholes are not needed any more."""
        self.arrived = 0
        used = [each for each in self.trained if each.whole._grad is not None]
        if self.reduces and used:
            self._reduce(used)
        if self.reshards:
            self.reshard()

    def _reduce(self, used: list[Any]) -> None:
        raise NotImplementedError

    def reshard(self) -> None:
        """Keep the parts alone."""
        if self.is_whole:
            self.is_whole = False
            self._part()

    def _part(self) -> None:
        raise NotImplementedError


def forget(memory: mmap.mmap) -> None:
    """Give memory back to the system; who holds it sees zeros until it is filled again."""
    if hasattr(mmap, "MADV_DONTNEED"):
        memory.madvise(mmap.MADV_DONTNEED)


def added(parameter: Any, gradient: Any) -> None:
    """Put a gradient to a parameter's, or in its place."""
    if parameter._grad is None:
        parameter._grad = wrap(gradient)
    else:
        parameter._grad._array[...] += gradient
