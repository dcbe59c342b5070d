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
