"""A recording of a function's operators: it runs once on stand-ins of its tensors, which tell each operator that they meet.

A stand-in has a tensor of the call under way, computes with it, and answers what shapes and dtypes decide. Whatever asks for
elements (`bool`, `item`, `print`) or hashes is refused, and so the function is left as it is. What is written over a tensor is
recorded as another tensor, which the stand-in is of from then on; a tensor of the call gets its values in the end.
"""

from __future__ import annotations

from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from ...engine.arrays.backend import on_gpu
from ...engine.arrays.device import device as Device
from ...engine.arrays.dtype import dtype as DType
from ...engine.arrays.extents import owner
from ...engine.operators.composite import Composite
from ...engine.operators.public_form import Method, Written
from ...engine.random.generator import default_generator
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.shape import Size
from ...engine.tensors.tensor import Tensor
from ...sandbox.namespace import Namespace
from ...sandbox.sealed import MARK
from ..nn.modules.module import Module as Network
from ..nn.modules.registry import holds
from . import library
from .errors import PRINT
from .names import BUILTINS, MAKING, allows, draws, known, written_by
from .objects import (
    GATES,
    Active,
    Answering,
    Effect,
    Functions,
    ModuleStand,
    Number,
    Parameters,
    Without,
    gates,
    is_active,
    is_own,
    is_usual,
    of_parameters,
    on_parameters,
)
from .over import in_place, on_copies, on_copy
from .reading import Refused, globals_of, plain
from .slots import Node, Slot, is_results
from .stands import Backward, Calling, Listed, Module, StandIn

ORIGINALS: WeakKeyDictionary[Any, FunctionType] = WeakKeyDictionary()
"""The functions that compiled functions were made of."""
WRITE = "copy_"
"""The name of the effect that writes over a tensor of the call."""
CHANGING = frozenset("backward step".split())
"""Effects after which tensors may be others."""
MOST = 20_000
"""So many operators are recorded at most."""


class Recording:
    """The operators that a function calls, in their order."""

    def __init__(self, tensors: list[Any], tracked: set[int] = frozenset()) -> None:  # type: ignore[assignment]
        """tensors: of the arguments and of what the function reads, each once. tracked: the numbers of those that want gradients."""
        self.nodes: list[Node] = []
        self.read: list[tuple[Any, str, Any]] = []
        """The attributes of modules that were read: module, name, value."""
        self.absent: list[tuple[Any, str]] = []
        """The attributes that modules have by their class alone."""
        self.effects: list[Node] = []
        """What every call does after the operators before it, in order: backward passes, steps of optimizers, what is printed."""
        self.broken: str | None = None
        """Why the function is not one graph to PyTorch's compiler."""
        self.drawn: Any = None
        """The generator's state before the first random numbers, if any were drawn."""
        self.changed = False
        """Whether parameters may have changed: what is computed from then on is an effect, too."""
        self.paused = 0
        """In how many contexts without gradients the function is."""
        self.leaves = {id(owner(tensors[k]._array)) for k in tracked}
        """The memory of tensors that want gradients."""
        self.constants = set(range(len(tensors))) - set(tracked)
        """The numbers of tensors that are known to want none."""
        self.late: set[int] = set()
        """The numbers of tensors that effects make."""
        self.compares = False
        """Whether something was decided by which tensors are one."""
        self.count = 0
        self.failed = False
        self.everyone: list[ref[StandIn]] = []
        self.inputs = len(tensors)
        self.written: dict[int, StandIn] = {}
        """The tensors that the function writes over, by their numbers: what has their values in the end."""
        self.stands = {id(tensor): self.stand(tensor) for tensor in tensors}
        self.functions: dict[int, Any] = {}

    def of_call(self, function: Any, args: tuple, kwargs: dict) -> Any:
        """The result of a call, a tree of slots and constants. Raises Refused where the call cannot be recorded."""
        named = {name: self.present(each) for name, each in kwargs.items()}
        made = self.present(function) if isinstance(function, Network) else self.function(function)
        try:
            found = made(*[self.present(each) for each in args], **named)
        finally:
            if self.drawn is not None:
                default_generator().set_state(self.drawn)
        if self.failed or has_list(found):
            raise Refused
        tree = self.placed(found, [])
        if self.failed:
            raise Refused
        for number, stand in self.written.items():
            self.effects.append(
                Node(WRITE, Tensor.copy_, (Slot(number), Slot(stand._number)), {}, Slot(stand._number), {})
            )
        return tree

    def refused(self) -> Refused:
        """The error of what cannot be recorded; whatever becomes of it, there is no recording."""
        self.failed = True
        return Refused()

    def stand(self, tensor: Any) -> StandIn:
        """A stand-in of a tensor, under the next number."""
        self.count += 1
        made = StandIn(self, tensor, self.count - 1)
        self.everyone.append(ref(made))
        return made

    def call(self, name: str, function: Any, args: tuple, kwargs: dict) -> Any:
        """The result of an operator on stand-ins, which is recorded."""
        if self.failed or len(self.nodes) >= MOST:
            raise self.refused()
        if (at := written_by(name, args, kwargs)) and type(function) is not partial:
            made, *copies = self.call(name, partial(on_copies, function, at), args, kwargs)
            for k, each in zip(at, copies, strict=True):
                self.write(args[k], each)
            return made
        found: list[StandIn] = []
        places = self.placed(args, found), {name: self.placed(each, found) for name, each in kwargs.items()}
        chosen = name == "__getitem__" and all([is_index(each._tensor) for each in found[1:]])
        if not chosen and not allows(name, args, kwargs, len(found), bool(args) and type(args[0]) is StandIn):
            raise self.refused()
        if self.paused and self.leaves:
            return self.without(name, function, args, kwargs)
        drawn = draws(name, args, kwargs)
        if self.drawn is None and drawn:
            self.drawn = default_generator().get_state()
        result = function(*opened(args), **{name: opened(each) for name, each in kwargs.items()})
        if not found and name not in MAKING:
            return plain(result)  # of math: a number
        for each in found:
            if result is each._tensor:
                return each
        likes = {each._number: likeness(each._tensor) for each in found}
        if type(result) is Tensor:
            made: Any = self.made(result, likes)
        elif type(result) is list or is_results(result):
            made = type(result)([self.made(each, likes) for each in result])
        else:
            raise self.refused()
        results = [made] if type(made) is StandIn else list(made)
        constant = self.is_constant(found, results, name)
        later = self.changed and (drawn or not constant)
        if later:
            self.late.update([each._number for each in results])
        (self.effects if later else self.nodes).append(Node(name, function, *places, self.placed(made, []), likes))
        if len(found) == 1 and args[0] is found[0]:
            step = name, function, args[1:], kwargs
            for at, each in enumerate(made if isinstance(made, (tuple, list)) else ()):
                each.of_view(found[0], step, at)
            if type(made) is StandIn:
                made.of_view(found[0], step, None)
        return made

    def without(self, name: str, function: Any, args: tuple, kwargs: dict) -> Any:
        """The result of an operator while no gradients are recorded: that of detached operands."""
        self.paused -= 1
        try:
            of: dict[int, StandIn] = {}
            args, kwargs = self.detached(args, of), {key: self.detached(each, of) for key, each in kwargs.items()}
            made = self.call(name, function, args, kwargs)
        finally:
            self.paused += 1
        return of.get(id(made), made)

    def detached(self, value: Any, of: dict[int, StandIn]) -> Any:
        """A tree of values with detached tensors; of: what each was."""
        if type(value) is StandIn:
            if value._number in self.constants:
                return value
            made = self.call("detach", Tensor.detach, (value,), {})
            of[id(made)] = value
            return made
        return type(value)([self.detached(each, of) for each in value]) if type(value) in SEQUENCES else value

    def is_constant(self, found: list[StandIn], results: list[StandIn], name: str) -> bool:
        """Whether results want no gradient, and a step of an optimizer changes none of the operands."""
        free = all([each._tensor._array.dtype.kind not in "fc" for each in results]) or name == "detach"
        if not free and not all([each._number in self.constants for each in found]):
            return False
        self.constants.update([each._number for each in results])
        memory = {id(owner(each._tensor._array)) for each in results}
        for each in found:
            place = id(owner(each._tensor._array))
            if each._number in self.late or place in self.leaves or place in memory:
                return False
        return True

    def write(self, stand: StandIn, made: StandIn, function: Any = None) -> StandIn:
        """Let a stand-in be of what is written over its tensor: it has another number from now on. Raises Refused where another
        tensor is on that memory."""
        before, memory = stand._tensor, owner(stand._tensor._array)
        self.everyone = [each for each in self.everyone if each() is not None and each() is not made]
        others = [each() for each in self.everyone if each() is not stand]
        views = [each for each in others if owner(each._tensor._array) is memory]
        alike = likeness(before) == likeness(made._tensor)
        wanting = self.paused and self.leaves and stand._number not in self.constants
        if not alike or wanting or self.changed or any([each._base is not stand for each in views]):
            raise self.refused()
        if stand._number < self.inputs:
            self.written[stand._number] = stand
        else:
            self.nodes[-1].over = function
        stand._tensor, stand._number = made._tensor, made._number
        for each in views:
            again = stand
            for (name, call, args, kwargs), at in each._path:
                again = self.call(name, call, (again, *args), kwargs)
                again = again if at is None else again[at]
            each._tensor, each._number = again._tensor, again._number
        return stand

    def write_part(self, stand: StandIn, name: str, *args: Any, **kwargs: Any) -> StandIn:
        """Write over a view, or a part of a tensor, by a method: over a copy of what the view is of, which takes its place."""
        base = stand if stand._base is None else stand._base
        function, path = getattr(Tensor, name), tuple([(call, *rest, at) for (_, call, *rest), at in stand._path])
        made = self.call(name, partial(on_copy, function, path), (base, *args), kwargs)
        self.write(base, made, partial(in_place, function, path))
        return stand

    def effect(self, name: str, function: Any, args: tuple, kwargs: dict, result: Any = None) -> None:
        """Add what a call does besides computing."""
        if self.failed or len(self.effects) >= MOST:
            raise self.refused()
        if type(function) is Backward:
            args, function = (function.stand, *args), Tensor.backward
        places = self.placed(args, []), {key: self.placed(each, []) for key, each in kwargs.items()}
        self.effects.append(Node(name, function, *places, result, {}))
        self.changed |= name in CHANGING
        if name == "print":
            self.broken = self.broken or PRINT

    def made(self, tensor: Any, likes: dict) -> StandIn:
        """The stand-in of a result."""
        if type(tensor) is not Tensor or (type(tensor._array) is not np.ndarray and not on_gpu(tensor._array)):
            raise self.refused()
        stand = self.stand(tensor)
        likes[stand._number] = likeness(tensor)
        return stand

    def placed(self, value: Any, found: list[StandIn]) -> Any:
        """A value with slots in place of stand-ins, which go to `found`."""
        if type(value) is StandIn:
            found.append(value)
            return Slot(value._number)
        if type(value) is Number:
            return Slot(value._number)
        if type(value) in SEQUENCES:
            return SEQUENCES[type(value)]([self.placed(each, found) for each in value])
        if is_results(value):
            return type(value)([self.placed(each, found) for each in value])
        if type(value) is dict:
            return {plain(name): self.placed(each, found) for name, each in value.items()}
        if type(value) is slice:
            plain((value.start, value.stop, value.step))
        elif not isinstance(value, DType | Device | Size | Parameters):
            try:
                plain(value)
            except Refused:
                raise self.refused() from None
        return value

    def present(self, value: Any) -> Any:
        """What stands for a value that a function reads."""
        stand = self.stands.get(id(value))
        if stand is not None:
            return stand
        if type(value) in (tuple, list):
            return (tuple if type(value) is tuple else Listed)([self.present(each) for each in value])
        if isinstance(value, Namespace | ModuleType | Functions):
            return Module(self, value)
        if type(value).__name__ == "OptimizedModule" and holds(value, "_orig_mod"):
            return self.present(value._orig_mod)
        if isinstance(value, Network) and is_usual(value):
            return ModuleStand(self, value)
        if is_active(value):
            return Active(self, value)
        if value is no_grad:
            return partial(Without, self)
        if id(value) in on_parameters():
            return Answering(self, value.__name__, partial(of_parameters, value))
        if id(value) in BUILTINS or isinstance(value, DType | Device):
            return value
        if id(value) in known():
            return Calling(self, *known()[id(value)])
        if type(value) in (Method, Written) and type(value._operator) is Composite:
            return self.of_library(value._operator.function)
        if type(value) is FunctionType and not is_own(ORIGINALS.get(value, value)):
            return self.function(value)
        try:
            return plain(value)
        except Refused:
            raise self.refused() from None

    def function(self, function: Any) -> Any:
        """A function of a program, which reads stand-ins of what it reads."""
        made = self.functions.get(id(function))
        if made is None:
            original = ORIGINALS.get(function, function)
            if is_own(original):
                return self.of_library(original)
            scope: dict[str, Any] = {}
            scope["__builtins__"] = gates(self, StandIn) if MARK in original.__builtins__ else {}
            cells = tuple([CellType() for _ in original.__closure__ or ()])
            made = FunctionType(original.__code__, scope, original.__name__, None, cells or None)
            self.functions[id(function)] = made
            for name in globals_of(original.__code__):
                if name in GATES:
                    continue
                if name == "print" and name not in original.__globals__:
                    scope[name] = Effect(self, name, original.__builtins__[name])
                else:
                    scope[name] = self.present(read_global(original, name))
            for cell, read in zip(cells, original.__closure__ or (), strict=True):
                cell.cell_contents = self.present(read.cell_contents)
            made.__defaults__ = tuple([self.present(each) for each in original.__defaults__ or ()]) or None
            made.__kwdefaults__ = {name: self.present(each) for name, each in (original.__kwdefaults__ or {}).items()}
        return made

    def of_library(self, original: Any) -> Any:
        """A function of this library, which runs on stand-ins as it stands."""
        scope: dict[str, Any] = {}
        made = FunctionType(original.__code__, scope, original.__name__, original.__defaults__, original.__closure__)
        self.functions[id(original)] = made
        try:
            self.compares |= "id" in globals_of(original.__code__)
        except Refused:
            self.compares = True
        made.__kwdefaults__ = original.__kwdefaults__
        own = original.__globals__
        scope |= {
            "__builtins__": library.builtins_of(self),
            "__name__": own["__name__"],
            "__package__": own["__package__"],
        }
        scope |= {name: library.read(self, own[name]) for name in library.names_of(original.__code__) if name in own}
        return made


SEQUENCES: dict[type, type] = {tuple: tuple, list: list, Listed: list}
"""What an operator is handed for each kind of sequence."""


def has_list(value: Any) -> bool:
    """Whether a list that a function reads is in its result, which is to be that list."""
    if type(value) is dict:
        return any(map(has_list, value.values()))
    return type(value) is Listed or type(value) in (tuple, list) and any(map(has_list, value))


def opened(value: Any) -> Any:
    """A value with tensors in place of stand-ins."""
    if type(value) is StandIn:
        return value._tensor
    if type(value) in SEQUENCES:
        return SEQUENCES[type(value)]([opened(each) for each in value])
    return value


def is_index(tensor: Any) -> bool:
    """Whether a tensor as an index decides which elements, and not how many, or where a view begins."""
    return tensor._array.ndim > 0 and tensor._array.dtype.kind == "i"


def likeness(tensor: Any) -> tuple:
    """dtype and shape of a tensor's array."""
    return tensor._array.dtype, tensor._array.shape


def read_global(function: Any, name: str) -> Any:
    """The value of a global as a function reads it. Raises Refused where there is none."""
    scope = function.__globals__
    if name in scope:
        return scope[name]
    if name in function.__builtins__:
        return function.__builtins__[name]
    raise Refused
