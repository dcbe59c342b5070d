"""A compiled function: programs of a function's operators, each for the types, shapes and values that steered the recording.

There is none for tensors that want a gradient, for objects and dicts, or while somebody has a say in calls: the function runs as it
stands. So it does, too, where a program fails, and says what its line says.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ...engine.arrays import door
from ...engine.arrays.state import state
from ...engine.graph.fields import fresh
from ...engine.tensors.tensor import Tensor
from ...sandbox.wrapping import wraps
from .guards import OTHER, Guards, given
from .program import write
from .reading import Refused, globals_of
from .recording import ORIGINALS, Listed, Recording
from .writing import Writer

EAGER: Any = type("Eager", (), {"__repr__": lambda self: "<eager>"})()
"""What a program gives for calls that are known to have none."""
MOST = 8
"""So many descriptions of calls have a program; calls of others run as they stand."""


class Programs:
    """A function's programs, each with the guards that say which calls are its own."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.known: list[Callable] = []
        self.refused = 0

    def other(self, args: tuple, kwargs: dict) -> Any:
        """The answer to a call that no program knows; the next of its kind may have one. Calls that can have none are looked at
        ever more seldom."""
        result = self.function(*args, **kwargs)
        if len(self.known) < MOST and not self.refused & (self.refused - 1):
            self.learn(args, kwargs, result)
        else:
            self.refused += 1
        return result

    def learn(self, args: tuple, kwargs: dict, result: Any) -> None:
        """Add a program for calls like one that gave a result; one that says that they have none, where they cannot."""
        if door.asked or door.casting or door.placing or state.inference or state.dual or state.places:
            return
        writer = Writer()
        try:
            guards = Guards(writer, args, kwargs)
            guards.function(self.function)
        except Exception:  # also of a variable that has no value yet, of a list within itself
            self.refused += 1
            return
        guarded = len(writer.lines)
        names = {**given(), "wrap": fresh, "EAGER": EAGER}
        try:
            recording = Recording(guards.tensors)
            function = recording.function(self.function)
            found = function(
                *[recording.present(each) for each in args],
                **{name: recording.present(each) for name, each in kwargs.items()},
            )
            tree = recording.placed(found, [])
            if not recording.failed and not has_list(found):
                guards.attributes(recording.read)
                if write(writer, len(guards.tensors), recording.nodes, tree):
                    program = writer.compiled(names)
                    if alike(program(args, kwargs), result):
                        self.known.append(program)
                        return
        except Exception:
            pass  # the function's own Python goes on
        writer.lines[guarded:] = ["    return EAGER"]
        self.known.append(writer.compiled(names))


def has_list(value: Any) -> bool:
    """Whether a list that a function reads is in its result, which is to be that list."""
    if type(value) is dict:
        return any(map(has_list, value.values()))
    return type(value) is Listed or type(value) in (tuple, list) and any(map(has_list, value))


def alike(a: Any, b: Any) -> bool:
    """Whether two results are the same to the bit."""
    if type(a) is not type(b):
        return False
    if type(a) is Tensor:
        x, y = a._array, b._array
        if a._node is not None or b._node is not None or (a._root is None) != (b._root is None):
            return False
        if (x.dtype, x.shape, x.strides) != (y.dtype, y.shape, y.strides):
            return False
        x, y = np.ascontiguousarray(x).reshape(-1), np.ascontiguousarray(y).reshape(-1)
        return bool((x.view(np.uint8) == y.view(np.uint8)).all())
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if type(a) is dict:
        return list(a) == list(b) and all(map(alike, a.values(), b.values()))
    return a is b or bool(a == b)


def compiled(function: FunctionType) -> Any:
    """A function that gives what another gives, by programs of its operators where it can; the other itself, where its Python
    does more than compute."""
    try:
        globals_of(function.__code__)
    except Refused:
        return function
    programs = Programs(function)
    known = programs.known

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for program in known:
            try:
                result = program(args, kwargs)
            except Exception:
                return function(*args, **kwargs)  # which has the words
            if result is EAGER:
                return function(*args, **kwargs)
            if result is not OTHER:
                return result
        return programs.other(args, kwargs)

    ORIGINALS[call] = function
    return call
