"""Tuples, lists and dicts of values, within one another: what is in them, and the same with something else in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.tensors.tensor import Tensor


def values_in(value: Any) -> list:
    """The values in containers, in their order; what is no container is one itself."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return [value]
    return [found for each in value for found in values_in(each)]


def tensors_in(value: Any) -> list:
    """The tensors in containers."""
    return [each for each in values_in(value) if isinstance(each, Tensor)]


def tracked(value: Any) -> bool:
    """Whether a tensor in containers has a history."""
    return any(each._node is not None for each in tensors_in(value))


def mapped(function: Callable, value: Any) -> Any:
    """Containers of the same classes, with a function of each value in them."""
    if isinstance(value, dict):
        return type(value)((key, mapped(function, each)) for key, each in value.items())
    if isinstance(value, (list, tuple)):
        made = [mapped(function, each) for each in value]
        return type(value)._make(made) if hasattr(value, "_make") else type(value)(made)  # type: ignore[attr-defined]
    return function(value)


def cast(value: Any, wanted: Any, but: Any = None) -> Any:
    """Containers whose floating-point tensors are of another dtype, all but those of one."""

    def given(each: Any) -> Any:
        lower = isinstance(each, Tensor) and each.dtype.is_floating_point and each.dtype is not but
        return each.to(wanted) if lower else each

    return mapped(given, value)
