"""Watches on each operation that a program calls: its operands before, its result after.

A watch stands at the door of operators, where a profiler stands (`engine/operators/hooks.py`), so a program that nobody
watches pays nothing. An operation is a call of a public function by the program itself, or by a layer of `torch.nn`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ..sandbox.sealed import Sealed

LAYERS = "tensorsh.torch.nn.modules."
"""Where the modules stand whose calls of operators are a program's own."""
BETWEEN = ("tensorsh.engine.", "tensorsh.tools.")
"""Where the functions stand between a call and its watch."""


class Watch(metaclass=Sealed):
    """A context in which `before(call)` and `after(call, result)` are called for each operation."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables
        self._previous: list[Any] = []

    def __enter__(self) -> Watch:
        from ..engine.arrays.state import here
        from ..engine.operators.hooks import attend

        attend()
        self._previous.append(here.profile)
        here.profile = self
        here.settle()
        return self

    def __exit__(self, *exception: object) -> None:
        from ..engine.arrays.state import here

        here.profile = self._previous.pop()
        here.settle()

    def begun(self, name: str, args: tuple, kwargs: dict, function: Any) -> Callable | None:
        """A function is called; what is to be given its result."""
        outer = self._previous[-1] and self._previous[-1].begun(name, args, kwargs, function)
        if not self._is_own(sys._getframe(1)):
            return outer or None
        call = Call(name, args, kwargs, function)
        self.before(call)

        def ended(result: Any) -> None:
            if outer:
                outer(result)
            if result is not None:
                self.after(call, result)

        return ended

    def before(self, call: Call) -> None:
        """A call begins."""

    def after(self, call: Call, result: Any) -> None:
        """A call gave its result; what is raised here is raised there."""

    def _is_own(self, frame: FrameType | None) -> bool:
        """Whether the function was called by the program, or by a layer."""
        while frame is not None and frame.f_globals.get("__name__", "").startswith(BETWEEN):
            frame = frame.f_back
        if frame is None:
            return False
        name = frame.f_globals.get("__name__", "")
        return frame.f_globals is self.variables or name.startswith(LAYERS) and frame.f_code.co_name == "forward"


class Call(metaclass=Sealed):
    """One call of an operation: its operands, by the names of the parameters, and the notes of who watches."""

    __slots__ = ("operands", "name", "note")

    def __init__(self, name: str, args: tuple, kwargs: dict, function: Any) -> None:
        from ..engine.operators.hooks import SYMBOLS

        self.note: Any = None
        operator = getattr(function, "_operator", None)
        self.name = getattr(operator, "name", None) or SYMBOLS.get(name, name).strip("_")
        parameters = getattr(operator, "params", None) or _parameters(function)
        self.operands: dict[str, Any] = {
            parameters[at] if at < len(parameters) else f"args[{at}]": value for at, value in enumerate(args)
        } | kwargs

    def tensors(self) -> dict[str, Any]:
        """The operands that are tensors, also those in lists."""
        found = {}
        for name, value in self.operands.items():
            if _is_tensor(value):
                found[name] = value
            elif type(value) in (list, tuple):
                found |= {f"{name}[{i}]": v for i, v in enumerate(value) if _is_tensor(v)}
        return found


def _is_tensor(value: Any) -> bool:
    """Whether a value has the fields of a tensor; the class itself has them, too."""
    return hasattr(value, "_array") and hasattr(value, "_node") and not isinstance(value, type)


def _parameters(function: Any) -> tuple[str, ...]:
    """The names of the parameters of a function in Python."""
    code = getattr(getattr(getattr(function, "__wrapped__", None), "source", function), "__code__", None)
    return () if code is None else code.co_varnames[: code.co_argcount]
