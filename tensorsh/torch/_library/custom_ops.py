"""``torch._library.custom_ops``: operators that a program makes of functions."""

from __future__ import annotations

from ..custom_ops import CustomOpDef, custom_op

__all__ = ["CustomOpDef", "custom_op"]
