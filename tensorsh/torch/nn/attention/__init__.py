"""``torch.nn.attention``: which kernel attention is to take; here there is one, which stands for all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, EnumMeta
from typing import Any

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


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """A context (or decorator) in which attention takes one of these kernels; the result is the same."""
    many = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(many, list) or not all(isinstance(each, SDPBackend) for each in many):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
        )
    yield
