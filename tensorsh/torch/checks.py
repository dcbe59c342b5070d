"""``torch._check`` and its kin: errors with a message that is made when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.tensors.tensor import Tensor
from .overrides import handle_torch_function


def _check_with(error: type[Exception], cond: Any, message: Callable[[], str] | None = None) -> None:
    """`error` unless `cond`, with the message that a function gives."""
    if isinstance(cond, Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all "
            "elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error(
            "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
            "enhancement request to PyTorch.)"
        )
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error(str(message()))


def _checker(error: type[Exception]) -> Callable:
    def check(cond: Any, message: Callable[[], str] | None = None) -> None:
        _check_with(error, cond, message)

    check.__doc__ = f"{error.__name__} unless `cond`."
    return check


_check, _check_index, _check_value, _check_type, _check_not_implemented = map(
    _checker, (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError)
)


def _check_is_size(i: Any, message: Callable[[], str] | None = None, *, max: Any = None) -> None:
    """RuntimeError for a negative number."""
    _check(i >= 0, message)


def _check_tensor_all(cond: Tensor, message: Callable[[], str] | None = None) -> None:
    """RuntimeError unless all elements of a tensor are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype.name != "bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(RuntimeError, bool(cond.all().item()), message)


def _assert(condition: Any, message: str) -> Any:
    """AssertionError unless `condition`."""
    if type(condition) is not Tensor and hasattr(type(condition), "__torch_function__"):
        return handle_torch_function(_assert, (condition,), condition, message)
    assert condition, message
    return None


_assert.__module__ = "torch"
