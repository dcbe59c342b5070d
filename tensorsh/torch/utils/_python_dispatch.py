"""``torch.utils._python_dispatch``: modes that answer in place of the operators below autograd."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...engine.tensors.tensor import Tensor
from ..dispatching import TorchDispatchMode, entered, modes

__all__ = ["TorchDispatchMode"]


def _get_current_dispatch_mode() -> Any:
    return modes[-1] if modes else None


def _get_current_dispatch_mode_stack() -> list:
    return list(modes)


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether the program is within a mode, be it the one that answers just now."""
    return any(include_infra_modes or not mode.is_infra_mode() for mode in entered)


@contextmanager
def _disable_current_modes() -> Iterator[list]:
    """A context in which no mode is asked."""
    before = modes[:]
    modes.clear()
    try:
        yield before
    finally:
        modes[:] = before


@contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[Any]:
    """A context in which the innermost mode is not asked."""
    mode = modes.pop()
    try:
        yield mode
    finally:
        modes.append(mode)


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor is made of other tensors by ``__tensor_flatten__``."""
    return hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class of tensors is."""
    return issubclass(t, Tensor) and is_traceable_wrapper_subclass(t)


def transform_subclass(t: Any, callback: Any, outer_size: Any = None, outer_stride: Any = None) -> Any:
    """A tensor of the class of another, its inner tensors changed by a function of their names and themselves."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    return type(t).__tensor_unflatten__(
        inner,
        context,
        t.size() if outer_size is None else outer_size,
        t.stride() if outer_stride is None else outer_stride,
    )


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result as it is; what an operator changed in place is the argument itself."""
    return args[0] if func.__name__.partition(".")[0][-1:] == "_" and func.__name__[:2] != "__" else out


__all__ += ["is_traceable_wrapper_subclass", "return_and_correct_aliasing", "transform_subclass"]
