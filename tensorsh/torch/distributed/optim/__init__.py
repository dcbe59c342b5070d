"""``torch.distributed.optim``: optimizers whose state lies in parts."""

from __future__ import annotations

from ....sandbox.namespace import lazily

_found = lazily(__name__, {"zero": "ZeroRedundancyOptimizer", "post_localSGD_optimizer": "PostLocalSGDOptimizer"})
globals().update(_found)
__all__ = list(_found)
