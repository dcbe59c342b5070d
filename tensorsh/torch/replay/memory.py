"""The memory of a recorded run: in which buffer each array lies, and the steps that fill buffers.

While a function runs once as it stands, every array is an array of numpy; two arrays are one memory if they lie in the same one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays.extents import address, in_order, owner
from ...engine.kernels import compiled, kernel
from .elementwise import has_loop
from .formulas import loops
from .reading import Refused

KINDS = {np.dtype(np.float32): 0, np.dtype(np.float64): 1, np.dtype(np.int64): 2}
"""The dtypes of loops, by numbers."""
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
ZEROED = 1 << 16
"""Larger arrays that a kernel is to fill are not set to zero first."""
GIVEN, MADE, CALLED = range(3)
"""A buffer is handed over, filled by a step of the program, or the memory of what a call of Python gave."""


class Value(NamedTuple):
    """An array, as a part of a buffer."""

    buffer: int
    offset: int
    dtype: Any
    shape: tuple
    strides: tuple

    def dense(self) -> bool:
        """Whether its elements lie one after another in row order."""
        count = self.dtype.itemsize
        for n, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if n != 1 and stride != count:
                return False
            count *= n
        return True

    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


class Loop(NamedTuple):
    """An elementwise step: the loop, the dtype's number, elements of a row, rows; for each operand a number, or (value, whether it
    advances, bytes of a row); the result."""

    loop: Any
    kind: int
    count: int
    rows: int
    operands: tuple
    result: Value

    def reads(self) -> list[int]:
        return [each[0].buffer for each in self.operands if type(each) is tuple]

    def makes(self) -> list[int]:
        return [self.result.buffer]


class Kernel(NamedTuple):
    """A kernel's step: the kernel, its arguments as they were, the places of its arrays and of its results; those of its arrays
    that it fills."""

    kernel: Any
    args: tuple
    arrays: tuple
    results: tuple
    filled: tuple

    def reads(self) -> list[int]:
        return [value.buffer for value in self.arrays]

    def makes(self) -> list[int]:
        return [value.buffer for value in (*self.results, *self.filled)]


class Called(NamedTuple):
    """A call of Python: a function of arrays that gives arrays, what it is given, and what the memory of its results is."""

    function: Any
    given: tuple
    results: tuple

    def reads(self) -> list[int]:
        return [value.buffer for value in self.given]

    def makes(self) -> list[int]:
        return list(self.results)


def planned(callee: Any, args: tuple) -> bool:
    """Whether a program may have a step of a kernel with such arguments."""
    try:
        kernel("Program")((), ((callee, args),), (), ())
    except ValueError:
        return False
    return True


class Memory:
    """The buffers of a recorded run."""

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.bytes: list[int] = []
        self.dtypes: list[Any] = []
        self.known: dict[int, int] = {}
        self.held: list[Any] = []
        """Arrays that were looked at, which live so that no other takes their place."""

    def buffer(self, kind: int, dtype: Any, count: int) -> int:
        """A new buffer."""
        self.kinds.append(kind)
        self.dtypes.append(dtype)
        self.bytes.append(count)
        return len(self.kinds) - 1

    def bind(self, array: Any, kind: int) -> int:
        """A new buffer, the memory that an array lies in. Raises Refused where it is not usual."""
        whole = owner(array)
        if type(whole) is not np.ndarray or not in_order(whole).flags.c_contiguous or not whole.nbytes:
            raise Refused
        if whole.dtype.hasobject or whole.dtype.kind not in "fiub" or whole.dtype.itemsize > 8:
            raise Refused
        number = self.known[id(whole)] = self.buffer(kind, whole.dtype, whole.nbytes)
        self.held.append(whole)
        return number

    def same(self, array: Any, value: Value) -> Value:
        """Take a new array for one that a step makes. Raises Refused where it is another's memory, or does not lie as that does."""
        whole = owner(array)
        good = type(array) is np.ndarray and id(whole) not in self.known and array.dtype == value.dtype
        if not good or array.shape != value.shape or array.strides != value.strides or whole.nbytes != array.nbytes:
            raise Refused
        self.known[id(whole)] = value.buffer
        self.held.append(whole)
        return value

    def find(self, array: Any) -> Value | None:
        """Where an array lies, if its memory is known."""
        if type(array) is not np.ndarray:
            return None
        whole = owner(array)
        number = self.known.get(id(whole))
        if number is None:
            return None
        offset = address(array) - address(whole)
        return Value(number, offset, array.dtype, array.shape, array.strides)

    def new(self, dtype: Any, shape: tuple) -> Value:
        """An array that a step is to make, in row order."""
        made = np.empty(shape, dtype)
        return Value(self.buffer(MADE, dtype, made.nbytes), 0, dtype, shape, made.strides)

    def lowered(self, calls: list[tuple], wanted: list[Any]) -> list | None:
        """The steps of recorded calls that made arrays; None where other steps had a part in them."""
        before = len(self.kinds), dict(self.known)
        try:
            steps = [step for call in calls for step in self.steps(*call)]
        except Refused:
            steps = None
        if steps is None or any([self.find(each) is None for each in wanted]):
            self.kinds[before[0] :] = []
            self.bytes[before[0] :] = []
            self.dtypes[before[0] :] = []
            self.known = before[1]
            return None
        return steps

    def steps(self, callee: Any, args: tuple, answer: Any) -> list:
        """The steps of a recorded call. What a kernel adds to begins with zeros."""
        step = self.step(callee, args, answer)
        if type(step) is not Kernel:
            return [] if step is None else [step]
        zeros = [each for each in step.filled if each.dtype in FLOATS and each.size() <= ZEROED]
        return [*[Loop(loops()["mul"], KINDS[v.dtype], v.size(), 1, (0.0, 0.0), v) for v in zeros if v.dense()], step]

    def step(self, callee: Any, args: tuple, answer: Any) -> Loop | Kernel | None:
        """The step of a recorded call; None for one of arrays that are not known, which may be of no consequence."""
        if type(callee) is kernel("Loop"):
            return self.loop(callee, args, answer)
        bits = compiled.written(callee, args)
        if bits is None or not planned(callee, args):
            return None
        arrays, filled = [], []
        for k, each in enumerate(args):
            if type(each) is np.ndarray:
                found = self.find(each)
                if found is None and bits >> k & 1:
                    self.bind(each, MADE)
                    found = self.find(each)
                    filled.append(found)
                if found is None and not filled:
                    return None
                if found is None or bits >> k & 1 and self.kinds[found.buffer] != MADE:
                    raise Refused
                arrays.append(found)
        results = []
        for each in answer if type(answer) is tuple else () if answer is True else (answer,):
            if not any([each is a for a in args]):
                self.bind(each, MADE)
                results.append(self.find(each))
        return Kernel(callee, args, tuple(arrays), tuple(results), tuple(filled))

    def loop(self, callee: Any, args: tuple, answer: Any) -> Loop | None:
        """The step of a call of an elementwise operator's loop."""
        values = [self.find(each) if type(each) is np.ndarray else each for each in args]
        if any([each is None for each in values]):
            return None
        n, kind = args[0].size, KINDS[args[0].dtype]
        rows = (
            n // args[1].size if len(args) > 1 and type(args[1]) is np.ndarray and args[1].ndim and args[1].size else 1
        )
        self.bind(answer, MADE)
        result = self.find(answer)
        operands: list[Any] = [(values[0], True, n // rows * args[0].itemsize)]
        if len(values) > 1:
            operands.append(values[1] if type(values[1]) is not Value else (values[1], bool(values[1].shape), 0))
        if kind == 2 and type(operands[-1]) is int:
            raise Refused
        return Loop(callee, kind, n // rows, rows, tuple(operands), result)  # type: ignore[arg-type]


def elementwise(loop: Any, operands: tuple, result: Value) -> Loop:
    """A step on arrays of one shape, in row order, and numbers. Raises Refused for others, and for a dtype without a loop."""
    if result.dtype not in FLOATS or not has_loop(loop, len(operands), result.dtype):
        raise Refused
    told: list[Any] = []
    for each in operands:
        if type(each) is not Value:
            told.append(float(each))
            continue
        one = each.size() == 1 and len(each.shape) <= len(result.shape)
        if each.dtype != result.dtype or not each.dense() or not (one or each.shape == result.shape):
            raise Refused
        told.append((each, each.size() == result.size(), 0))
    return Loop(loop, KINDS[result.dtype], result.size(), 1, tuple(told), result)
