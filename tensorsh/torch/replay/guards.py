"""Guards: what a call must be like for a program to be its own, as lines of the program's source.

They look at all that a function reads: arguments, globals, variables of functions around, and those of functions that it calls.
What decides nothing but itself is compared by identity, constants by type and value, tensors by type, dtype, shape and strides.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import copysign
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ...engine.arrays.backend import on_gpu
from ...engine.arrays.dtype import dtype as DType
from ...engine.arrays.extents import owner
from ...engine.arrays.state import here, state
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ...sandbox.namespace import Namespace
from ..nn.modules.module import Module
from ..nn.modules.registry import held, holds
from ..nn.parameter import Parameter
from .names import BUILTINS, known
from .objects import GATES, Functions, is_active, is_own, is_usual, on_parameters
from .reading import CONSTANTS, Refused, globals_of
from .recording import ORIGINALS
from .writing import Writer

OTHER: Any = type("Other", (), {"__repr__": lambda self: "<other>"})()
"""What a program gives for a call that is not its own."""
MOST = 10_000
"""So many lines of guards at most: a call passes them all."""
SETTINGS = ("default_dtype", "deterministic", "matmul_precision")


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
        told.append(f"here.default_device is not {writer.name(here.default_device)}")
        self.unless("here.door or hooked() or here.inference or state.dual or here.places or " + " or ".join(told))
        writer.lines.append("    recorded = here.grad_enabled")
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
        elif isinstance(value, Module):
            self.module(source, value)
        elif is_active(value) or value is no_grad or id(value) in on_parameters():
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
        wants = tensor._node is not None and here.grad_enabled
        at = self.numbers[id(tensor)] = f"v{len(self.tensors)}"
        if wants:
            self.tracked.add(len(self.tensors))
        self.tensors.append(tensor)
        writer.lines.append(f"    {at} = {source}")
        self.unless(
            f"type({at}) is not {writer.name(type(tensor))} or {at}._inference or "
            + (f"{at}._node is None or not recorded" if wants else f"{at}._node is not None and recorded")
        )
        writer.lines.append(f"    array = {at}._array")
        self.unless(
            f"type(array) is not {writer.name(type(array))} or array.dtype is not {writer.name(array.dtype)} or array.shape != {array.shape}"
            f" or array.strides != {array.strides}"
        )

    def apart(self, written: Iterable[int]) -> None:
        """Guard that no other tensor is on the memory of those that are written over. Raises Refused where one is."""
        owners = [owner(t._array) for t in self.tensors]
        for k in written:
            if any([each is owners[k] for j, each in enumerate(owners) if j != k]):
                raise Refused
            others = "".join([f"v{j}, " for j in range(len(owners)) if j != k])
            self.unless(f"meets(v{k}, ({others}))")

    def distinct(self) -> None:
        """Guard that no tensor is found twice that was not."""
        found = "".join([f"id(v{k}), " for k in range(len(self.tensors))])
        self.unless(f"len({{{found}}}) != {len(self.tensors)}")

    def module(self, source: str, module: Any) -> None:
        """Guard a module: that it is that one, its tensors, its modules, that it has no hooks. Raises Refused where it is unusual."""
        name = self.writer.name(module)
        self.unless(f"{source} is not {name}")
        if type(module).__name__ == "OptimizedModule" and holds(module, "_orig_mod"):
            self.unless(f"{name}._hooked")
            return self.module(f"{name}._orig_mod", module._orig_mod)
        if id(module) in self.functions:
            return
        self.functions.add(id(module))
        if not is_usual(module):
            raise Refused
        kind = self.writer.name(type(module))
        self.unless(
            f"type({name}) is not {kind} or {name}._hooked or {kind}.forward is not {self.writer.name(type(module).forward)}"
        )
        own = held(module)
        self.unless(f"len({name}._modules) != {len(own['_modules'])}")
        for key, child in own["_modules"].items():
            if child is not None:
                self.value(f"{name}._modules[{self.writer.name(key)}]", child)
        entry = self.writer.name(dict.__getitem__)
        for key, value in own.items():
            if type(value) in (Tensor, Parameter):
                self.tensor(f"{entry}({name}.__dict__, {self.writer.name(key)})", value)
        for base in type(module).__mro__:
            for called, value in base.__dict__.items():
                if type(value) is FunctionType and called[:2] != "__" and not is_own(value):
                    try:
                        globals_of(value.__code__)
                    except Refused:
                        continue
                    self.function(value)

    def function(self, function: Any) -> None:
        """Guard a function of a program: its code and all that it reads."""
        if id(function) in self.functions:
            return
        self.functions.add(id(function))
        original, writer = ORIGINALS.get(function, function), self.writer
        if is_own(original):
            raise Refused  # a function of this library in Python, which knows more of tensors than a recording does
        name = writer.name(original)
        self.unless(f"{name}.__code__ is not {writer.name(original.__code__)}")
        scope, builtins = original.__globals__, original.__builtins__
        for read in globals_of(original.__code__):
            key = writer.name(read)
            if read == "print" and read not in scope:
                self.unless(
                    f"{key} in {writer.name(scope)} or {writer.name(builtins)}[{key}] is not {writer.name(builtins[read])}"
                )
            elif read in GATES:
                continue
            elif read in scope:
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

    def attributes(self, read: list[tuple[Any, str, Any]], absent: list[tuple[Any, str]]) -> None:
        """Guard the attributes that were read: of a module, its name, its value; those that its class has for it."""
        before = len(self.tensors)
        for module, name, value in {(id(module), name): (module, name, value) for module, name, value in read}.values():
            if isinstance(module, Functions):
                continue
            if not name.isidentifier():  # which would be read as more than a name
                raise Refused
            source = f"{self.writer.name(module)}.{name}"
            if type(value) in (*CONSTANTS, list, tuple) or type(value) is FunctionType and not is_own(value):
                self.value(source, value)
            else:
                self.unless(f"{source} is not {self.writer.name(value)}")
        has = self.writer.name(dict.__contains__)
        for module, name in {(id(module), name): (module, name) for module, name in absent}.values():
            self.unless(f"{has}({self.writer.name(module)}.__dict__, {self.writer.name(name)})")
        if len(self.tensors) != before:
            raise Refused


def hooked() -> bool:
    """Whether any hook of all modules is there."""
    return any(state.__dict__.get("module_hooks", {}).values())


def meets(tensor: Any, others: tuple) -> bool:
    """Whether another tensor is on a tensor's memory."""
    own = owner(tensor._array)
    return any([owner(each._array) is own for each in others])


def given() -> dict[str, Any]:
    """What the source of guards names."""
    return {
        "hooked": hooked, "meets": meets, "OTHER": OTHER, "here": here, "state": state, "copysign": copysign, "id": id,
        "ndarray": np.ndarray, "type": type, "len": len, "tuple": tuple, "list": list, "int": int, "float": float, "str": str,
    }  # fmt: skip
