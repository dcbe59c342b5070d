"""Which calls of a recording are elementwise: each is the loop of its operator, over arrays of one dtype and shape."""

from __future__ import annotations

from typing import Any

from ...engine.kernels import kernel
from ...engine.numerics.passes import FLOATS, WRITTEN
from ...engine.operators.public_form import executor_of
from ...engine.tensors.tensor import Tensor
from .slots import Node, Slot


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
        kernel("Chain")(bytes([WRITTEN]), 0, (), ((loop, *[0] * operands, 0),), FLOATS[dtype])
    except (TypeError, ValueError):
        return False
    return True
