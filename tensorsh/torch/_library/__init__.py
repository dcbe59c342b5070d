"""``torch._library``: what stands behind ``torch.library``, as far as libraries ask it."""

from __future__ import annotations
