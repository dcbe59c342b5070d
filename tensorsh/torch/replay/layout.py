"""The layout of steps: which buffers share memory, and the programs and calls that run the steps."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from ...engine.arrays.extents import in_order, owner, strided
from ...engine.kernels import kernel
from .memory import CALLED, GIVEN, Called, Kernel, Loop, Memory, Value

PIECE = 2048
"""Elements that long loops take at a time (kernels/programs.c)."""
UNIT = 64
"""Bytes that the places of arrays in an arena are multiples of."""
BYTES = np.dtype(np.uint8)
SCRATCH, KEPT = "scratch", "kept"


class Failed(Exception):
    """A step that has no answer to what it is given; the function runs as it stands."""


def rounded(count: int) -> int:
    return -(-count // UNIT) * UNIT


class Arena:
    """Places of buffers in one piece of memory; what is let go is taken again by one of the same size."""

    def __init__(self) -> None:
        self.end = 0
        self.free: dict[int, list[int]] = {}

    def take(self, count: int) -> int:
        count = rounded(count)
        found = self.free.get(count)
        if found:
            return found.pop()
        self.end += count
        return self.end - count

    def give(self, at: int, count: int) -> None:
        self.free.setdefault(rounded(count), []).append(at)


class Layout:
    """Steps made ready to run on an environment: the arrays of buffers by their numbers, and of the two arenas."""

    def __init__(self, memory: Memory, steps: list, kept: dict[int, int], apart: dict[int, Value]) -> None:
        """kept: the places of buffers in the arena that outlives the steps; apart: the values that get arrays of their own."""
        self.memory, self.kept, self.apart = memory, kept, apart
        self.places: dict[int, int] = {}
        self.near: set[int] = set()
        self.scratch = 0
        self.arrange(steps)
        self.runs = self.ready(steps)
        self.fresh = [(n, v.shape, v.dtype) for n, v in apart.items() if memory.kinds[n] not in (GIVEN, CALLED)]

    def arrange(self, steps: list) -> None:
        """Find a place for each buffer that only these steps need."""
        last: dict[int, int] = {}
        for at, step in enumerate(steps):
            last.update(dict.fromkeys([*step.reads(), *step.makes()], at))
        groups = grouped(steps)
        arena = Arena()
        over: dict[int, list[int]] = {}
        for at, step in enumerate(steps):
            for number in step.makes():
                if number in self.places or not self.scratched(number):
                    continue
                size = self.memory.bytes[number]
                if groups[at] >= 0 and groups[last[number]] == groups[at]:
                    size = PIECE * self.memory.dtypes[number].itemsize
                    self.near.add(number)
                self.places[number] = arena.take(size)
                over.setdefault(last[number], []).append(number)
            for number in over.get(at, ()):
                size = PIECE * self.memory.dtypes[number].itemsize if number in self.near else self.memory.bytes[number]
                arena.give(self.places[number], size)
        self.scratch = arena.end

    def scratched(self, number: int) -> bool:
        return self.memory.kinds[number] not in (GIVEN, CALLED) and number not in self.kept and number not in self.apart

    def region(self, number: int) -> tuple[Any, int]:
        """The array that a buffer lies in, and where."""
        if number in self.places:
            return SCRATCH, self.places[number]
        if number in self.kept:
            return KEPT, self.kept[number]
        return number, 0

    def ready(self, steps: list) -> list[Callable]:
        """Functions of an environment that run the steps."""
        runs: list[Callable] = []
        part: list = []
        for step in [*steps, None]:
            if type(step) in (Loop, Kernel):
                part.append(step)
                continue
            if part:
                runs.append(self.program(part))
                part = []
            if step is not None:
                runs.append(self.call(step))
        return runs

    def program(self, steps: list) -> Callable:
        """A program of kernels and loops."""
        regions: dict[Any, int] = {}
        templates: dict[Any, int] = {}
        shown: list[tuple] = []
        constants: list[tuple] = []
        told: list[tuple] = []

        def spot(value: Value) -> tuple[int, int]:
            name, at = self.region(value.buffer)
            return regions.setdefault(name, len(regions)), at + value.offset

        for step in steps:
            if type(step) is Kernel:
                key = (id(step.kernel), *[signature(each) for each in step.args])
                if key not in templates:
                    templates[key] = len(shown)
                    shown.append((step.kernel, tuple([like(each) for each in step.args])))
                told.append((templates[key], tuple([spot(each) for each in (*step.arrays, *step.results)])))
                continue
            places = []
            for each in (*step.operands, (step.result, True, step.count * step.result.dtype.itemsize)):
                if type(each) is not tuple:
                    constants.append((each, step.kind == 1))
                    places.append((-len(constants), 0, 0, 0, 0))
                    continue
                value, moves, row = each
                one = value.dtype.itemsize if moves else 0
                places.append((*spot(value), one, row if step.rows > 1 else 0, 0 if value.buffer in self.near else one))
            told.append((step.loop, step.kind, step.count, step.rows, tuple(places)))
        kinds = []
        for name in regions:
            if name in (SCRATCH, KEPT):
                kinds.append((BYTES.num, self.scratch if name is SCRATCH else total(self.kept, self.memory)))
            else:
                kinds.append((self.memory.dtypes[name].num, self.memory.bytes[name]))
        run = kernel("Program")(tuple(kinds), tuple(shown), tuple(constants), tuple(told))
        names = list(regions)
        pick = itemgetter(*names) if len(names) > 1 else lambda env: (env[names[0]],)

        def native(env: dict) -> None:
            if run(*pick(env)) is None:
                raise Failed

        return native

    def array(self, env: dict, value: Value) -> Any:
        """A value as an array of numpy."""
        name, at = self.region(value.buffer)
        whole = env[name]
        if (
            at == value.offset == 0
            and whole.dtype is value.dtype
            and whole.shape == value.shape
            and whole.strides == value.strides
        ):
            return whole
        return strided(whole, value.shape, value.strides, at + value.offset, value.dtype)

    def call(self, step: Called) -> Callable:
        """A call of Python."""
        memory = self.memory

        def run(env: dict) -> None:
            found = step.function(*[self.array(env, value) for value in step.given])
            for number, array in zip(step.results, found, strict=True):
                whole = in_order(owner(array))
                if (
                    whole.nbytes != memory.bytes[number]
                    or whole.dtype != memory.dtypes[number]
                    or not whole.flags.c_contiguous
                ):
                    raise Failed
                env[number] = whole

        return run

    def run(self, env: dict) -> None:
        """Run the steps."""
        for number, shape, dtype in self.fresh:
            env[number] = np.empty(shape, dtype)
        for each in self.runs:
            each(env)


def total(kept: dict[int, int], memory: Memory) -> int:
    """The bytes of the arena that is kept."""
    return max([at + rounded(memory.bytes[number]) for number, at in kept.items()], default=0)


def grouped(steps: list) -> list[int]:
    """For each step the number of the group of long loops that it belongs to; -1 for others (as kernels/programs.c has them)."""
    found: list[int] = []
    for k, step in enumerate(steps):
        long = type(step) is Loop and step.rows == 1 and step.count > PIECE
        if not long:
            found.append(-1)
        elif k and found[-1] >= 0 and steps[k - 1].count == step.count:
            found.append(found[-1])
        else:
            found.append(k)
    return found


def signature(value: Any) -> Any:
    """What a kernel's plan depends on."""
    if type(value) is np.ndarray:
        return value.dtype.num, value.shape, value.strides
    return type(value), value


def like(value: Any) -> Any:
    """An array without elements of its own in the place of another, with its dtype, shape and strides."""
    if type(value) is not np.ndarray or not value.size:
        return value
    extent = sum([(n - 1) * s for n, s in zip(value.shape, value.strides, strict=True)]) + value.itemsize
    return strided(np.empty(extent, BYTES), value.shape, value.strides, 0, value.dtype)
