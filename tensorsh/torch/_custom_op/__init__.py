"""``torch._custom_op``: what came before ``torch.library.custom_op``."""

from __future__ import annotations
