"""Checkpoints that keep some results and compute others again, as a policy says for each operator (`checkpoint`'s ``context_fn``)."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed

MODULE = "torch.utils.checkpoint"


class CheckpointPolicy(Enum):
    """Whether a result is kept or computed again."""

    MUST_SAVE, PREFER_SAVE, MUST_RECOMPUTE, PREFER_RECOMPUTE, MUST_CPU_OFFLOAD = range(5)


KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class SelectiveCheckpointContext(metaclass=Sealed):
    """What a policy is told besides the operator and its arguments: the result."""

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


CheckpointPolicy.__module__ = SelectiveCheckpointContext.__module__ = MODULE


class Kept:
    """A result, and which version of it."""

    def __init__(self, value: Any) -> None:
        tensor = isinstance(value, Tensor)
        self.value = value.detach() if tensor else value
        self.version = value._version if tensor else None

    def __call__(self, mutable: bool) -> Any:
        if self.version is not None and not mutable and self.value._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.value
