"""Checkpoints that keep some results and compute others again, as a policy says for each operator (`checkpoint`'s ``context_fn``)."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import Any

from ...engine.tensors.tensor import Tensor
from ...sandbox import process
from ...sandbox.sealed import Sealed

MODULE = "torch.utils.checkpoint"


class CheckpointPolicy(Enum):
    """Whether a result is kept or computed again."""

    MUST_SAVE, PREFER_SAVE, MUST_RECOMPUTE, PREFER_RECOMPUTE, MUST_CPU_OFFLOAD = range(5)


KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class SelectiveCheckpointContext(metaclass=Sealed):
    """What a policy is told besides the operator: whether this is the second run."""

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


CheckpointPolicy.__module__ = SelectiveCheckpointContext.__module__ = MODULE


class Kept:
    """A result, and which version of it."""

    def __init__(self, value: Any, aliased: bool) -> None:
        tensor = isinstance(value, Tensor)
        self.value = value.detach() if tensor and (aliased or value.is_floating_point() or value.is_complex()) else value
        self.version = value._version if tensor else None

    def __call__(self, mutable: bool) -> Any:
        if self.version is not None and not mutable and self.value._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.value


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> tuple:
    """Contexts for the first run and the second, in which results are kept as a policy says.

    policy_fn_or_list: ``policy(ctx, operator, *args, **kwargs)``, which gives a CheckpointPolicy, or a list of operators
    (``torch.ops.aten.mm.default``) whose results are kept. In plain Python alone; NotImplementedError in scripts.
    """
    if not process.plain:
        raise NotImplementedError(
            "selective checkpointing is for plain Python (tensorsh python): call checkpoint() without context_fn here, all of "
            "the function is then run again"
        )
    from ..library import OpOverload

    policy = policy_fn_or_list
    if isinstance(policy, list):
        for operator in policy:
            if not isinstance(operator, OpOverload):
                extra = (
                    " Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                    if type(operator).__name__ == "OpOverloadPacket"
                    else ""
                )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {operator} of type {type(operator)}.{extra}"
                )
        chosen = list(policy)

        def policy(ctx: Any, operator: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if operator in chosen else CheckpointPolicy.PREFER_RECOMPUTE

    elif not callable(policy):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    from .selective_modes import Keeping, Reusing

    kept: dict[Any, list] = defaultdict(list)
    return Keeping(policy, kept), Reusing(policy, kept, allow_cache_entry_mutation)
