"""A bucket of gradients as hooks of the communication see it."""

from __future__ import annotations

from typing import Any

from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed

__all__ = ["GradBucket"]


class GradBucket(metaclass=Sealed):
    """A bucket as a hook of the communication sees it.
    bucket: the gradients. last: whether no other follows."""

    __module__ = "torch.distributed"

    def __init__(self, bucket: Any, last: bool) -> None:
        self._bucket, self._last = bucket, last
        self._buffer = bucket.flat

    def index(self) -> int:
        """Its number."""
        return self._bucket.index

    def buffer(self) -> Tensor:
        """The gradients in a row."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Put other gradients in their place."""
        self._buffer = buffer

    def gradients(self) -> list[Tensor]:
        """The gradients, one for each parameter."""
        return [wrap(view) for view in self._bucket.views]

    def parameters(self) -> list[Any]:
        """The parameters."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether it is the last to be reduced."""
        return self._last
