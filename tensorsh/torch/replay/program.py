"""A program: recorded operators as one function without the Python that led to them; elementwise ones in chains, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.arrays import parallel
from ...engine.kernels import kernel
from ...engine.operators.public_form import executor_of
from ...engine.tensors.tensor import Tensor
from .recording import Node, Slot
from .writing import Writer

FLOATS = {np.dtype(np.float32): False, np.dtype(np.float64): True}
"""The dtypes of chains, and whether they are doubles."""
MOST_ARRAYS = 60
"""So many arrays go into and out of a chain at most."""
FEW = 16
"""Fewer operators than this are not worth a program, unless elementwise ones are made one."""
LONG = 1 << 16
"""Arrays of more elements are worked on in pieces, between which a program can be left."""


class Chain:
    """Elementwise calls on arrays of one dtype and shape, one after another."""

    def __init__(self, dtype: Any, shape: tuple) -> None:
        self.dtype, self.shape = dtype, shape
        self.nodes: list[Node] = []
        self.steps: list[tuple] = []
        """The loop of each call and its operands."""
        self.reads: dict[int, bool] = {}
        """The tensors that it reads, and whether each is an array of the shape, and not one number."""

    def add(self, node: Node, loop: Any, operands: tuple) -> None:
        """Add a call."""
        inside = {each.result.number for each in self.nodes}
        for each in operands:
            if type(each) is Slot and each.number not in inside and each.number not in self.reads:
                self.reads[each.number] = node.likes[each.number][1] == self.shape
        self.nodes.append(node)
        self.steps.append((loop, operands))

    def outputs(self, wanted: set[int]) -> list[int]:
        """The results that are read elsewhere."""
        return [node.result.number for node in self.nodes if node.result.number in wanted]

    def compiled(self, outputs: list[int]) -> Callable | None:
        """A function of the arrays that are read, which gives a list of the outputs; None where they are too many."""
        if len(self.reads) + len(outputs) > MOST_ARRAYS:
            return None
        places = {number: k for k, number in enumerate([*self.reads, *outputs])}
        first = len(places)
        last = {each.number: k for k, (_, operands) in enumerate(self.steps) for each in operands if type(each) is Slot}
        free: list[int] = []
        slots = 0
        constants: list[Any] = []
        told: list[tuple] = []
        for k, (loop, operands) in enumerate(self.steps):
            out = self.nodes[k].result.number
            if out not in places:
                if not free:
                    free.append(slots)
                    slots += 1
                places[out] = first + free.pop()
            read: list[Any] = []
            for each in operands:
                if type(each) is not Slot:
                    constants.append(each)
                read.append(places[each.number] if type(each) is Slot else ~(len(constants) - 1))
            told.append((loop, *read, *[0] * (2 - len(read)), places[out]))
            for number in {each.number for each in operands if type(each) is Slot} | {out}:
                if places[number] >= first and last.get(number, k) == k:
                    free.append(places[number] - first)
        steps = tuple([(loop, *[first + slots + ~x if x < 0 else x for x in (a, b)], out) for loop, a, b, out in told])
        wide = bytes(self.reads.values())
        run = kernel("Chain")(wide, len(outputs), slots, tuple(constants), steps, FLOATS[self.dtype])
        if not self.shape or np.prod(self.shape, dtype=object) < LONG:
            return run
        return in_pieces(run, wide, len(outputs))


def in_pieces(run: Callable, wide: bytes, outputs: int) -> Callable:
    """A chain on large arrays, piece by piece, by several threads where a program allows that."""

    def answer(*arrays: Any) -> list | None:
        if not all([a.flags.c_contiguous for a in arrays]):
            return None
        whole = [a for a, is_wide in zip(arrays, wide, strict=True) if is_wide]
        made = [np.empty_like(whole[0]) for _ in range(outputs)]

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
    try:
        kernel("Chain")(bytes([1]), 1, 0, (1.0,), ((executor.loop, 0, 0, 1),), FLOATS[like[0]])
    except (TypeError, ValueError):
        return None  # there is no such loop
    return (executor.loop, operands, like) if wide else None


def numbers_in(value: Any) -> set[int]:
    """The numbers of the slots in a tree of values."""
    if type(value) is Slot:
        return {value.number}
    if type(value) in (tuple, list):
        return set().union(*map(numbers_in, value))
    return set().union(*map(numbers_in, value.values())) if type(value) is dict else set()


def scheduled(nodes: list[Node]) -> list[Node | Chain]:
    """Calls in an order that keeps elementwise ones together: others that do not need them go before."""
    order: list[Node | Chain] = []
    open_chain: Chain | None = None
    made: set[int] = set()
    for node in nodes:
        found = step_of(node) if kernel("Chain") is not None else None
        if found is not None:
            loop, operands, like = found
            full = open_chain is not None and len(open_chain.reads) > MOST_ARRAYS // 2
            if open_chain is None or full or (open_chain.dtype, open_chain.shape) != like:
                if open_chain is not None:
                    order.append(open_chain)
                open_chain, made = Chain(*like), set()
            open_chain.add(node, loop, operands)
            made.add(node.result.number)
            continue
        if open_chain is not None and (numbers_in(node.args) | numbers_in(node.kwargs)) & made:
            order.append(open_chain)
            open_chain = None
        order.append(node)
    if open_chain is not None:
        order.append(open_chain)
    return order


def write_call(writer: Writer, node: Node, indent: str = "    ") -> None:
    """A line that calls an operator."""
    args = [writer.text(each) for each in node.args]
    if node.kwargs:
        args.append("**" + writer.text(node.kwargs))
    writer.lines.append(f"{indent}{writer.text(node.result)} = {writer.name(node.function)}({', '.join(args)})")


def write_chain(writer: Writer, chain: Chain, wanted: set[int]) -> None:
    """The lines of a chain; of its calls one by one, where its arrays are not usual."""
    outputs = chain.outputs(wanted)
    run = chain.compiled(outputs) if len(chain.nodes) > 1 and outputs else None
    if run is None:
        for node in chain.nodes:
            write_call(writer, node)
        return
    arrays = ", ".join([f"v{number}._array" for number in chain.reads])
    writer.lines.append(f"    made = {writer.name(run)}({arrays})")
    writer.lines.append("    if made is None:")
    for node in chain.nodes:
        write_call(writer, node, "        ")
    writer.lines.append("    else:")
    for k, number in enumerate(outputs):
        writer.lines.append(f"        v{number} = wrap(made[{k}])")


def write(writer: Writer, inputs: int, nodes: list[Node], result: Any) -> bool:
    """The lines that run recorded calls on so many tensors, v0, v1, ..., and give their result, a tree of slots and constants.
    Whether that is worth it."""
    order = scheduled(nodes)
    if len(nodes) < FEW and not any([type(each) is Chain and len(each.nodes) > 1 for each in order]):
        return False
    last: dict[int, int] = {}
    needs: list[set[int]] = []
    for at, each in enumerate(order):
        read = set(each.reads) if type(each) is Chain else numbers_in(each.args) | numbers_in(each.kwargs)  # type: ignore[union-attr]
        needs.append(read)
        last.update(dict.fromkeys(read, at))
    last.update(dict.fromkeys(numbers_in(result), len(order)))
    for at, each in enumerate(order):
        if type(each) is Chain:
            inside = {node.result.number for node in each.nodes}
            write_chain(writer, each, {number for number in inside if number in last})
        else:
            write_call(writer, each)  # type: ignore[arg-type]
        for number in sorted(needs[at]):
            if last[number] == at and number >= inputs:
                writer.lines.append(f"    v{number} = None")
    writer.lines.append("    made = None")
    writer.lines.append(f"    return {writer.text(result)}")
    return True
