"""``torch.utils._triton``: whether kernels in Triton are run, which libraries ask; they are not."""

from __future__ import annotations


def has_triton_package() -> bool:
    return False


def has_triton() -> bool:
    return False


no_home: str | None = None
"""Where CUDA's, or ROCm's, compiler is; nowhere."""
