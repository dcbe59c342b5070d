"""A program: recorded operators as one function without the Python that led to them; elementwise ones in chains, in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.kernels import kernel
from .chains import LONG, Chain, Returning, step_of
from .gradients import GradientChain, formula_of
from .slots import Node, Slot, numbers_in
from .writing import Writer

MANY = 8
"""So many calls on small arrays are worth a node of their own."""
REDUCED = frozenset("sum mean amax amin argmax argmin logsumexp prod std var".split())
"""Functions whose results have memory of their own."""
FEW = 16
"""Fewer operators than this are not worth a program, unless elementwise ones are made one."""


def differentiable(node: Node, operands: tuple, shape: tuple, tracked: set[int]) -> bool:
    """Whether a chain may have an elementwise call: it wants no gradient, or there is a formula for the operands that do."""
    if node.result.number not in tracked:
        return True
    wanting = [each.number for each in operands if type(each) is Slot and each.number in tracked]
    return formula_of(node) is not None and all([node.likes[number][1] == shape for number in wanting])


def scheduled(nodes: list[Node], tracked: set[int]) -> list[Node | Chain]:
    """Calls in an order that keeps elementwise ones together: others that do not need them go before, unless gradients are
    wanted, whose sums have an order. tracked: the numbers of tensors that have a node."""
    order: list[Node | Chain] = []
    open_chain: Chain | None = None
    made: set[int] = set()
    for node in nodes:
        found = step_of(node) if kernel("Chain") is not None else None
        if found is not None and differentiable(node, found[1], found[2][1], tracked):
            loop, operands, like = found
            full = open_chain is not None and open_chain.full()
            if open_chain is None or full or (open_chain.dtype, open_chain.shape) != like:
                if open_chain is not None:
                    order.append(open_chain)
                open_chain, made = Chain(*like), set()
            open_chain.add(node, loop, operands)
            made.add(node.result.number)
            continue
        if open_chain is not None and (tracked or (numbers_in(node.args) | numbers_in(node.kwargs)) & made):
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


def write_chain(writer: Writer, chain: Chain, wanted: set[int], tracked: set[int], pool: list | None) -> None:
    """The lines of a chain; of its calls one by one, where its arrays are not usual."""
    outputs = chain.outputs(wanted)
    run = part = None
    if len(chain.nodes) > 1 and outputs:
        if tracked.intersection(outputs):
            if len(chain.nodes) < MANY and np.prod(chain.shape, dtype=object) < LONG:
                for node in chain.nodes:
                    write_call(writer, node)
                return
            part = "{}"
            differentiated = GradientChain(chain, outputs, tracked)
            run = differentiated if differentiated.run is not None else None
        else:
            part = "wrap({})"
            run = chain.compiled(outputs, pool)
    if run is None:
        for node in chain.nodes:
            write_call(writer, node)
        return
    arrays = ", ".join([f"v{number}" if part == "{}" else f"v{number}._array" for number in chain.reads])
    writer.lines.append(f"    made = {writer.name(run)}({arrays})")
    writer.lines.append("    if made is None:")
    for node in chain.nodes:
        write_call(writer, node, "        ")
    writer.lines.append("    else:")
    for k, number in enumerate(outputs):
        writer.lines.append(f"        v{number} = " + part.format(f"made[{k}]"))


def passing(
    chain: Chain, outputs: list[int], order: list, needs: list[set[int]], last: dict[int, int], tracked: set[int]
) -> int | None:
    """The place of the reduction that alone reads the one large output of a chain, which then needs no new memory."""
    if len(outputs) != 1 or tracked or np.prod(chain.shape, dtype=object) < LONG:
        return None
    readers = [at for at, read in enumerate(needs) if outputs[0] in read]
    if readers != [last[outputs[0]]]:
        return None
    reader = order[readers[0]]
    return readers[0] if type(reader) is Node and reader.name in REDUCED and type(reader.result) is Slot else None


def write(writer: Writer, inputs: int, nodes: list[Node], result: Any, tracked: set[int]) -> bool:
    """The lines that run recorded calls on so many tensors, v0, v1, ..., and give their result, a tree of slots and constants.
    Whether that is worth it."""
    order = scheduled(nodes, tracked)
    if len(nodes) < FEW and not any([type(each) is Chain and len(each.nodes) > 1 for each in order]):
        return False
    last: dict[int, int] = {}
    needs: list[set[int]] = []
    for at, each in enumerate(order):
        read = set(each.reads) if type(each) is Chain else numbers_in(each.args) | numbers_in(each.kwargs)  # type: ignore[union-attr]
        needs.append(read)
        last.update(dict.fromkeys(read, at))
    last.update(dict.fromkeys(numbers_in(result), len(order)))
    pools: dict[int, list] = {}
    for at, each in enumerate(order):
        if type(each) is Chain:
            outputs = [number for number in each.inside if number in last]
            reader = passing(each, outputs, order, needs, last, tracked)
            if reader is not None:
                pools[reader] = []
            write_chain(writer, each, set(outputs), tracked, pools.get(reader) if reader is not None else None)
        else:
            write_call(writer, each)  # type: ignore[arg-type]
            if at in pools:
                (number,) = needs[at]
                back = writer.name(Returning(pools[at]))
                writer.lines.append(f"    {back}(v{number}, {writer.text(each.result)})")  # type: ignore[union-attr]
        for number in sorted(needs[at]):
            if last[number] == at and number >= inputs:
                writer.lines.append(f"    v{number} = None")
    writer.lines.append("    made = None")
    writer.lines.append(f"    return {writer.text(result)}")
    return True
