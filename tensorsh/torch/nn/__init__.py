"""``torch.nn``: modules, parameters and what trains them.

Each class stands in a file of `modules/`, as in PyTorch; a file is imported when one of its names is first used.
"""

from __future__ import annotations

from ...sandbox.namespace import lazily
from .modules import LAYOUT

_found = lazily(__name__, LAYOUT)
globals().update(_found)
__all__ = list(_found)
