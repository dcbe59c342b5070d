"""Elementwise steps in one pass: on pieces of arrays that stay in the cache, so that each array is read and written once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ..kernels import kernel

FLOATS = {np.dtype(np.float32): False, np.dtype(np.float64): True}
"""The dtypes of chains, and whether they are doubles."""
ONE, READ, WRITTEN = range(3)
"""What an input of a chain is: one number, an array, an array that steps write over (kernels/chains.c)."""


def chained(
    inputs: Mapping[Hashable, int], steps: Sequence[tuple], outputs: Mapping[Hashable, Hashable], dtype: Any
) -> Callable:
    """A Chain of steps (loop, operands, result) on arrays of a dtype. An operand is an input, a result of an earlier step or else a
    constant. outputs: the results that stay, and for each the input that it is written over."""
    places: dict[Hashable, int] = {name: k for k, name in enumerate(inputs)}
    first = len(places)
    places.update({name: places[over] for name, over in outputs.items()})
    results = {result for _, _, result in steps}
    last = {
        each: k for k, (_, operands, _) in enumerate(steps) for each in operands if each in inputs or each in results
    }
    free: list[int] = []
    slots = 0
    constants: list[Any] = []
    told: list[tuple] = []
    for k, (loop, operands, result) in enumerate(steps):
        over = outputs.get(result)
        if over is not None and last.get(over, k) > k:
            raise ValueError("a step reads what an earlier one wrote over")
        if result not in places:
            if not free:
                free.append(slots)
                slots += 1
            places[result] = first + free.pop()
        read = []
        for each in operands:
            if each in last:
                read.append(places[each])
            else:
                constants.append(each)
                read.append(-len(constants))
        told.append((loop, read, places[result]))
        for name in {each for each in operands if each in last} | {result}:
            if places[name] >= first and last.get(name, k) == k:
                free.append(places[name] - first)
    after = first + slots
    ordered = tuple([(loop, *[x if x >= 0 else after + ~x for x in read], place) for loop, read, place in told])
    return kernel("Chain")(bytes(inputs.values()), slots, tuple(constants), ordered, FLOATS[dtype])
