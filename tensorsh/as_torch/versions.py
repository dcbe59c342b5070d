"""The name and the version that stand for PyTorch's."""

from __future__ import annotations

NAME, VERSION = "torch", "2.13.0+tensorsh"
