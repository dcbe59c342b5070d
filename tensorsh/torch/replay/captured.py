"""A program for tensors on a GPU: recorded operators as one CUDA graph, which is launched as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.arrays.backend import on_gpu
from ..containers import mapped, tensors_in
from ..cuda.graphs import CUDAGraph, graph
from ..cuda.streams import aside
from .slots import Node
from .trial import one_by_one, opened

FEW = 3
"""Fewer operators than this are not worth copying what they read and give."""


def captured(nodes: list[Node], tree: Any, tensors: list[Any]) -> Callable | None:
    """The program of calls on tensors of a device, none of which wants a gradient; None where a result is memory of an operand, or
    the calls are too few.

    It copies its operands into memory of the graph's, launches the graph and copies the results, which are the caller's.
    """
    if len(nodes) < FEW or not all(on_gpu(t._array) for t in tensors):
        return None
    own = [t.detach().clone() for t in tensors]
    with aside():  # kernels are compiled, and libraries take their memory, before anything is captured
        one_by_one(nodes, own)
    recorded = CUDAGraph()
    with graph(recorded):
        made = opened(tree, one_by_one(nodes, own, tree))
    found = tensors_in(made)
    if len({id(t) for t in found}) < len(found) or any(t._root is not None or any(t is x for x in own) for t in found):
        return None

    def run(inputs: tuple, _: Any) -> Any:
        for mine, given in zip(own, inputs, strict=True):
            mine._array[...] = given._array
        recorded.replay()
        return mapped(lambda each: each.clone() if hasattr(each, "_array") else each, made)

    return run
