"""Chains: elementwise calls as one pass over the pieces of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.arrays import parallel
from ...engine.kernels import kernel
from ...engine.numerics.passes import FLOATS, chained
from ...engine.operators.public_form import executor_of
from ...engine.tensors.tensor import Tensor
from .slots import Node, Slot

MOST_ARRAYS = 60
"""So many large arrays go into and out of a chain at most."""
MOST_NUMBERS = 4000
"""So many small ones."""
MOST_WORK = 1 << 22
"""So many elements times calls are worked on at a time."""
LONG = 1 << 16
"""Arrays of more elements are worked on in pieces, between which a program can be left."""


class Chain:
    """Elementwise calls on arrays of one dtype and shape, one after another."""

    def __init__(self, dtype: Any, shape: tuple) -> None:
        self.dtype, self.shape = dtype, shape
        self.nodes: list[Node] = []
        self.steps: list[tuple] = []
        """The loop of each call and its operands."""
        self.inside: set[int] = set()
        """The numbers of their results."""
        self.reads: dict[int, bool] = {}
        """The tensors that it reads, and whether each is an array of the shape, and not one number."""

    def add(self, node: Node, loop: Any, operands: tuple) -> None:
        """Add a call."""
        for each in operands:
            if type(each) is Slot and each.number not in self.inside and each.number not in self.reads:
                self.reads[each.number] = node.likes[each.number][1] == self.shape
        self.nodes.append(node)
        self.inside.add(node.result.number)
        self.steps.append((loop, operands))

    def full(self) -> bool:
        """Whether another call is one too many: of arrays, or of work on a piece, which no signal ends."""
        piece = min(int(np.prod(self.shape, dtype=object)), parallel.PIECE)
        return len(self.reads) > MOST_ARRAYS // 2 or len(self.nodes) * piece > MOST_WORK

    def outputs(self, wanted: set[int]) -> list[int]:
        """The results that are read elsewhere."""
        return [node.result.number for node in self.nodes if node.result.number in wanted]

    def compiled(self, outputs: list[int], pool: list | None = None) -> Callable | None:
        """A function of the arrays that are read, which gives a list of the outputs; None where they are too many. pool: arrays
        that large outputs are written into."""
        results = [node.result for node in self.nodes]
        return one_pass(
            {Slot(number): wide for number, wide in self.reads.items()},
            [(loop, operands, out) for (loop, operands), out in zip(self.steps, results, strict=True)],
            [Slot(number) for number in outputs],
            self.dtype,
            self.shape,
            pool,
        )


def one_pass(
    reads: dict[Slot, bool], steps: list[tuple], outputs: list[Slot], dtype: Any, shape: tuple, pool: list | None = None
) -> Callable | None:
    """A function of arrays that gives a list of arrays, made by steps (loop, operands, result) on one piece after another; None
    where they are too many. reads: the arrays, and whether each is of the shape, and not one number."""
    small = np.prod(shape, dtype=object) < LONG
    if len(reads) + len(outputs) > (MOST_NUMBERS if small else MOST_ARRAYS):
        return None
    run = chained(reads, steps, dict.fromkeys(outputs), dtype)
    wide = bytes(reads.values())
    return run if small else in_pieces(run, wide, len(outputs), [] if pool is None else pool)


def in_pieces(run: Callable, wide: bytes, outputs: int, pool: list) -> Callable:
    """A chain on large arrays, piece by piece, by several threads where a program allows that."""

    def answer(*arrays: Any) -> list | None:
        if not all([a.flags.c_contiguous for a in arrays]):
            return None
        whole = [a for a, is_wide in zip(arrays, wide, strict=True) if is_wide]
        made = [taken(pool, whole[0]) for _ in range(outputs)]

        def piece(*parts: Any) -> None:
            rest = iter(parts[outputs:])
            if run(*[next(rest) if w else a for a, w in zip(arrays, wide, strict=True)], *parts[:outputs]) is None:
                raise ValueError

        try:
            parallel.run(piece, [a.reshape(-1) for a in (*made, *whole)], parallel.PIECE)
        except ValueError:
            return None
        return made

    return answer


def taken(pool: list, like: Any) -> Any:
    """An array of a pool, or a new one."""
    try:
        return pool.pop()
    except IndexError:  # also where another thread was sooner
        return np.empty_like(like)


class Returning:
    """Gives the array of a tensor that only one call read back to its pool, where the call's result is not on that memory."""

    def __init__(self, pool: list) -> None:
        self.pool = pool

    def __call__(self, tensor: Any, result: Any) -> None:
        if not self.pool and not np.may_share_memory(tensor._array, result._array):
            self.pool.append(tensor._array)


def usual_form(node: Node) -> tuple[Any, tuple]:
    """The function of an elementwise call that has a loop, and its operands: a difference from a number and a square are computed
    as others are."""
    args = node.args
    if len(args) == 2 and type(args[0]) is Slot and type(args[1]) in (int, float):
        if node.name == "__rsub__":
            return Tensor.__sub__, (args[1], args[0])
        if node.name in ("__pow__", "pow") and args[1] == 2:
            return Tensor.__mul__, (args[0], args[0])
    return node.function, args


def step_of(node: Node) -> tuple | None:
    """The loop of an elementwise call, its operands, the dtype and shape of its result; None for any other call."""
    if node.kwargs or type(node.result) is not Slot:
        return None
    function, operands = usual_form(node)
    executor, count = executor_of(function)
    like = node.likes[node.result.number]
    if executor is None or len(operands) != count or like[0] not in FLOATS or 0 in like[1]:
        return None
    wide = 0
    for each in operands:
        if type(each) is Slot:
            dtype, shape = node.likes[each.number]
            if dtype != like[0] or (shape != like[1] and shape != ()):
                return None
            wide += shape == like[1]
        elif type(each) is not float and (type(each) is not int or not -(1 << 31) <= each < 1 << 31):
            return None
    return (executor.loop, operands, like) if wide and has_loop(executor.loop, count, like[0]) else None


def has_loop(loop: Any, operands: int, dtype: Any) -> bool:
    """Whether an operator's loops have one for a dtype, of results of that dtype."""
    try:
        kernel("Chain")(bytes([1]), 1, 0, (1.0,), ((loop, *[0] * operands, 1),), FLOATS[dtype])
    except (TypeError, ValueError):
        return False
    return True
