"""``torch._C._functorch``: what is asked about functorch's tensors; there are none as such."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ...engine.arrays.state import state
from ..mapping.levels import FALLBACK


def _told(name: str) -> tuple[Any, Any]:
    """What says, and what sets, what is done about functions that are made slice by slice."""

    def asked() -> bool:
        return state.__dict__.get("vmap_fallback", FALLBACK)[name]

    def told(mode: bool) -> None:
        state.__dict__["vmap_fallback"] = {**state.__dict__.get("vmap_fallback", FALLBACK), name: mode}

    return asked, told


_is_vmap_fallback_enabled, _set_vmap_fallback_enabled = _told("enabled")
_debug_only_are_vmap_fallback_warnings_enabled, _debug_only_display_vmap_fallback_warnings = _told("warns")
_set_vmap_fallback_warning_enabled = _debug_only_display_vmap_fallback_warnings


class TransformType(Enum):
    """The kinds of transforms."""

    Torch, Vmap, Grad, Jvp, Functionalize = range(5)


def peek_interpreter_stack() -> None:
    """The innermost transform: there is none as such."""
    return None


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


def _unmapped(name: str) -> Any:
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"tensorsh maps without levels, so there is no {name}: call torch.vmap on the function"
        )

    refused.__name__ = name
    return refused


_add_batch_dim, _remove_batch_dim, _vmap_increment_nesting, _vmap_decrement_nesting, _unwrap_batched = map(
    _unmapped,
    "_add_batch_dim _remove_batch_dim _vmap_increment_nesting _vmap_decrement_nesting _unwrap_batched".split(),
)


def maybe_get_bdim(tensor: Any) -> int:
    return -1


def maybe_get_level(tensor: Any) -> int:
    return -1
