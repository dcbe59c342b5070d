"""Guards: what a call must be like for a program to be its own, as lines of the program's source.

They look at all that a function reads: arguments, globals, variables of functions around, and those of functions that it calls.
What decides nothing but itself is compared by identity, constants by type and value, tensors by type, dtype, shape and strides.
"""

from __future__ import annotations

from math import copysign
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ...engine.arrays import door
from ...engine.arrays.backend import on_gpu
from ...engine.arrays.dtype import dtype as DType
from ...engine.arrays.state import state
from ...engine.tensors.tensor import Tensor
from ...sandbox.namespace import Namespace
from ..nn.parameter import Parameter
from .names import BUILTINS, known
from .reading import CONSTANTS, Refused, globals_of
from .recording import ORIGINALS
from .writing import Writer

OTHER: Any = type("Other", (), {"__repr__": lambda self: "<other>"})()
"""What a program gives for a call that is not its own."""
PACKAGE = __name__.partition(".")[0]
MOST = 1000
"""So many lines of guards at most: a call passes them all."""
SETTINGS = ("default_dtype", "default_device", "deterministic", "matmul_precision")


class Guards:
    """The guards of a call, and the tensors that they find: v0, v1, ... of the program."""

    def __init__(self, writer: Writer, args: tuple, kwargs: dict) -> None:
        self.writer = writer
        self.tensors: list[Any] = []
        self.tracked: set[int] = set()
        """The numbers of tensors that have a node, while gradients are recorded."""
        self.numbers: dict[int, str] = {}
        self.functions: set[int] = set()
        self.count = 0
        told = [f"state.{name} is not {writer.name(getattr(state, name))}" for name in SETTINGS]
        self.unless(
            "asked or casting or placing or state.inference or state.dual or state.places or " + " or ".join(told)
        )
        if kwargs:
            self.unless(f"tuple(kwargs) != {writer.name(tuple(kwargs))}")
        else:
            self.unless("kwargs")
        self.elements("args", args)
        for name, value in kwargs.items():
            self.value(f"kwargs[{writer.name(name)}]", value)

    def unless(self, condition: str) -> None:
        """A call for which a condition holds is another's. Raises Refused where there are too many to look at."""
        if len(self.writer.lines) > MOST:
            raise Refused
        self.writer.lines.append(f"    if {condition}: return OTHER")

    def variable(self, source: str) -> str:
        """A variable with the value of an expression."""
        self.count += 1
        self.writer.lines.append(f"    g{self.count} = {source}")
        return f"g{self.count}"

    def elements(self, source: str, values: Any) -> None:
        """Guard the elements of a tuple or list."""
        self.unless(f"len({source}) != {len(values)}")
        for k, each in enumerate(values):
            self.value(f"{source}[{k}]", each)

    def value(self, source: str, value: Any) -> None:
        """Guard a value that an expression gives. Raises Refused where more than can be told decides what is done with it."""
        kind, writer = type(value), self.writer
        if kind is Tensor or kind is Parameter:
            self.tensor(source, value)
        elif value is None or kind is bool or value is ...:
            self.unless(f"{source} is not {value!r}")
        elif kind in CONSTANTS:
            at = self.variable(source)
            sign = f" or copysign(1.0, {at}) != {copysign(1.0, value)}" if kind is float and value == 0 else ""
            self.unless(f"type({at}) is not {kind.__name__} or {at} != {writer.name(value)}{sign}")
        elif kind is tuple or kind is list:
            at = self.variable(source)
            self.unless(f"type({at}) is not {kind.__name__}")
            self.elements(at, value)
        elif id(value) in known() or id(value) in BUILTINS or isinstance(value, Namespace | ModuleType | DType):
            self.unless(f"{source} is not {writer.name(value)}")
        elif kind is FunctionType:
            self.unless(f"{source} is not {writer.name(value)}")
            self.function(value)
        else:
            raise Refused

    def tensor(self, source: str, tensor: Any) -> None:
        """Guard a tensor: type, dtype, shape and strides, and that it wants no gradient; one that was met, that it is that one."""
        met = self.numbers.get(id(tensor))
        if met is not None:
            return self.unless(f"{source} is not {met}")
        array, writer = tensor._array, self.writer
        if (type(array) is not np.ndarray and not on_gpu(array)) or tensor._inference:
            raise Refused
        wants = tensor._node is not None and state.grad_enabled
        at = self.numbers[id(tensor)] = f"v{len(self.tensors)}"
        if wants:
            self.tracked.add(len(self.tensors))
        self.tensors.append(tensor)
        writer.lines.append(f"    {at} = {source}")
        self.unless(
            f"type({at}) is not {writer.name(type(tensor))} or {at}._inference or ({at}._node is not None and state.grad_enabled) is not {wants}"
        )
        writer.lines.append(f"    array = {at}._array")
        self.unless(
            f"type(array) is not {writer.name(type(array))} or array.dtype is not {writer.name(array.dtype)} or array.shape != {array.shape}"
            f" or array.strides != {array.strides}"
        )

    def function(self, function: Any) -> None:
        """Guard a function of a program: its code and all that it reads."""
        if id(function) in self.functions:
            return
        self.functions.add(id(function))
        original, writer = ORIGINALS.get(function, function), self.writer
        if str(original.__globals__.get("__package__")).partition(".")[0] == PACKAGE:
            raise Refused  # a function of this library in Python, which knows more of tensors than a recording does
        name = writer.name(original)
        self.unless(f"{name}.__code__ is not {writer.name(original.__code__)}")
        scope, builtins = original.__globals__, original.__builtins__
        for read in globals_of(original.__code__):
            key = writer.name(read)
            if read in scope:
                self.value(f"{writer.name(scope)}[{key}]", scope[read])
            elif read in builtins:
                self.unless(f"{key} in {writer.name(scope)}")
                self.value(f"{writer.name(builtins)}[{key}]", builtins[read])
            else:
                raise Refused
        for cell in original.__closure__ or ():
            self.value(f"{writer.name(cell)}.cell_contents", cell.cell_contents)
        for kind in ("__defaults__", "__kwdefaults__"):
            value = getattr(original, kind)
            if isinstance(value, dict):
                self.unless(f"tuple({name}.{kind}) != {writer.name(tuple(value))}")
                for each in value:
                    self.value(f"{name}.{kind}[{writer.name(each)}]", value[each])
            else:
                self.value(f"{name}.{kind}", value)

    def attributes(self, read: list[tuple[Any, str, Any]]) -> None:
        """Guard the attributes of modules that were read: module, name, value."""
        for module, name, value in {(id(module), name): (module, name, value) for module, name, value in read}.values():
            self.unless(f"{self.writer.name(module)}.{name} is not {self.writer.name(value)}")


def given() -> dict[str, Any]:
    """What the source of guards names."""
    return {
        "OTHER": OTHER, "state": state, "asked": door.asked, "casting": door.casting, "placing": door.placing, "copysign": copysign,
        "ndarray": np.ndarray, "type": type, "len": len, "tuple": tuple, "list": list, "int": int, "float": float, "str": str,
    }  # fmt: skip
