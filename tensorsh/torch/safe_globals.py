"""What a file may name with ``weights_only=True`` in plain Python: tensors, containers, and what the program called safe.

`add_safe_globals` takes classes and functions, or pairs of one and its full name. A file makes instances of such a class, calls it
and gives its instances their state as Python's pickle does; nothing else of a file is called.
"""

from __future__ import annotations

import _compat_pickle
from collections.abc import Callable
from typing import Any

from ..engine.tensors.tensor import Tensor
from .makers import BLOCKED as WHY_BLOCKED
from .makers import OWN, REFUSED, Maker, UnpicklingError
from .nn.parameter import Parameter
from .objects import safe_classes
from .rebuilding import _rebuild_from_type_v2, _rebuild_parameter_with_state

BLOCKED = frozenset("sys os posix nt".split())
"""Modules that are never safe, whatever a program says."""


def mapping(*parts: Any) -> dict:
    return dict(*parts)


def nested(*parts: Any) -> Tensor:
    from .nested_strided_rules import _rebuild_nested_tensor  # what functions do with it is loaded as well

    return _rebuild_nested_tensor(*parts)


class Allowed(dict):
    """The names of tensors and containers, and those that the program called safe."""

    def __init__(self, plain: dict) -> None:
        super().__init__(plain)
        self |= {
            ("__builtin__", "dict"): Maker(mapping),
            ("builtins", "dict"): Maker(mapping),
            ("torch", "Tensor"): Tensor,
            ("torch._tensor", "_rebuild_from_type_v2"): Maker(self.derived),
            ("torch._utils", "_rebuild_parameter_with_state"): Maker(self.parameter),
            ("torch.nn.parameter", "Parameter"): Parameter,
            ("torch._utils", "_rebuild_nested_tensor"): Maker(nested),
        }
        self.safe: dict[str, Any] = dict(OWN)
        for each in safe_classes():
            if isinstance(each, tuple):
                value, name = each
            else:
                value, name = each, f"{each.__module__}.{getattr(each, '__qualname__', each.__class__.__name__)}"
            self.safe[name] = value

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(key)
        if found is not None:
            return found
        module, name = _compat_pickle.NAME_MAPPING.get(key, key)
        module = _compat_pickle.IMPORT_MAPPING.get(module, module)
        whole = f"{module}.{name}"
        if module.partition(".")[0] in BLOCKED:
            raise UnpicklingError(REFUSED.replace("{why}", WHY_BLOCKED.format(name=whole, module=module)))
        if module == "torch.nested._internal.nested_tensor":
            from .nested_jagged_rules import NestedTensor, _rebuild_njt

            self.safe |= {f"{module}.NestedTensor": NestedTensor, f"{module}._rebuild_njt": _rebuild_njt}
        return self.safe.get(whole, default)

    def is_safe(self, value: Any) -> bool:
        """Whether the program called a class or function safe."""
        return any(value is each for each in self.safe.values())

    def callable(self, function: Any) -> bool:
        return function is Tensor or function is Parameter or self.is_safe(function)

    def make(self, kind: Any, arguments: tuple) -> Any:
        """An instance of a safe class, without its constructor."""
        if kind is Parameter or self.is_safe(kind):
            return kind.__new__(kind, *arguments)
        raise UnpicklingError(f"Trying to create new object for unrecognized class {kind}")

    def fill(self, target: Any, state: Any) -> bool:
        """Give an instance of a safe class its state; whether the target is one."""
        if not self.is_safe(type(target)):
            return False
        if hasattr(target, "__setstate__") and not isinstance(target, Tensor):
            target.__setstate__(state)
            return True
        own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
        if own:
            target.__dict__.update(own)
        for name, value in (slots or {}).items():
            setattr(target, name, value)
        return True

    def derived(self, function: Callable, kind: Any, arguments: tuple, state: Any) -> Any:
        """A tensor of a safe class, or with attributes."""
        function = function._made if isinstance(function, Maker) else function
        if not any(getattr(each, "_made", each) is function for each in self.values()) and not self.is_safe(function):
            raise UnpicklingError(f"Trying to call what is no allowed function: {function}")
        if kind is not Tensor and kind is not Parameter and not self.is_safe(kind):
            raise UnpicklingError(f"Trying to make an instance of what is no allowed class: {kind}")
        if self.is_safe(kind) and kind.__dict__.get("__setstate__") is not None:
            return _rebuild_from_type_v2(function, kind, arguments, state)
        parts = state if type(state) is tuple and len(state) == 2 else (state,)
        return _rebuild_from_type_v2(function, kind, arguments, tuple(plain(part) for part in parts if part))

    def parameter(self, data: Tensor, requires_grad: bool, hooks: Any, state: Any) -> Any:
        """A parameter with attributes."""
        return _rebuild_parameter_with_state(data, requires_grad, hooks, plain(state))


def plain(state: Any) -> dict:
    """Attributes that a file may set."""
    if type(state) is not dict or any(type(name) is not str or name[:2] == "__" for name in state):
        raise UnpicklingError("damaged file: attributes of unknown form")
    return state
