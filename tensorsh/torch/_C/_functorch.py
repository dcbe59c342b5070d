"""``torch._C._functorch``: what is asked about functorch's tensors; there are none as such."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ...engine.arrays.state import state
from ..absent_devices import answering
from ..mapping.levels import FALLBACK, Level
from ..mapping.vmap import placed


def _told(name: str) -> tuple[Any, Any]:
    """What says, and what sets, what is done about functions that are made slice by slice."""

    def asked() -> bool:
        return state.__dict__.get("vmap_fallback", FALLBACK)[name]

    def told(mode: bool) -> None:
        state.__dict__["vmap_fallback"] = {**state.__dict__.get("vmap_fallback", FALLBACK), name: mode}

    return asked, told


_is_vmap_fallback_enabled, _set_vmap_fallback_enabled = _told("enabled")
_debug_only_are_vmap_fallback_warnings_enabled, _debug_only_display_vmap_fallback_warnings = _told("shown")
_set_vmap_fallback_warning_enabled = _told("warns")[1]


class TransformType(Enum):
    """The kinds of transforms."""

    Torch, Vmap, Grad, Jvp, Functionalize = range(5)


def get_unwrapped(tensor: Any) -> Any:
    return tensor


def _unmapped(name: str) -> Any:
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"tensorsh maps without levels, so there is no {name}: call torch.vmap on the function"
        )

    refused.__name__ = name
    return refused


_vmap_increment_nesting, _vmap_decrement_nesting, _unwrap_batched = map(
    _unmapped, "_vmap_increment_nesting _vmap_decrement_nesting _unwrap_batched".split()
)


def _add_batch_dim(tensor: Any, in_dim: int, vmap_level: Level) -> Any:
    return vmap_level.slice_of(tensor, in_dim % tensor.ndim)


def _remove_batch_dim(tensor: Any, vmap_level: Level, batch_size: int, out_dim: int) -> Any:
    return placed(vmap_level, tensor, out_dim, "")


ANSWERS = dict.fromkeys(
    "is_batchedtensor is_legacy_batchedtensor is_gradtrackingtensor is_functorch_wrapped_tensor".split(), False
) | {"peek_interpreter_stack": None, "maybe_current_level": None, "maybe_get_bdim": -1, "maybe_get_level": -1}
globals().update({name: answering(name, value, "There is none as such.") for name, value in ANSWERS.items()})
