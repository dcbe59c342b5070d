"""What stands for modules and optimizers while a function is recorded: a module's attributes are read, its `forward` is recorded;
what an optimizer does is an effect, which every call has."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import FunctionType
from typing import Any

from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import MARK
from ..nn.modules.module import Module
from ..nn.modules.registry import held
from ..nn.reach import Functions
from ..nn.utils import clip_grad
from ..optim.lr_scheduler import LRScheduler
from ..optim.optimizer import Optimizer
from .reading import Refused
from .slots import Slot

PACKAGE = __name__.partition(".")[0]
EFFECTS = frozenset("step zero_grad".split())
"""Methods of optimizers, schedules and modules that change what a function shares with others."""


def is_own(function: Any) -> bool:
    """Whether a function is one of this library."""
    return str(function.__globals__.get("__package__")).partition(".")[0] == PACKAGE


def is_usual(module: Any) -> bool:
    """Whether a module is called, and its attributes are read, as `nn.Module` has it."""
    kind = type(module)
    plain = all(
        getattr(kind, name, None) is getattr(Module, name, None)
        for name in ("__call__", "__getattr__", "__getattribute__")
    )
    return (
        plain and type(kind.__dict__.get("forward", kind.forward)) is FunctionType and "_parameters" in module.__dict__
    )


def is_active(value: Any) -> bool:
    """Whether a value is an optimizer or a schedule of this library."""
    return isinstance(value, Optimizer | LRScheduler) and type(value).__module__.startswith("torch.optim")


class Refusing:
    """What can be used in no other way than its class says."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def _refuse(self, *_: Any) -> Any:
        raise self._recording.refused()  # type: ignore[attr-defined]

    __bool__ = __str__ = __repr__ = __format__ = __eq__ = __ne__ = __contains__ = __setitem__ = _refuse


class ModuleStand(Refusing):
    """What stands for a module."""

    __slots__ = ("_module", "_recording")

    def __init__(self, recording: Any, module: Any) -> None:
        self._recording, self._module = recording, module

    def __getattr__(self, name: str) -> Any:
        recording, module = self._recording, self._module
        own = held(module)
        if name == "_modules":
            return {key: recording.present(child) for key, child in own["_modules"].items()}
        if name in own and name[:2] != "__":
            value = own[name]
            if not isinstance(value, Tensor | Module):
                recording.read.append((module, name, value))
            return recording.present(value)
        if name == "parameters" and getattr(type(module), name) is Module.parameters:
            return partial(Parameters, module)
        if name == "zero_grad" and getattr(type(module), name) is Module.zero_grad:
            return Effect(recording, name, module.zero_grad)
        for kind in type(module).__mro__:
            if name in kind.__dict__:
                value = kind.__dict__[name]
                recording.read.append((type(module), name, getattr(type(module), name)))
                recording.absent.append((module, name))
                if type(value) is FunctionType and kind is not Module:
                    return Method(recording, recording.function(value), self)
                if type(value) in (int, float, bool, str, tuple):
                    return recording.present(value)
                if isinstance(value, property) and is_own(value.fget):
                    return recording.function(value.fget)(self)
                break
        raise recording.refused()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._module._hooked:
            raise self._recording.refused()
        return ModuleStand.__getattr__(self, "forward")(*args, **kwargs)

    def children(self) -> list:
        """The stand-ins of the modules of a list or a sequence."""
        if type(self._module).__name__ not in ("Sequential", "ModuleList") or not type(
            self._module
        ).__module__.startswith("torch.nn"):
            raise self._recording.refused()
        return list(ModuleStand.__getattr__(self, "_modules").values())

    def __iter__(self) -> Iterator:
        return iter(self.children())

    def __len__(self) -> int:
        return len(self.children())

    def __getitem__(self, at: Any) -> Any:
        if type(at) is not int:
            raise self._recording.refused()
        return self.children()[at]


class Method(Refusing):
    """A method of a module that is recorded."""

    __slots__ = ("_function", "_recording", "_self")

    def __init__(self, recording: Any, function: Any, own: Any) -> None:
        self._recording, self._function, self._self = recording, function, own

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(self._self, *args, **kwargs)


class Active(Refusing):
    """What stands for an optimizer or a schedule."""

    __slots__ = ("_recording", "_value")

    def __init__(self, recording: Any, value: Any) -> None:
        self._recording, self._value = recording, value

    def __getattr__(self, name: str) -> Any:
        if name not in EFFECTS:
            raise self._recording.refused()
        return Effect(self._recording, name, getattr(self._value, name))


class Effect(Refusing):
    """A function that is called each time, with what it is given."""

    __slots__ = ("_function", "_name", "_recording")

    def __init__(self, recording: Any, name: str, function: Any) -> None:
        self._recording, self._name, self._function = recording, name, function

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self._recording.effect(self._name, self._function, args, kwargs)


class Parameters(Refusing):
    """A module's parameters, which an effect reads when it is called."""

    __slots__ = ("_module",)

    def __init__(self, module: Any) -> None:
        self._module = module


def on_parameters() -> dict[int, Any]:
    """The functions that change gradients of parameters, and are effects."""
    if not _on_parameters:
        found = [getattr(clip_grad, name) for name in ("clip_grad_norm_", "clip_grad_value_")]
        _on_parameters.update({id(each): each for each in found})
    return _on_parameters


_on_parameters: dict[int, Any] = {}


def of_parameters(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function gives, of modules' parameters as they are."""
    told = [each._module.parameters() if type(each) is Parameters else each for each in args]
    return function(*told, **kwargs)


class Without(Refusing):
    """A context in which no gradients are recorded."""

    __slots__ = ("_recording",)

    def __init__(self, recording: Any) -> None:
        self._recording = recording

    def __enter__(self) -> None:
        self._recording.paused += 1

    def __exit__(self, *_: Any) -> None:
        self._recording.paused -= 1


class Number(Refusing):
    """A number that a tensor is to give: known in a call, and not before."""

    __slots__ = ("_number", "_recording")

    def __init__(self, recording: Any, number: int) -> None:
        self._recording, self._number = recording, number


class Answering(Effect):
    """An effect whose result is known in a call, and not before."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recording = self._recording
        recording.count += 1
        made = Number(recording, recording.count - 1)
        recording.effect(self._name, self._function, args, kwargs, Slot(made._number))
        return made


GATES = (MARK, "<pure>", "<place>", "<view>", "<told>")
"""The names by which a program's bytecode asks the gate for attributes with an underscore."""


def gates(recording: Any, kind: type) -> dict[str, Any]:
    """What takes the gate's place: attributes with an underscore are read of modules alone. kind: what stands for tensors."""

    def place(value: Any) -> Any:
        raise recording.refused()

    def told(value: Any, name: str = "view") -> Any:
        return getattr(value, name) if type(value) is kind else place(value)

    return {
        MARK: partial(attribute, recording),
        "<pure>": lambda value: type(value) is ModuleStand,
        "<place>": place,
        "<view>": told,
        "<told>": told,
    }


def attribute(recording: Any, value: Any, name: str) -> Any:
    """``value._name``, as a program says it."""
    if type(value) is not ModuleStand:
        raise recording.refused()
    return ModuleStand.__getattr__(value, name)


__all__ = [
    "Active", "Effect", "Functions", "ModuleStand", "Number", "Refused", "attribute", "is_active", "is_own",
    "is_usual",
]  # fmt: skip
