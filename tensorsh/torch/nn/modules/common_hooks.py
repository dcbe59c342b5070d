"""Hooks of all modules: their tables, by the names that PyTorch keeps them under, and those that see parts being entered."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ....engine.arrays.state import state
from ....sandbox.namespace import Linked


def as_hooks_want(module: Any, kind: str, name: str, value: Any) -> Any:
    """What hooks of all modules make of a part that is to be entered."""
    for hook in list(state.__dict__.get("module_hooks", {}).get(kind, {}).values()):
        answer = hook(module, name, value)
        value = value if answer is None else answer
    return value


def _of_all(kind: str) -> Linked:
    """The table of hooks of all modules, which programs may replace."""

    def get() -> Any:
        return state.__dict__.setdefault("module_hooks", {}).setdefault(kind, OrderedDict())

    def set(value: Any) -> None:
        state.__dict__.setdefault("module_hooks", {})[kind] = value

    return Linked(get, set)


SWITCHES = {
    "_global_backward_pre_hooks": _of_all("_backward_pre_hooks"), "_global_backward_hooks": _of_all("_backward_hooks"),
    "_global_forward_pre_hooks": _of_all("_forward_pre_hooks"), "_global_forward_hooks": _of_all("_forward_hooks"),
    "_global_forward_hooks_always_called": _of_all("_forward_hooks_always_called"),
    "_global_forward_hooks_with_kwargs": _of_all("_forward_hooks_with_kwargs"),
    "_global_module_registration_hooks": _of_all("_module_registration_hooks"),
    "_global_parameter_registration_hooks": _of_all("_parameter_registration_hooks"),
    "_global_buffer_registration_hooks": _of_all("_buffer_registration_hooks"), "_global_is_full_backward_hook": Linked(
        lambda: state.__dict__.get("module_hooks_full"), lambda on: state.__dict__.__setitem__("module_hooks_full", on)
    ),
}  # fmt: skip
"""Hooks of all modules, by the names that PyTorch keeps them under."""
