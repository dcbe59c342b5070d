"""``torch.nn.attention``: which kernels attention may take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, EnumMeta
from typing import Any

from ....engine.arrays.state import ATTENTION, state
from ....sandbox.sealed import Sealed

__all__ = ["SDPBackend", "sdpa_kernel"]


class SealedEnum(Sealed, EnumMeta):
    """The metaclass of an enumeration that programs cannot change."""


class SDPBackend(Enum, metaclass=SealedEnum):
    """The kernels of PyTorch's scaled_dot_product_attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


WAYS = {
    SDPBackend.MATH: "math", SDPBackend.FLASH_ATTENTION: "flash", SDPBackend.EFFICIENT_ATTENTION: "mem_efficient",
    SDPBackend.CUDNN_ATTENTION: "cudnn", SDPBackend.OVERRIDEABLE: "overrideable",
}  # fmt: skip


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """A context (or decorator) in which attention takes one of these kernels. RuntimeError from attention where it can take none."""
    many = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(many, list):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
        )
    before = state.attention
    state.attention = ATTENTION & {WAYS.get(each) for each in many}
    try:
        yield {}
    finally:
        state.attention = before
