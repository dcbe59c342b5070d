"""``torch.nn.parallel``: one module on several devices, or in several processes."""

from __future__ import annotations

from ....sandbox.namespace import lazily
from ..modules.parallel import DataParallel

_found = lazily(__name__, {"distributed": "DistributedDataParallel"})
globals().update(_found)
__all__ = ["DataParallel", *_found]
