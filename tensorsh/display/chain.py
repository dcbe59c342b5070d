"""The history of a tensor in one line: ``MeanBackward0 ← MulBackward0(w) ← AddBackward0 ← x``.

The line follows the first operand that has a history of its own; leaves that come in on the way stand in parentheses.
It looks only at as much of the graph as fits into the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .cells import ascii_only, cell_width, clip

NAMELESS: Mapping[int, str] = {}
SIDE_STEPS = 8
"""How far a side branch is followed in search of its leaf (a weight may come through a transpose)."""


def chain_text(node: Any, names: Mapping[int, str] = NAMELESS, *, width: int = 80, unicode: bool = True) -> str:
    """The chain from a node (or the tensor that has it); `names` tells variables by the id of tensor or node."""
    node = node_of(node)
    arrow, ellipsis = (" ← ", "…") if unicode else (" <- ", "...")
    text = ""
    room = width - cell_width(arrow + ellipsis)
    first = True
    while node is not None:
        main, sides = _split(node, names, ellipsis)
        step = leaf_name(node, names) if is_leaf(node) else node.name().rpartition("::")[2]
        if sides:
            step += f"({', '.join(sides)})"
        if not unicode:
            step = ascii_only(step)
        step = step if first else arrow + step
        if cell_width(text) + cell_width(step) > (room if main is not None else width):
            if first:
                return clip(text + step, width, ellipsis)
            return text + arrow + ellipsis
        text += step
        node, first = main, False
    return text


def _split(node: Any, names: Mapping[int, str], ellipsis: str) -> tuple[Any, list[str]]:
    """The operand that the line follows, and what stands for the others, in their order."""
    operands = [operand for operand, _ in node.next_functions if operand is not None]
    if not operands:
        return None, []
    leaves = [_leaf_behind(operand) for operand in operands]
    inner = [number for number, operand in enumerate(operands) if not is_leaf(operand)]
    main = leaves.index(None) if None in leaves else inner[0] if inner else 0
    sides = [
        ellipsis if leaf is None else leaf_name(leaf, names) for number, leaf in enumerate(leaves) if number != main
    ]
    return operands[main], sides


def _leaf_behind(node: Any) -> Any:
    """The leaf that a few steps without branches lead to, or None."""
    for _ in range(SIDE_STEPS):
        if is_leaf(node):
            return node
        operands = [operand for operand, _ in node.next_functions if operand is not None]
        if len(operands) != 1:
            return None
        node = operands[0]
    return None


def node_of(value: Any) -> Any:
    """The node of a tensor; a node itself; None for a tensor without history."""
    return value if hasattr(value, "next_functions") else getattr(value, "grad_fn", None)


def is_leaf(node: Any) -> bool:
    """Whether gradients end here, in the `grad` of a variable."""
    return node.name() == "AccumulateGrad" or node.name() == "torch::autograd::AccumulateGrad"


def leaf_name(node: Any, names: Mapping[int, str] = NAMELESS) -> str:
    """The variable's name, or AccumulateGrad where nobody has given it one."""
    variable = getattr(node, "variable", None)
    name = names.get(id(node)) if variable is None else names.get(id(variable)) or names.get(id(node))
    if name is None and isinstance(own := getattr(variable, "name", None), str):
        name = own
    return name or "AccumulateGrad"
