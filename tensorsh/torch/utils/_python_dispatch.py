"""``torch.utils._python_dispatch``: modes below autograd, which has no dispatcher here."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


class TorchDispatchMode:
    """A context that is asked in place of the operators below autograd: refused when it is entered."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        raise NotImplementedError(
            "tensorsh has no dispatcher below autograd: torch.overrides.TorchFunctionMode is asked in place of functions"
        )

    def __exit__(self, *_: object) -> None: ...


def _get_current_dispatch_mode() -> None:
    return None


def _get_current_dispatch_mode_stack() -> list:
    return []


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor is made of other tensors by ``__tensor_flatten__``."""
    return hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result as it is."""
    return out
