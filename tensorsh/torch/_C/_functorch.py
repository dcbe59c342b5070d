"""``torch._C._functorch``: what is asked about functorch's tensors; there are none as such."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def is_batchedtensor(tensor: Any) -> bool:
    return False


def is_legacy_batchedtensor(tensor: Any) -> bool:
    return False


def is_gradtrackingtensor(tensor: Any) -> bool:
    return False


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    return False


def get_unwrapped(tensor: Any) -> Any:
    return tensor


def maybe_current_level() -> None:
    return None
