"""``post_localSGD_hook``: gradients are the mean of all processes first, later that of a few."""

from __future__ import annotations

from typing import Any

from .....sandbox.sealed import OpenSealed
from ...starting import new_subgroups
from .default_hooks import _mean, done

__all__ = ["PostLocalSGDState", "post_localSGD_hook"]


class PostLocalSGDState(metaclass=OpenSealed):
    """What the hook keeps.
    process_group: the processes of the first steps (None: all). subgroup: those of later ones (None: those of a machine).
    start_localSGD_iter: steps after which the latter begin. post_local_gradient_allreduce: whether gradients are reduced then (True)."""

    __module__ = "torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook"

    def __init__(
        self, process_group: Any, subgroup: Any, start_localSGD_iter: int, post_local_gradient_allreduce: bool = True  # noqa: N803
    ) -> None:  # fmt: skip
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0


def post_localSGD_hook(state: Any, bucket: Any) -> Any:  # noqa: N802
    """The mean of a bucket over all processes, and over a few after some steps.
    state: a PostLocalSGDState. bucket: the gradients."""
    if state.iter < state.start_localSGD_iter:
        state.iter += bucket.is_last()
        return _mean(state.process_group, bucket.buffer())
    if not state.post_local_gradient_allreduce:
        return done(bucket.buffer())
    if state.subgroup is None:
        state.subgroup, _ = new_subgroups()
    return _mean(state.subgroup, bucket.buffer())
