"""Watches on each operation that a program calls: its operands before, its result after.

It rests on Python's profile function, so that the engine needs no hook and a program that nobody watches pays nothing.
An operation is a call of one of the library's functions by the program itself, or by a layer of `torch.nn`.
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

from ..sandbox.sealed import Sealed

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
OPERATIONS = (PACKAGE + "engine" + os.sep, PACKAGE + "torch" + os.sep)
STEPS = ("_step", "general")
"""Names of the functions by which nodes give their gradients."""
LAYERS = os.path.join(PACKAGE, "torch", "nn", "modules") + os.sep


class Watch(metaclass=Sealed):
    """A context in which `before(operands)` and `after(call, result)` are called for each operation."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables
        self._calls: dict[FrameType, Call] = {}
        self._kinds: dict[Any, bool] = {}
        self._previous: list[Any] = []

    def __enter__(self) -> Watch:
        self._previous.append(sys.getprofile())
        sys.setprofile(self._both if self._previous[-1] else self._event)
        return self

    def _both(self, frame: FrameType, event: str, argument: Any) -> None:
        """For a watch within another one."""
        self._previous[-1](frame, event, argument)
        self._event(frame, event, argument)

    def __exit__(self, *exception: object) -> None:
        sys.setprofile(self._previous[-1])  # a call that is still watched itself
        self._previous.pop()
        self._calls.clear()

    def before(self, call: Call) -> None:
        """A call begins."""

    def after(self, call: Call, result: Any) -> None:
        """A call gave its result; what is raised here is raised there."""

    def inner(self, frame: FrameType, result: Any) -> None:
        """Another of the library's functions returned."""

    def _event(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            caller = frame.f_back
            if caller is None or not self._is_operation(frame.f_code):
                return
            if caller.f_globals is self.variables or self._is_layer(caller.f_code):
                call = Call(frame)
                self.before(call)
                self._calls[frame] = call
        elif event == "return":
            call = self._calls.pop(frame, None)  # type: ignore[arg-type]
            if call is not None:
                if argument is not None:
                    self.after(call, argument)
            elif frame.f_code.co_name in STEPS:
                self.inner(frame, argument)

    def _is_operation(self, code: Any) -> bool:
        found = self._kinds.get(code)
        if found is None:
            found = self._kinds[code] = code.co_filename.startswith(OPERATIONS)
        return found

    def _is_layer(self, code: Any) -> bool:
        return code.co_filename.startswith(LAYERS) and code.co_name == "forward"


class Call(metaclass=Sealed):
    """One call of an operation: its operands, by the names of the parameters, and the notes of who watches."""

    __slots__ = ("operands", "frame", "note")

    def __init__(self, frame: FrameType) -> None:
        self.frame = frame
        self.note: Any = None
        code, values = frame.f_code, frame.f_locals
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        if code.co_flags & 4:
            names.append(code.co_varnames[count])
        if code.co_flags & 8:
            names.append(code.co_varnames[count + bool(code.co_flags & 4)])
        self.operands: dict[str, Any] = {}
        for name in names:
            value = values.get(name)
            if name in ("args", "rest") and type(value) is tuple:
                self.operands |= {f"{name}[{i}]": each for i, each in enumerate(value)}
            elif name in ("kwargs", "keywords") and type(value) is dict:
                self.operands |= value
            else:
                self.operands[name] = value
        self._named()

    def _named(self) -> None:
        """Operands of a general call by the names that the operator's parameters have."""
        operator = self.operator()
        parameters = getattr(operator, "params", None)
        if parameters is not None:
            self.operands = {
                (
                    parameters[int(name[5:-1])]
                    if name.startswith("args[") and int(name[5:-1]) < len(parameters)
                    else name
                ): v
                for name, v in self.operands.items()
            }

    def operator(self) -> Any:
        """The operator's record, found among what the called function holds."""
        held = self.frame.f_locals
        inner = getattr(held.get("function"), "__closure__", None) or ()  # of a function that only asks before another
        for value in (*held.values(), *[cell.cell_contents for cell in inner]):
            owner = value if hasattr(value, "kernel") else getattr(value, "__self__", None)
            owner = getattr(owner, "executor", owner)  # of a Python operator
            if hasattr(owner, "kernel") and hasattr(owner, "names"):
                return owner
        return None

    def name(self) -> str:
        """The operation's name as the program knows it."""
        operator = self.operator()
        if operator is not None:
            return str(operator.name)
        name = self.frame.f_locals.get("title") or self.frame.f_code.co_qualname
        if "<locals>" in name:  # a method made for one name, which it holds
            from ..engine.operators.hooks import SYMBOLS

            held = self.frame.f_locals.get("name")
            return SYMBOLS.get(held, held.strip("_")) if isinstance(held, str) else "the operation"
        return name.rpartition(".")[2]

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
