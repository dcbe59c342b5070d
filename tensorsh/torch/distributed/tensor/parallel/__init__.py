"""``torch.distributed.tensor.parallel``: modules whose parameters lie in parts, and how their inputs and outputs do."""

from __future__ import annotations

from .....sandbox.namespace import lazily

_PLACES = {
    "styles": (
        "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput RowwiseParallel "
        "SequenceParallel parallelize_module"
    ),
    "losses": "loss_parallel",
}
_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)
